#include "core_flag.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "sluice/base/fd.h"
#include "sluice/probes/proc_files.h"
#include "standard_files.h"

namespace sluice::wrap {
namespace {

constexpr rlim_t kSmallestCore = 4096;  // the kernel makes no smaller one
constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 1'000'000};

bool LimitCore(rlim_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max < size) return false;
  limit.rlim_cur = size;
  return setrlimit(RLIMIT_CORE, &limit) == 0;
}

bool DumpNoMemory() {
  const Fd filter(open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC));
  return filter.valid() && write(filter.get(), "0", 1) == 1;
}

// A process of its own removes the folder once this one has ended.
bool RemoveAtEnd(const std::string& folder) {
  const pid_t parent = getpid();
  const pid_t helper = fork();
  if (helper != 0) return helper > 0;
  setsid();
  NullFiles(STDIN_FILENO, STDERR_FILENO);
  while (getppid() == parent) nanosleep(&kLook, nullptr);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  _exit(0);
}

}  // namespace

bool GoesToWorkingFolder(std::string_view core_pattern) {
  const auto first = core_pattern.find_first_not_of(" \t\n");
  return first == 0 && core_pattern[0] != '|' && core_pattern[0] != '@' &&
         core_pattern.find('/') == std::string_view::npos;
}

void AllowNoCore() {
  LimitCore(0);
  prctl(PR_SET_DUMPABLE, 0);
}

bool AllowEmptyCore() {
  const auto pattern = probes::ReadSmallFile("/proc/sys/kernel/core_pattern");
  if (!pattern || !GoesToWorkingFolder(*pattern) || !DumpNoMemory() || !LimitCore(kSmallestCore))
    return false;
  std::string folder = std::filesystem::temp_directory_path() / "sluice-core-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return false;
  if (chdir(folder.c_str()) == 0 && RemoveAtEnd(folder)) return true;
  rmdir(folder.c_str());
  return false;
}

}  // namespace sluice::wrap
