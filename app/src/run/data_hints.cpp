#include "run/data_hints.h"

#include <filesystem>
#include <system_error>
#include <variant>

namespace sluice::app {
namespace {

template <typename Source>
const Source* SourceOf(const runtime::PipelineDescription& pipeline) {
  const auto* spec = pipeline.ops.empty() ? nullptr : std::get_if<runtime::SourceSpec>(&pipeline.ops[0].what);
  return spec == nullptr ? nullptr : std::get_if<Source>(&spec->from);
}

std::string MakeCommand(const std::string& kind, const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) return "";
  return "sluice data make " + kind + " --out " + folder;
}

}  // namespace

std::string HowToMakeData(const runtime::PipelineDescription& pipeline) {
  if (const auto* images = SourceOf<runtime::ImageFolderSource>(pipeline)) {
    return MakeCommand("imagefolder", images->folder);
  }
  if (const auto* cifar = SourceOf<runtime::CifarSource>(pipeline))
    return MakeCommand("cifar10", cifar->folder);
  return "";
}

}  // namespace sluice::app
