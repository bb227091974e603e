#include "session/choose_pipeline.h"

#include <fmt/format.h>

#include <optional>

namespace sluice::app {
namespace {

std::string NamesOf(const exporters::SessionReader& session) {
  std::string names;
  for (const exporters::RecordedPipeline& pipeline : session.pipelines()) {
    const auto& rank = pipeline.info.rank;
    names += fmt::format("\n  {}{}", pipeline.info.name, rank ? fmt::format(" (rank {})", *rank) : "");
  }
  return names;
}

}  // namespace

Result<std::size_t> ChoosePipeline(const exporters::SessionReader& session, const std::string& loader) {
  std::optional<std::size_t> chosen;
  const auto items = [&](std::size_t i) { return session.pipelines()[i].moments.back().consumer.items; };
  for (std::size_t i = 0; i < session.pipelines().size(); ++i) {
    if (session.pipelines()[i].info.name.find(loader) == std::string::npos) continue;
    if (!chosen || items(i) > items(*chosen)) chosen = i;
  }
  if (!chosen)
    return Fail(fmt::format("nothing in {} has '{}' in its name; there are:{}", session.path(), loader,
                            NamesOf(session)));
  return *chosen;
}

}  // namespace sluice::app
