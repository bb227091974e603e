#include <fmt/format.h>

#include "segment/segment_folder.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::probes {
namespace {

FoundSegment Inspect(const std::string& folder, const std::string& name) {
  FoundSegment found;
  found.path = folder + "/" + name;
  if (const auto parsed = ParseSegmentName(name)) {
    found.alive = ProcessAlive(parsed->pid, parsed->start_ticks);
  }
  const auto reader = SegmentReader::Open(found.path);
  if (reader) {
    found.identity = reader->identity();
  } else {
    found.problem = reader.error().message;
  }
  return found;
}

}  // namespace

std::vector<FoundSegment> FindSegments(const std::string& folder, bool clean) {
  std::vector<FoundSegment> found;
  for (const auto& name : ListSegments(folder)) {
    if (clean && RemoveIfDead(folder, name)) continue;
    found.push_back(Inspect(folder, name));
  }
  return found;
}

void RemoveDeadSegments(const std::string& folder, const std::function<void(const SegmentReader&)>& before) {
  for (const auto& name : ListSegments(folder)) {
    RemoveIfDead(folder, name, [&] {
      if (const auto reader = SegmentReader::Open(fmt::format("{}/{}", folder, name))) before(*reader);
    });
  }
}

}  // namespace sluice::probes
