// KeyQueue: keys and characters as they were typed, so that a tap that is shorter than a frame reaches ImGui,
// and a character not before the keys that came before it: this version of it looks at which keys are down,
// once a frame, and sees nothing of a key that went down and up in between. One thread.
#pragma once
#include <deque>
#include <vector>

namespace sluice::ui {

struct KeyEvent {
  int key = 0, scancode = 0, action = 0, mods = 0;
  unsigned int character = 0;  // else it is a key
};

class KeyQueue {
 public:
  void Add(KeyEvent event) { waiting_.push_back(event); }
  void AddCharacter(unsigned int character) { waiting_.push_back({.action = 1, .character = character}); }
  // What the next frame may see: all up to the first change from presses to releases or back.
  [[nodiscard]] std::vector<KeyEvent> Take() {
    std::vector<KeyEvent> run;
    while (!waiting_.empty() && (run.empty() || (run.back().action == 0) == (waiting_.front().action == 0))) {
      run.push_back(waiting_.front());
      waiting_.pop_front();
    }
    return run;
  }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

 private:
  std::deque<KeyEvent> waiting_;
};

}  // namespace sluice::ui
