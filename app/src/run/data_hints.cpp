#include "run/data_hints.h"

#include <filesystem>
#include <system_error>
#include <variant>

namespace sluice {
namespace {

template <typename Source>
const Source* SourceOf(const PipelineDescription& pipeline) {
  const auto* spec = pipeline.ops.empty() ? nullptr : std::get_if<SourceSpec>(&pipeline.ops[0].what);
  return spec == nullptr ? nullptr : std::get_if<Source>(&spec->from);
}

std::string MakeCommand(const std::string& kind, const std::string& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) return "";
  return "sluice data make " + kind + " --out " + folder;
}

}  // namespace

std::string HowToMakeData(const PipelineDescription& pipeline) {
  if (const auto* images = SourceOf<ImageFolderSource>(pipeline)) {
    return MakeCommand("imagefolder", images->folder);
  }
  if (const auto* cifar = SourceOf<CifarSource>(pipeline)) return MakeCommand("cifar10", cifar->folder);
  return "";
}

}  // namespace sluice
