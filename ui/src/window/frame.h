// Frame: what is in the window: the start page or a feed, and what the user has chosen. Makes the views of
// each frame, lets the panels draw them, and does what the user has done to them.
//
// One thread; needs ImGui's context. Knows neither GLFW nor OpenGL.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panels/panels.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/screen.h"

namespace sluice::ui {

class Frame {
 public:
  // `desk` outlives it. `feed` null: the start page.
  Frame(Desk& desk, std::unique_ptr<Feed> feed, Choice choice);

  // Takes in what is new. Returns whether there is something else to be drawn.
  bool Poll(MonoTime now);
  // A key went down. Nothing happens while the user types, but for Esc and what is with Ctrl.
  void Press(int key, bool control);
  // REQUIRES: between ImGui::NewFrame and ImGui::Render.
  void Draw(float width, float height, const Fonts& fonts);

  [[nodiscard]] const Choice& choice() const { return choice_; }
  [[nodiscard]] std::string title() const;
  // What is typed goes into a field.
  [[nodiscard]] bool typing() const;
  [[nodiscard]] bool closing() const { return closing_; }

 private:
  void Show(std::unique_ptr<Feed> feed);
  void Refresh();
  void Do(Action action);
  // What is asked of whoever tunes the run. False: it is something else.
  [[nodiscard]] bool AskFor(Action action);
  void ApplyKnob();
  void BoundKnob(bool least);
  void Foretell();
  void DrawFeed(const Painter& painter, float width, float height);
  void DrawGraph(const Painter& painter, Box room);
  void DrawTime(const Painter& painter, Box room);
  void DrawTables(const Painter& painter, const ScreenView& screen);
  void ShowRank(std::size_t rank);
  void DrawChosenKnob(const Painter& painter, Box box);
  void DrawStartPage(const Painter& painter);
  [[nodiscard]] TimeRange Shown() const;

  Desk& desk_;
  std::unique_ptr<Feed> feed_;
  Choice choice_;
  Scene scene_;
  std::string note_;  // on the start page, or what has gone wrong
  std::vector<StartList> lists_;
  std::optional<MonoTime> listed_;
  std::optional<float> pressed_;  // where a button went down on the timeline
  Wish foretold_;                 // the forecast that was asked for last
  int focusing_ = 0;              // frames until ImGui has given the keys to the filter
  bool closing_ = false;
};

}  // namespace sluice::ui
