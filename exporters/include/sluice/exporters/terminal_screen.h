// TerminalScreen: redraws a block of lines in place on a terminal, without the alternate screen, so that the
// scrollback stays and the last frame remains readable after the program has ended.
#pragma once
#include <string>
#include <vector>

namespace sluice::exporters {

// Room for a frame: the window less its last row, where the cursor stands; a line break there would scroll.
struct ScreenSize {
  int width = 80;
  int height = 23;
};

// The bytes that replace a frame by `lines` (each at most `size.width` wide, colours included). The cursor
// stands below the frame, `rows_above` terminal rows below its first one. Lines beyond `size.height`
// are left out.
[[nodiscard]] std::string RedrawBytes(int rows_above, const std::vector<std::string>& lines, ScreenSize size);

// One thread. Owns the cursor's visibility, not the file descriptor.
class TerminalScreen {
 public:
  explicit TerminalScreen(int fd);  // hides the cursor
  ~TerminalScreen();                // shows it again; the last frame stays
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  [[nodiscard]] static bool IsTerminal(int fd);
  [[nodiscard]] static ScreenSize SizeOf(int fd);
  // The room there is now; that of an 80 x 24 window where its size is unknown.
  [[nodiscard]] ScreenSize Size() const;
  // Replaces the frame. The terminal may have been resized since the last one.
  void Draw(const std::vector<std::string>& lines);
  // Takes the frame away, so that other text can follow in its place.
  void Erase();

 private:
  void Write(const std::string& bytes) const;
  [[nodiscard]] int RowsAbove(ScreenSize size) const;

  int fd_;
  std::vector<int> widths_;  // of the lines drawn last
};

}  // namespace sluice::exporters
