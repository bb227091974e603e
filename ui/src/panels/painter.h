// Painter: draws with the colours of a theme on ImGui's list of the window that is open. One thread; lives
// for a frame.
#pragma once
#include <imgui.h>

#include <string>
#include <vector>

#include "sluice/ui/palette.h"
#include "sluice/ui/place.h"

namespace sluice::ui {

enum class Side : std::uint8_t { kLeft, kMiddle, kRight };

// Those of the window, at its scale.
struct Fonts {
  ImFont* normal = nullptr;
  ImFont* bold = nullptr;
  ImFont* large = nullptr;  // bold
};

class Painter {
 public:
  Painter(Theme theme, float scale, const Fonts& fonts) : theme_(theme), scale_(scale), fonts_(fonts) {}

  void Fill(Box box, Paint paint, float rounding = 0) const;
  void Tint(Box box, Paint paint) const;  // so that what is below still shows
  void Frame(Box box, Paint paint, float thickness = 1) const;
  void Line(Point from, Point to, Paint paint, float thickness = 1) const;
  void Bend(Point from, Point a, Point b, Point to, Paint paint) const;
  void Strokes(const std::vector<Stroke>& strokes, Paint paint) const;
  // One line, cut at the box.
  void Text(Box box, Paint paint, const std::string& text, Side side = Side::kLeft,
            ImFont* font = nullptr) const;
  // A name on the left and its value on the right; a name that is too long for both is cut.
  void Pair(Box box, Paint name_paint, const std::string& name, const std::string& value,
            ImFont* font = nullptr) const;
  // As many lines as fit. Returns the height of all.
  float Paragraph(Box box, Paint paint, const std::string& text) const;

  // Whether the pointer is on the box.
  [[nodiscard]] bool IsPointedAt(Box box) const;
  // Lines beside the pointer while it is on the box. Returns whether it is.
  bool Tip(Box box, const std::vector<std::string>& lines) const;
  // Whether it was clicked.
  [[nodiscard]] bool Click(const std::string& id, Box box) const;

  // The same, and drawn. Who may not press it sees it faint.
  [[nodiscard]] bool Button(const std::string& label, Box box, bool enabled) const;

  [[nodiscard]] float scale() const { return scale_; }
  [[nodiscard]] const Fonts& fonts() const { return fonts_; }
  [[nodiscard]] ImU32 ColourFor(Paint paint, float opacity = 1) const;

 private:
  Theme theme_;
  float scale_;
  const Fonts& fonts_;
};

}  // namespace sluice::ui
