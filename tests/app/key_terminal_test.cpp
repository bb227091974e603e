#include "loop/key_terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/fd.h"

namespace sluice::app {
namespace {

constexpr Nanos kDeadline = std::chrono::seconds(60);  // only ever reached by a failure

struct PseudoTerminal {
  PseudoTerminal() {
    int user = -1, program = -1;
    if (openpty(&user, &program, nullptr, nullptr, nullptr) != 0) return;
    users = Fd(user);
    programs = Fd(program);
  }
  void Type(std::string_view keys) const {
    ASSERT_EQ(write(users.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  [[nodiscard]] termios Modes() const {
    termios modes{};
    tcgetattr(programs.get(), &modes);
    return modes;
  }

  Fd users, programs;
};

TEST(KeyTerminal, TellsKeysAtOnceAndGivesTheModesBack) {
  const PseudoTerminal terminal;
  const termios before = terminal.Modes();
  {
    KeyTerminal keys(terminal.programs.get());
    EXPECT_EQ(keys.Wait(Nanos(0)), "");
    terminal.Type("k");
    EXPECT_EQ(keys.Wait(kDeadline), "k");
    EXPECT_EQ(terminal.Modes().c_lflag & (ICANON | ECHO), 0U);
  }
  const termios after = terminal.Modes();
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_cc[VMIN], before.c_cc[VMIN]);
}

// As where a second signal ends the program while its loop looks for keys.
TEST(KeyTerminal, GivesTheModesBackForGood) {
  const PseudoTerminal terminal;
  const auto given = terminal.Modes().c_lflag & (ICANON | ECHO);
  for (int times = 0; times < 200; ++times) {
    KeyTerminal keys(terminal.programs.get());
    std::atomic<int> waits{0};
    std::atomic<bool> ends{false};
    std::thread loop([&] {
      for (; !ends.load(); ++waits) (void)keys.Wait(Nanos(0));
    });
    while (waits.load() < 3) std::this_thread::yield();
    KeyTerminal::GiveBack();
    for (const int seen = waits.load(); waits.load() < seen + 3;) std::this_thread::yield();
    EXPECT_EQ(terminal.Modes().c_lflag & (ICANON | ECHO), given);
    ends.store(true);
    loop.join();
  }
}

// Ctrl-C takes back the keys that were not read yet, also between the look for them and the reading.
TEST(KeyTerminal, GoesOnWhenAKeyIsTakenBack) {
  constexpr int kTimes = 20'000;
  const PseudoTerminal terminal;
  KeyTerminal keys(terminal.programs.get());
  std::atomic<int> waits{0};
  std::atomic<bool> typed{false}, stuck{false};
  std::thread user([&] {
    for (int i = 0; i < kTimes && !stuck; ++i) {
      const int until = waits + 2;
      terminal.Type("k");
      terminal.Type("\x03");
      const MonoTime end = MonoNow() + kDeadline;
      for (; waits < until && !stuck; std::this_thread::yield()) stuck = MonoNow() > end;
    }
    terminal.Type("k");  // lets a reading that hangs go on
    typed = true;
  });
  while (!typed) {
    (void)keys.Wait(Nanos(0));
    ++waits;
  }
  user.join();
  EXPECT_FALSE(stuck);
}

TEST(KeyTerminal, HasNoKeysOnceItHasHungUp) {
  PseudoTerminal terminal;
  KeyTerminal keys(terminal.programs.get());
  EXPECT_EQ(keys.Wait(Nanos(0)), "");
  terminal.users = Fd();
  EXPECT_EQ(keys.Wait(kDeadline), "");
  const MonoTime before = MonoNow();
  EXPECT_EQ(keys.Wait(std::chrono::milliseconds(20)), "");
  EXPECT_GE(MonoNow() - before, std::chrono::milliseconds(20)) << "it waits rather than burns";
}

}  // namespace
}  // namespace sluice::app
