#include "sluice/exporters/terminal_screen.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sluice::exporters {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Terminal {
 public:
  Terminal(unsigned short width, unsigned short height) {
    winsize size{height, width, 0, 0};
    EXPECT_EQ(openpty(&outer_, &inner_, nullptr, nullptr, &size), 0);
  }
  ~Terminal() {
    close(outer_);
    close(inner_);
  }
  void Resize(unsigned short width, unsigned short height) const {
    const winsize size{height, width, 0, 0};
    ioctl(outer_, TIOCSWINSZ, &size);
  }
  int fd() const { return inner_; }
  // What has been written since the last call.
  std::string Read() const {
    std::string text;
    char part[4096];
    pollfd ready{outer_, POLLIN, 0};
    while (poll(&ready, 1, 50) == 1 && (ready.revents & POLLIN) != 0) {
      const ssize_t n = read(outer_, part, sizeof part);
      if (n <= 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int outer_ = -1;
  int inner_ = -1;
};

TEST(RedrawBytes, GoesUpClearsEachLineAndWhatIsBelow) {
  EXPECT_EQ(RedrawBytes(2, {"one", "two"}, {80, 24}), "\x1b[2A\r\x1b[Kone\r\n\x1b[Ktwo\r\n\x1b[J");
  EXPECT_EQ(RedrawBytes(0, {}, {80, 24}), "\r\x1b[J");
}

TEST(RedrawBytes, LeavesOutLinesThatWouldScrollTheWindow) {
  const std::string bytes = RedrawBytes(0, {"one", "two", "three"}, {80, 2});
  EXPECT_THAT(bytes, HasSubstr("two"));
  EXPECT_THAT(bytes, Not(HasSubstr("three")));
}

TEST(TerminalScreen, HidesTheCursorAndGivesItBack) {
  const Terminal terminal(80, 24);
  {
    const TerminalScreen screen(terminal.fd());
    EXPECT_EQ(terminal.Read(), "\x1b[?25l");
  }
  EXPECT_EQ(terminal.Read(), "\x1b[?25h");
}

TEST(TerminalScreen, RedrawsInPlace) {
  const Terminal terminal(80, 24);
  TerminalScreen screen(terminal.fd());
  screen.Draw({"one", "two", "three"});
  EXPECT_THAT(terminal.Read(), Not(HasSubstr("A\r")));
  screen.Draw({"four"});
  EXPECT_THAT(terminal.Read(), StartsWith("\x1b[3A\r"));
  screen.Erase();
  EXPECT_EQ(terminal.Read(), "\x1b[1A\r\x1b[J");
}

TEST(TerminalScreen, FollowsTheWindowsSize) {
  const Terminal terminal(100, 30);
  TerminalScreen screen(terminal.fd());
  EXPECT_EQ(screen.Size().width, 100);
  EXPECT_EQ(screen.Size().height, 29) << "the last row is the cursor's";
  screen.Draw({"\x1b[31m" + std::string(90, 'x') + "\x1b[0m", "y"});
  terminal.Resize(40, 30);
  static_cast<void>(terminal.Read());
  screen.Draw({"z"});
  EXPECT_THAT(terminal.Read(), StartsWith("\x1b[4A\r")) << "90 columns now take three rows";
}

TEST(TerminalScreen, IsNoTerminalWhenPiped) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(TerminalScreen::IsTerminal(ends[1]));
  TerminalScreen screen(ends[1]);
  EXPECT_EQ(screen.Size().width, 80);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace sluice::exporters
