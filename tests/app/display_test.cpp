#include "loop/display.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "app/scripted.h"
#include "sluice/base/check.h"

namespace sluice::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Standard output, redirected into a file for the life of this object.
class CapturedOutput {
 public:
  CapturedOutput() : file_(std::tmpfile()), saved_(dup(STDOUT_FILENO)) {
    SLUICE_CHECK(file_ != nullptr);
    std::fflush(stdout);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  ~CapturedOutput() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    std::fclose(file_);
  }
  [[nodiscard]] std::string text() const {
    std::fflush(stdout);
    std::string text(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), '\0');
    const auto got = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

 private:
  std::FILE* file_;
  int saved_;
};

std::size_t CountLines(const std::string& text, const std::string& with) {
  std::size_t count = 0;
  for (std::size_t at = text.find(with); at != std::string::npos; at = text.find(with, at + 1)) ++count;
  return count;
}

class DisplayTest : public testing::Test {
 protected:
  DisplayTest() { plant_.rate = 10; }

  std::string Shown(Display::Kind kind, int steps, std::optional<MonoTime> started = {}) {
    CapturedOutput output;
    Display display(kind, "jpeg", "tuning", started);
    for (int i = 0; i < steps; ++i) {
      agent_.Step();
      display.Show(agent_);
    }
    display.Close(agent_);
    return output.text();
  }

  ScriptedPlant plant_;
  ScriptedController controller_;
  Agent agent_{plant_, &controller_};
};

TEST_F(DisplayTest, QuietSaysNothing) {
  controller_.script = {Widen(1, 1, 2)};
  EXPECT_THAT(Shown(Display::Kind::kQuiet, 50), IsEmpty());
}

TEST_F(DisplayTest, LinesComeOncePerSecondHoweverOftenItIsCalled) {
  EXPECT_EQ(CountLines(Shown(Display::Kind::kLines, 41), "t="), 4U);
}

TEST_F(DisplayTest, ADecisionIsToldWhenMadeAndAgainWithItsFate) {
  Decision fate;
  fate.outcomes = {{1, Fate::kKept, Rate{9}}};
  controller_.script = {Widen(1, 1, 2), {}, {}, fate};
  const std::string text = Shown(Display::Kind::kLines, 8);
  EXPECT_EQ(CountLines(text, "decode.workers 1"), 2U) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("trial"), HasSubstr("kept")));
}

TEST_F(DisplayTest, TimesCountFromTheRunsStartWhenItBeganBefore) {
  controller_.script = {Widen(1, 1, 2)};
  EXPECT_THAT(Shown(Display::Kind::kLines, 1, kRunStart - std::chrono::seconds(30)), StartsWith("30.1s  "));
}

TEST_F(DisplayTest, TheTableHidesTheCursorAndGivesItBack) {
  const std::string text = Shown(Display::Kind::kTable, 10);
  EXPECT_THAT(text, StartsWith("\x1b[?25l"));
  EXPECT_THAT(text, AllOf(HasSubstr("jpeg"), HasSubstr("tuning"), HasSubstr("decode")));
  EXPECT_THAT(text, testing::EndsWith("\x1b[?25h"));
}

TEST_F(DisplayTest, NoticesThatNobodyReads) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::signal(SIGPIPE, SIG_IGN);
  const int saved = dup(STDOUT_FILENO);
  std::fflush(stdout);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  bool unread_at_first = true;
  bool unread = false;
  {
    Display display(Display::Kind::kLines, "jpeg", "tuning");
    unread_at_first = display.unread();
    for (int i = 0; i < 20; ++i) {
      agent_.Step();
      display.Show(agent_);
    }
    unread = display.unread();
  }
  dup2(saved, STDOUT_FILENO);
  close(saved);
  EXPECT_FALSE(unread_at_first);
  EXPECT_TRUE(unread);
}

TEST(StyleOf, APipeHasNoColours) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(StyleOf(ends[1]).colour);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace sluice::app
