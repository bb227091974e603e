#include "window/run_form.h"

#include <utility>

namespace sluice::ui {
namespace {

constexpr const char* kHow =
    "Up and Down choose, typing changes, Left and Right step. Enter starts it, Esc goes back, Ctrl+C copies.";

}  // namespace

RunForm::RunForm(Desk& desk, Plan plan) : desk_(desk), plan_(std::move(plan)), note_(kHow) {}

bool RunForm::Poll() {
  if (!starting_) return false;
  auto opened = starting_->Poll();
  if (!opened) {
    note_ = opened.error().message;
    failed_ = true;
    starting_.reset();
  } else if (auto& begun = *opened) {
    begun_ = Begun{.run = std::move(starting_), .opened = std::move(*begun)};
  } else {
    note_ = starting_->doing();
  }
  return true;
}

void RunForm::Press(Key key) {
  switch (key.code) {
    case kKeyEscape:
      return Close();
    case kKeyEnter:
      return Start();
    case kKeyUp:
    case kKeyDown:
      plan_ = WithRow(std::move(plan_), key.code == kKeyUp ? -1 : 1);
      moved_ = true;
      return;
    case kKeyLeft:
    case kKeyRight:
      plan_ = WithStep(std::move(plan_), key.code == kKeyLeft ? -1 : 1);
      return;
    case kKeyBackspace:
      plan_ = WithErased(std::move(plan_));
      return;
    default:
      return;
  }
}

void RunForm::Type(unsigned int character) {
  plan_ = WithTyped(std::move(plan_), character);
}

void RunForm::Start() {
  if (starting_ || !WhatIsWrong(plan_).empty()) return;
  failed_ = false;
  auto started = desk_.Start(plan_);
  if (started) {
    starting_ = std::move(*started);
    note_ = starting_->doing();
  } else {
    note_ = started.error().message;
    failed_ = true;
  }
}

// What begins is ended first.
void RunForm::Close() {
  if (starting_) {
    starting_.reset();
    note_ = kHow;
  } else {
    closed_ = true;
  }
}

std::string RunForm::title() const {
  return (starting_ ? "Starting " : failed_ ? "Not started: " : "Start ") + plan_.name;
}

void RunForm::NoteCopied() {
  note_ = "Copied, to be pasted into a terminal.";
  failed_ = false;
}

void RunForm::Draw(const Painter& painter, float height) {
  const std::string wrong = WhatIsWrong(plan_);
  const PlanTouch touch = DrawPlan(painter, plan_,
                                   {.command = command(),
                                    .wrong = wrong.empty() && failed_ ? note_ : wrong,
                                    .startable = wrong.empty(),
                                    .note = note_,
                                    .starting = starting_ != nullptr},
                                   std::exchange(moved_, false), height);
  if (touch.row) plan_ = WithChosen(std::move(plan_), *touch.row);
  if (touch.step != 0) plan_ = WithStep(std::move(plan_), touch.step);
  copy_ = copy_ || touch.copy;
  if (touch.start) Start();
  if (touch.back) Close();
}

std::optional<RunForm::Begun> RunForm::TakeBegun() {
  return std::exchange(begun_, std::nullopt);
}

bool RunForm::TakeCopy() {
  return std::exchange(copy_, false);
}

}  // namespace sluice::ui
