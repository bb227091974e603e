#include "sluice/wrap/detached.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "probes/temp_folder.h"

namespace sluice::wrap {
namespace {

using namespace std::chrono_literals;

// A detached process keeps no file of whoever started it: it finds this one by its name.
void Say(const std::string& fifo, char word) {
  const Fd end(open(fifo.c_str(), O_WRONLY));
  (void)!write(end.get(), &word, 1);
}

char Hear(int fifo) {
  pollfd said{.fd = fifo, .events = POLLIN, .revents = 0};
  char word = '-';
  return poll(&said, 1, 10'000) == 1 && read(fifo, &word, 1) == 1 ? word : '-';
}

// A signal may end the command before it has become one, while nobody listens yet to who watches it.
TEST(Detached, StaysThoughWhatItWatchesEndsWhileItPrepares) {
  const probes::TempFolder folder;
  const std::string name = folder.path() + "/said";
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  const Fd fifo(open(name.c_str(), O_RDWR));
  const pid_t command = fork();
  if (command == 0) {
    const ProcessWatch itself(getpid());
    (void)StartDetached(
        [&] {
          Say(name, 'p');
          (void)ProcessWatch(itself.pid()).EndsWithin(60s);
        },
        [&](const ProcessWatch& watched) { Say(name, watched.EndsWithin(60s) ? 's' : 'l'); });
    _exit(0);
  }
  ASSERT_EQ(Hear(fifo.get()), 'p');
  kill(command, SIGKILL);
  waitpid(command, nullptr, 0);
  EXPECT_EQ(Hear(fifo.get()), 's');
}

}  // namespace
}  // namespace sluice::wrap
