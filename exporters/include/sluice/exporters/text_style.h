// TextStyle: what the reader's screen or file can show. Every renderer of this module takes one.
#pragma once

namespace sluice::exporters {

struct TextStyle {
  int width = 100;      // columns; no line is wider
  int height = 24;      // lines; only the live table looks at it
  bool colour = false;  // ANSI colours; nothing is told by colour alone
  bool unicode = true;  // false: ASCII only
};

}  // namespace sluice::exporters
