// Frame: what is in the window: the start page, a feed or two runs, and what the user has chosen. Makes the
// views of each frame, lets the panels draw them, and does what the user has done to them.
//
// One thread; needs ImGui's context. Knows neither GLFW nor OpenGL.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panels/panels.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/window.h"
#include "window/run_form.h"
#include "window/start_page.h"

namespace sluice::ui {

class Frame {
 public:
  // `desk` outlives it. `feed` null: the start page. A comparison or a plan that is wished for is shown
  // before it.
  Frame(Desk& desk, std::unique_ptr<Feed> feed, const WindowWish& wish);

  // Takes in what is new. Returns whether there is something else to be drawn.
  bool Poll(MonoTime now);
  // A key went down. While the user types, nothing happens to those that are for fields.
  void Press(Key key);
  // A character was typed that is not meant for a field. `pressed`: see KeyTyping.
  void Type(unsigned int character, int pressed);
  // REQUIRES: between ImGui::NewFrame and ImGui::Render.
  void Draw(float width, float height, const Fonts& fonts);

  [[nodiscard]] const Choice& choice() const { return choice_; }
  [[nodiscard]] std::string title() const;
  // What is typed goes into a field.
  [[nodiscard]] bool typing() const;
  // ImGui has not yet given the keys to that field: what is typed must wait.
  [[nodiscard]] bool focusing() const { return focusing_ > 0; }
  // All that is typed goes into the palette, or into the form of a run.
  [[nodiscard]] bool takes_all_keys() const { return commanding_ || form_; }
  // What is shown moves by itself.
  [[nodiscard]] bool moving() const { return choice_.playing; }
  [[nodiscard]] bool closing() const { return closing_; }
  // The file of a picture that the user wants of what was just drawn, once; empty: none.
  [[nodiscard]] std::string TakePictureWish();
  void NoteFailure(const std::string& what) { note_ = what; }

 private:
  void Open(std::unique_ptr<Feed> feed, const std::string& name);
  void Refresh();
  [[nodiscard]] bool PollPage(MonoTime now);
  [[nodiscard]] bool Play(MonoTime now);
  // Of what is shown: of the feed, or of two runs.
  [[nodiscard]] TimeRange AllShown() const;
  void Do(Action action);
  void Do(const Command& command);
  void PressInPalette(Key key);
  [[nodiscard]] std::vector<Command> Rows() const;
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
  void DrawPalette(const Painter& painter, float width, float height);
  void ToStartPage();
  void Export();
  void Choose(const StartEntry& entry);
  [[nodiscard]] bool DoOnStart(Action action);
  void DrawStartPage(const Painter& painter);
  void DrawForm(const Painter& painter, float height);
  void BeginForm(const std::string& scenario);
  void ShowBegun(RunForm::Begun begun);
  // The run that is shown, where this window has started it and it goes on.
  [[nodiscard]] Started* Own() const;
  [[nodiscard]] Page page() const;
  // Of the pages on which two runs are compared, or will be. False: it is something else.
  [[nodiscard]] bool DoCompare(Action action);
  void BeginToChoose();
  void GoBack();
  void CompareWith(const std::string& file);
  void DrawPair(const Painter& painter, float width, float height);
  [[nodiscard]] TimeRange Shown() const;

  static constexpr int kFocusing =
      6;  // frames; it takes 2, and some more where a window has just been closed

  Desk& desk_;
  std::unique_ptr<Feed> feed_;
  Choice choice_;
  Scene scene_;
  KeyMap keys_;
  std::string notice_;
  std::optional<CommandWish> commanding_;  // the palette is open
  bool row_moved_ = false;                 // in it, since the last frame
  std::string note_;                       // on the start page, or what has gone wrong
  StartPage start_;                        // its entries, or sessions to be compared with
  std::optional<RunForm> form_;
  std::vector<std::unique_ptr<Started>> started_;
  std::string opened_;  // what is shown, as in StartEntry
  std::optional<MonoTime> played_;
  std::optional<float> pressed_;  // where a button went down on the timeline
  Wish foretold_;                 // the forecast that was asked for last
  int focusing_ = 0;              // frames that ImGui may still take to give the keys to the filter
  bool closing_ = false;
  std::string exporting_;                 // files without their ends
  bool choosing_ = false;                 // what to compare with
  std::optional<Comparison> comparison_;  // the feed with another session
  std::size_t pair_ = 0;                  // of its pipelines the one that is looked at
};

}  // namespace sluice::ui
