#include "standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "sluice/base/check.h"
#include "sluice/base/fd.h"

namespace sluice::wrap {

void OccupyStandardFiles() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    const int got = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (got != fd && got >= 0) close(got);
  }
}

void NullFiles(int first, int last) {
  const Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = first; fd <= last && null.valid(); ++fd) dup3(null.get(), fd, O_CLOEXEC);
}

void CloseOthers(int keep) {
  SLUICE_CHECK(keep > STDERR_FILENO);
  const auto kept = static_cast<unsigned>(keep);
  if (kept > STDERR_FILENO + 1) close_range(STDERR_FILENO + 1, kept - 1, 0);
  close_range(kept + 1, std::numeric_limits<unsigned>::max(), 0);
}

}  // namespace sluice::wrap
