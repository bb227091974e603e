// A session file with bytes of it changed: an Error or figures, nothing else. Three bytes of the input are a
// place and what stands there; without any the file is whole, and is read to its end.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "exporters/example_run.h"
#include "session/session_writer.h"
#include "sluice/exporters/session_compare.h"
#include "sluice/exporters/session_page.h"
#include "sluice/exporters/session_reader.h"

namespace {

using namespace sluice::exporters;  // NOLINT: a program of its own

std::string PathOf(const char* name) {
  return (std::filesystem::temp_directory_path() / ("sluice-fuzz-" + std::to_string(getpid()) + name))
      .string();
}

void WriteWhole(const std::string& path) {
  auto writer = SessionWriter::Create(path, {.verb = "run", .name = "fuzzed"}, {});
  if (!writer) std::abort();
  std::vector<SessionEntry> entries = {PipelineEntry{1, {.name = "jpeg-train", .rank = 1, .pid = 1}},
                                       EventEntry{1, example::kStart, "nothing moves"}};
  const DecisionLog decisions = example::Decisions();
  for (const LoggedDecision& entry : decisions.entries())
    entries.emplace_back(
        DecisionEntry{1, entry, std::vector<std::string>(entry.decision.changes.size(), "decode.workers")});
  for (int second = 1; second <= 6; ++second)
    entries.emplace_back(
        SnapshotEntry{1, example::At(std::chrono::seconds(second), 755, 2), example::DecodeLimits()});
  if (!(*writer)->Write(entries)) std::abort();
  if (!(*writer)->Finish(example::kStart, sluice::Nanos(0), "finished")) std::abort();
}

std::vector<char> WholeSession() {
  const std::string path = PathOf("-whole");
  WriteWhole(path);
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return bytes;
}

bool ReadAll(const std::string& path) {
  const auto session = SessionReader::Open(path);
  if (!session) return false;
  const auto page = SessionPage(*session);
  const auto comparison = CompareSessions(*session, *session);
  if (comparison) static_cast<void>(ComparisonText(*comparison, {}));
  return page && comparison;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<char> whole = WholeSession();
  static const std::string path = PathOf("");
  std::vector<char> bytes = whole;
  for (std::size_t i = 0; i + 2 < size; i += 3) {
    const std::size_t place = data[i] + 256U * data[i + 1];
    bytes[place % bytes.size()] = static_cast<char>(data[i + 2]);
  }
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const bool readable = ReadAll(path);
  if (size < 3 && !readable) std::abort();
  return 0;
}
