#include "sluice/probes/psi.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "machine/cgroup_paths.h"
#include "sluice/probes/proc_files.h"

namespace sluice::probes {
namespace {

std::string_view NameOf(Resource resource) {
  switch (resource) {
    case Resource::kCpu:
      return "cpu";
    case Resource::kMemory:
      return "memory";
    case Resource::kIo:
      return "io";
  }
  return "";
}

std::optional<double> Value(std::string_view word, std::string_view key) {
  if (!word.starts_with(key)) return std::nullopt;
  word.remove_prefix(key.size());
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || rest != word.data() + word.size() || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<PressureLine> ParseLine(std::string_view line) {
  const auto avg10 = Value(TakeWord(line), "avg10=");
  const auto avg60 = Value(TakeWord(line), "avg60=");
  const auto avg300 = Value(TakeWord(line), "avg300=");
  const auto micros = Value(TakeWord(line), "total=");
  if (!avg10 || !avg60 || !avg300 || !micros || *micros > 9e15) return std::nullopt;
  const auto total = std::chrono::microseconds(static_cast<std::int64_t>(*micros));
  return PressureLine{{*avg10 / 100}, {*avg60 / 100}, {*avg300 / 100}, total};
}

Result<Pressure> ReadFrom(const std::string& path) {
  const auto text = ReadSmallFile(path);
  if (!text) {
    return Fail(fmt::format("{}: cannot be read; the kernel needs CONFIG_PSI and no psi=0", path));
  }
  auto parsed = ParsePressure(*text);
  if (!parsed) return Fail(fmt::format("{}: {}", path, parsed.error().message));
  return parsed;
}

std::optional<PressureTime> TimeOf(const Result<Pressure>& pressure) {
  if (!pressure) return std::nullopt;
  return PressureTime{pressure->some.total,
                      pressure->full.transform([](const PressureLine& line) { return line.total; })};
}

// `folder`/cpu`suffix`, and so on.
PressureTimes TimesIn(const std::string& folder, const char* suffix, std::string origin) {
  const auto of = [&](Resource resource) {
    return TimeOf(ReadFrom(fmt::format("{}/{}{}", folder, NameOf(resource), suffix)));
  };
  PressureTimes times{
      .origin = {}, .cpu = of(Resource::kCpu), .memory = of(Resource::kMemory), .io = of(Resource::kIo)};
  if (times.cpu || times.memory || times.io) times.origin = std::move(origin);
  return times;
}

}  // namespace

Result<Pressure> ParsePressure(std::string_view text) {
  const auto some = FindLine(text, "some");
  const auto some_line = some ? ParseLine(*some) : std::nullopt;
  if (!some_line) return Fail("no line 'some avg10=... avg60=... avg300=... total=...'");
  const auto full = FindLine(text, "full");
  return Pressure{*some_line, full ? ParseLine(*full) : std::nullopt};
}

Result<Pressure> ReadPressure(Resource resource, const std::string& root) {
  return ReadFrom(fmt::format("{}/proc/pressure/{}", root, NameOf(resource)));
}

Result<Pressure> ReadGroupPressure(Resource resource, int pid, const std::string& root) {
  // No v1 controller has this name, so what is found is the v2 hierarchy.
  const auto found = ReadCgroupFolders(pid, "", root);
  if (found.folders.empty())
    return Fail("no cgroup v2 hierarchy is mounted: control groups have no pressure");
  return ReadFrom(fmt::format("{}/{}.pressure", found.folders.front(), NameOf(resource)));
}

PressureTimes ReadPressureTimes(int pid, const std::string& root) {
  const auto found = ReadCgroupFolders(pid, "", root);
  if (!found.folders.empty()) {
    auto times = TimesIn(found.folders.front(), ".pressure", "cgroup " + found.names.front());
    if (!times.origin.empty()) return times;
  }
  return TimesIn(root + "/proc/pressure", "", "/proc/pressure");
}

}  // namespace sluice::probes
