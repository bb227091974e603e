#include "ui/child_process.h"

#include <gmock/gmock.h>

#include <csignal>
#include <optional>
#include <thread>

#include "sluice/base/clock.h"

namespace sluice::app {
namespace {

using namespace std::chrono_literals;

ChildProcess Shell(const std::string& script) {
  auto child = ChildProcess::Start("/bin/sh", {"-c", script});
  EXPECT_TRUE(child) << child.error().message;
  return std::move(*child);
}

int EndOf(ChildProcess& child) {
  std::optional<int> ended;
  for (const MonoTime begin = MonoNow(); !(ended = child.Poll()) && MonoNow() - begin < 60s;)
    std::this_thread::yield();
  return ended.value_or(-1);
}

void UntilSaid(ChildProcess& child, const std::string& what) {
  for (const MonoTime begin = MonoNow(); !child.said().contains(what) && MonoNow() - begin < 60s;)
    EXPECT_EQ(child.Poll(), std::nullopt);
  ASSERT_THAT(child.said(), testing::HasSubstr(what));
}

TEST(ChildProcess, TellsItsStatusAndWhatItSaid) {
  ChildProcess child = Shell("echo not this; echo this >&2; exit 3");
  EXPECT_EQ(EndOf(child), 3);
  EXPECT_EQ(child.said(), "this\n");
  EXPECT_EQ(child.Poll(), 3) << "again";
}

TEST(ChildProcess, KeepsTheEndOfWhatItSaid) {
  ChildProcess child = Shell("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done");
  EXPECT_EQ(EndOf(child), 0);
  EXPECT_LE(child.said().size(), 4096u);
  EXPECT_THAT(child.said(), testing::EndsWith("line 2999\n"));
}

TEST(ChildProcess, IsInterruptedAndKilledWhereItDoesNotListen) {
  ChildProcess child = Shell("trap 'exit 7' INT; echo ready >&2; while :; do sleep 0.01; done");
  UntilSaid(child, "ready");
  child.Interrupt();
  EXPECT_EQ(EndOf(child), 7);
  pid_t deaf = 0;
  {
    ChildProcess other = Shell("trap '' INT; echo ready >&2; while :; do sleep 0.01; done");
    UntilSaid(other, "ready");
    deaf = other.pid();
  }
  EXPECT_EQ(kill(deaf, 0), -1) << "it does not outlive what started it";
}

TEST(ChildProcess, IsInterruptedWhereThisProcessIgnoresThat) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  ChildProcess child = Shell("echo ready >&2; while :; do sleep 0.01; done");
  UntilSaid(child, "ready");
  child.Interrupt();
  EXPECT_EQ(EndOf(child), 128 + SIGINT);
  std::signal(SIGINT, before);
}

TEST(ChildProcess, SaysThatAProgramIsNotThere) {
  auto child = ChildProcess::Start("/nonexistent/program", {});
  ASSERT_TRUE(child);
  EXPECT_EQ(EndOf(*child), 127);
  EXPECT_THAT(child->said(), testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace sluice::app
