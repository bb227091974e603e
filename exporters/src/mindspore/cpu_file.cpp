#include "mindspore/cpu_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindspore/profile_json.h"

namespace sluice::exporters {
namespace {

constexpr std::int64_t kMostCpus = 1 << 16;
constexpr std::int64_t kMostPercent = 65535;  // the writer's type
constexpr double kMostMegabytes = 1e9;
constexpr double kSlack = 1.25;  // ticks of 10 ms, and a look takes its time

// In older versions the first look has a time and no figures: the last of both belong together.
template <typename Put>
void FromTheEnd(std::size_t values, std::size_t times, const Put& put) {
  const std::size_t both = std::min(values, times);
  for (std::size_t back = 1; back <= both; ++back) put(times - back, values - back);
}

CoreSamples ReadCores(const ProfileField& metrics, CpuFile& file) {
  const auto user = metrics["user_utilization"].Wholes(-kMostPercent, kMostPercent);
  const auto system = metrics["sys_utilization"].Wholes(-kMostPercent, kMostPercent);
  if (user.size() != system.size())
    metrics.Refuse(
        fmt::format("has {} samples of user time and {} of system time", user.size(), system.size()));
  CoreSamples cores(file.times.size());
  FromTheEnd(std::min(user.size(), system.size()), file.times.size(),
             [&](std::size_t time, std::size_t value) {
               const double used = static_cast<double>(user[value] + system[value]) / 100;
               if (used >= 0 && used <= kSlack * file.cpus) {
                 cores[time] = used;
               } else {
                 ++file.impossible;
               }
             });
  return cores;
}

std::optional<Bytes> Megabytes(double amount) {
  return Bytes{std::llround(amount * 1024 * 1024)};
}

void ReadTimes(const ProfileField& field, CpuFile& file) {
  file.times = field.Wholes(0, kLatestMoment);
  if (file.times.empty()) field.Refuse("holds no time: nothing was sampled");
  if (std::ranges::adjacent_find(file.times, std::greater_equal<>()) != file.times.end())
    field.Refuse("does not rise from each look to the next");
  if (!file.times.empty() && file.times.back() - file.times.front() > kLongestProfile)
    field.Refuse("spans more than a year");
}

void ReadMemory(const ProfileField& root, CpuFile& file) {
  const ProfileField resident = root["process_memory_info"]["rss_mbytes"];
  if (resident.present()) {
    const auto values = resident.Reals(0, kMostMegabytes);
    file.resident.resize(file.times.size());
    FromTheEnd(values.size(), file.times.size(),
               [&](std::size_t time, std::size_t value) { file.resident[time] = Megabytes(values[value]); });
  }
  const ProfileField total = root["system_memory_info"]["total_sys_memory_mbytes"];
  if (total.present() && total.size() > 0) file.memory = Megabytes(total.At(0).Real(0, kMostMegabytes));
}

}  // namespace

Result<CpuFile> ParseCpuFile(const ProfileFile& text) {
  auto json = ProfileJson::Parse(text.path, text.text);
  if (!json) return std::unexpected(json.error());
  const ProfileField root = json->root();
  CpuFile file;
  file.cpus = static_cast<int>(root["cpu_processor_num"].Whole(1, kMostCpus));
  ReadTimes(root["time_stamp"], file);
  const ProfileField ops = root["op_info"];
  const std::size_t count = ops.size();
  for (std::size_t i = 0; i < count && !json->error(); ++i) {
    // -1 are threads of no op.
    const std::int64_t id = ops.At(i)["op_id"].Whole(-1, std::numeric_limits<std::int32_t>::max());
    if (id >= 0) file.ops[id] = ReadCores(ops.At(i)["metrics"], file);
  }
  if (root["process_info"].present()) file.process = ReadCores(root["process_info"], file);
  ReadMemory(root, file);
  if (const auto& error = json->error()) return std::unexpected(*error);
  return file;
}

}  // namespace sluice::exporters
