// One file of /proc of any bytes, through every parser of such files: what is read is within bounds.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core_flag.h"
#include "input.h"
#include "process_files.h"
#include "sluice/base/check.h"
#include "sluice/probes/machine_shape.h"
#include "sluice/probes/proc_files.h"
#include "sluice/probes/process_memory.h"
#include "sluice/probes/worker_threads.h"
#include "stopped_waker.h"

namespace {

using namespace sluice;  // NOLINT

void CheckStat(std::string_view text) {
  const std::string before_nul(text.substr(0, text.find('\0')));
  const bool stopped = wrap::SaysStopped(before_nul.c_str());
  if (const auto same = probes::ParseProcStat(before_nul); same && stopped)
    SLUICE_CHECK(same->state == 'T' || same->state == 't');
  const auto stat = probes::ParseProcStat(text);
  if (!stat) return;
  SLUICE_CHECK(text.find(stat->name) != text.npos);
  SLUICE_CHECK(stat->resident_pages >= 0 && stat->major_faults >= 0);
}

void CheckSched(std::string_view text) {
  const auto sched = probes::ParseSchedStat(text);
  if (sched) SLUICE_CHECK(sched->on_cpu >= Nanos(0) && sched->runnable >= Nanos(0));
}

void CheckMemory(std::string_view text) {
  if (const auto memory = probes::ParseSmapsRollup(text))
    SLUICE_CHECK(memory->proportional >= Bytes{0} && memory->own >= Bytes{0});
  if (const auto resident = probes::ParseResident(text, 4096)) SLUICE_CHECK(*resident >= Bytes{0});
  if (const auto available = probes::FindCount(text, "MemAvailable", 1024)) SLUICE_CHECK(*available >= 0);
}

void CheckCpus(std::string_view text) {
  const auto even = probes::ParseCpuTimes(text, [](int cpu) { return cpu % 2 == 0; });
  const auto all = probes::ParseCpuTimes(text, [](int) { return true; });
  SLUICE_CHECK(!even || all);
  const auto count = probes::CountCpuList(probes::FindLine(text, "Cpus_allowed_list").value_or(text));
  SLUICE_CHECK(!count || *count > 0);
}

void CheckIo(std::string_view text) {
  const auto io = wrap::ParseProcessIo(text);
  if (!io) return;
  SLUICE_CHECK(io->read >= Bytes{0} && io->written >= Bytes{0});
  SLUICE_CHECK(io->storage_read >= Bytes{0} && io->storage_written >= Bytes{0});
}

void CheckLines(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t before = rest.size();
    std::string_view line = probes::TakeLine(rest);
    SLUICE_CHECK(line.find('\n') == line.npos && rest.size() < before);
    while (!line.empty()) static_cast<void>(probes::TakeWord(line));
  }
  static_cast<void>(probes::ParseInteger(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::Text(data, size);
  CheckLines(text);
  CheckStat(text);
  CheckSched(text);
  CheckMemory(text);
  CheckCpus(text);
  CheckIo(text);
  SLUICE_CHECK(probes::CpuModel(text).find('\n') == std::string::npos);
  static_cast<void>(probes::ThreadedLibraries(text));
  static_cast<void>(wrap::HasVariable(text, "SLUICE_WRAPPED_BY=100-500"));
  if (wrap::GoesToWorkingFolder(text)) SLUICE_CHECK(text.find('/') == text.npos);
  return 0;
}
