// RunForm: the form of a run that is about to be started: its settings are typed, the run begins, and there
// is something to see of it.
//
// One thread; draws with ImGui. All keys that type something, and those that go with fields, are its own.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "panels/panels.h"
#include "sluice/ui/feed.h"
#include "sluice/ui/keys.h"
#include "sluice/ui/plan.h"

namespace sluice::ui {

class RunForm {
 public:
  // `desk` outlives it.
  RunForm(Desk& desk, Plan plan);

  // Looks after what begins. Returns whether there is something else to be drawn.
  bool Poll();
  void Press(Key key);
  void Type(unsigned int character);
  // "Start mixed", "Starting mixed", "Not started: mixed".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string command() const { return desk_.CommandOf(plan_); }
  // Says that it can be pasted.
  void NoteCopied();
  void Draw(const Painter& painter, float height);

  struct Begun {
    std::unique_ptr<Started> run;
    Opened opened;
  };
  // Once, when there is something to see.
  [[nodiscard]] std::optional<Begun> TakeBegun();
  // The user wants to go back.
  [[nodiscard]] bool closed() const { return closed_; }
  // The command was clicked for, once.
  [[nodiscard]] bool TakeCopy();

 private:
  void Start();
  void Close();

  Desk& desk_;
  Plan plan_;
  std::string note_;
  std::unique_ptr<Started> starting_;
  std::optional<Begun> begun_;
  bool moved_ = false;  // the chosen field, since the last frame
  bool failed_ = false;
  bool copy_ = false;
  bool closed_ = false;
};

}  // namespace sluice::ui
