#include "run/data_hints.h"

#include <filesystem>
#include <system_error>
#include <variant>

namespace sluice::app {
namespace {

std::string MakeCommand(const std::string& kind, const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) return "";
  return "sluice data make " + kind + " --out " + folder;
}

}  // namespace

std::string HowToMakeData(const runtime::PipelineDescription& pipeline) {
  for (const runtime::OpSpec& op : pipeline.ops) {
    const auto* source = std::get_if<runtime::SourceSpec>(&op.what);
    std::string command;
    if (source == nullptr) continue;
    if (const auto* images = std::get_if<runtime::ImageFolderSource>(&source->from)) {
      command = MakeCommand("imagefolder", images->folder);
    } else if (const auto* cifar = std::get_if<runtime::CifarSource>(&source->from)) {
      command = MakeCommand("cifar10", cifar->folder);
    }
    if (!command.empty()) return command;
  }
  return "";
}

}  // namespace sluice::app
