#include "sluice/exporters/terminal_screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr const char* kHideCursor = "\x1b[?25l";
constexpr const char* kShowCursor = "\x1b[?25h";
constexpr const char* kClearLine = "\x1b[K";
constexpr const char* kClearBelow = "\x1b[J";

std::string CursorUp(int rows) {
  return rows > 0 ? "\x1b[" + std::to_string(rows) + "A\r" : "\r";
}

// Of a line as the renderers make it: text and colour sequences "ESC [ ... m".
int PaintedWidth(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b') {
      at = std::min(line.find('m', at), line.size());
    } else {
      text += line[at];
    }
  }
  return DisplayWidth(text);
}

std::size_t Shown(const std::vector<std::string>& lines, ScreenSize size) {
  return std::min(lines.size(), static_cast<std::size_t>(std::max(size.height, 1)));
}

}  // namespace

std::string RedrawBytes(int rows_above, const std::vector<std::string>& lines, ScreenSize size) {
  std::string bytes = CursorUp(rows_above);
  for (std::size_t i = 0; i < Shown(lines, size); ++i) {
    // Cleared first: after a line as wide as the window, clearing would eat its last character.
    bytes.append(kClearLine).append(lines[i]).append("\r\n");
  }
  return bytes + kClearBelow;
}

TerminalScreen::TerminalScreen(int fd) : fd_(fd) {
  Write(kHideCursor);
}

TerminalScreen::~TerminalScreen() {
  Write(kShowCursor);
}

bool TerminalScreen::IsTerminal(int fd) {
  return isatty(fd) == 1;
}

ScreenSize TerminalScreen::Size() const {
  return SizeOf(fd_);
}

ScreenSize TerminalScreen::SizeOf(int fd) {
  winsize window{};
  if (ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {window.ws_col, std::max(window.ws_row - 1, 1)};
}

void TerminalScreen::Draw(const std::vector<std::string>& lines) {
  const ScreenSize size = Size();
  Write(RedrawBytes(RowsAbove(size), lines, size));
  widths_.clear();
  for (std::size_t i = 0; i < Shown(lines, size); ++i) widths_.push_back(PaintedWidth(lines[i]));
}

void TerminalScreen::Erase() {
  Write(CursorUp(RowsAbove(Size())) + kClearBelow);
  widths_.clear();
}

// Lines wrap when the window has become narrower since they were drawn.
int TerminalScreen::RowsAbove(ScreenSize size) const {
  int rows = 0;
  for (const int width : widths_) rows += std::max(1, (width + size.width - 1) / size.width);
  return std::min(rows, size.height);
}

void TerminalScreen::Write(const std::string& bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) return;  // a terminal that has gone is no reason to stop the run
    done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
  }
}

}  // namespace sluice::exporters
