#include "window/frame.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "sluice/base/check.h"
#include "sluice/ui/view_json.h"

namespace sluice::ui {
namespace {

constexpr const char* kChooseB = "Compare it with which run? Esc goes back.";
constexpr const char* kWelcome = "What there is to look at. Nothing of it is changed until you turn a knob.";

// nullptr: none, or it cannot be set now.
const Knob* KnobToSet(const Choice& choice, const Scene& scene) {
  const bool chosen = choice.tab == Tab::kKnobs && choice.knob && DescribeKnob(scene, *choice.knob, {}).free;
  return chosen ? &scene.now.knobs[*choice.knob] : nullptr;
}

Result<void> WriteWhole(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  out.close();
  return out ? Result<void>() : Fail(file + " cannot be written: look at the rights and the room there");
}

}  // namespace

Frame::Frame(Desk& desk, std::unique_ptr<Feed> feed, const WindowWish& wish)
    : desk_(desk),
      choice_(wish.choice),
      keys_(wish.keys),
      notice_(wish.notice),
      note_(kWelcome),
      start_(desk, false) {
  if (feed) {
    Open(std::move(feed), "");
    choice_ = wish.choice;
    Refresh();
  }
  if (wish.plan) form_.emplace(desk_, *wish.plan);
  comparison_ = wish.comparison;
  if (comparison_) pair_ = comparison_->chosen;
}

// What was chosen of another run means nothing in this one.
void Frame::Open(std::unique_ptr<Feed> feed, const std::string& name) {
  feed_ = std::move(feed);
  opened_ = name;
  note_.clear();
  choice_.op.reset();
  choice_.knob.reset();
  choice_.wanted.reset();
  choice_.at.reset();
  choice_.shown.reset();
  choice_.chosen.reset();
  choice_.marks.clear();
  choice_.playing = false;
  Refresh();
}

bool Frame::Poll(MonoTime now) {
  const bool moves = Play(now);
  return PollPage(now) || moves;
}

bool Frame::PollPage(MonoTime now) {
  if (form_) {
    const bool news = form_->Poll();
    if (auto begun = form_->TakeBegun()) ShowBegun(std::move(*begun));
    return news;
  }
  if (!feed_ || choosing_) return start_.Poll(now);
  const bool news = feed_->Poll();
  if (news) Refresh();
  return news;
}

bool Frame::Play(MonoTime now) {
  const MonoTime before = played_.value_or(now);
  played_ = now;
  if (!choice_.playing || page() == Page::kStart) return false;
  choice_ = Played(std::move(choice_), now - before, AllShown());
  if (page() == Page::kFeed) Refresh();
  return true;
}

TimeRange Frame::AllShown() const {
  if (comparison_ && page() == Page::kCompare) return AllOf(comparison_->pairs[pair_]);
  return feed_ ? feed_->track().all : TimeRange{};
}

void Frame::Refresh() {
  auto scene = feed_->At(choice_.look());
  if (scene) {
    scene_ = std::move(*scene);
  } else {
    note_ = scene.error().message;
  }
}

TimeRange Frame::Shown() const {
  return choice_.shown.value_or(feed_->track().all);
}

void Frame::Press(Key key) {
  if (commanding_) return PressInPalette(key);
  if (form_ && (IsForFields(key) || key.code == kKeyEscape)) {
    form_->Press(key);
    if (form_->closed()) form_.reset();
    return;
  }
  const auto action = keys_.ActionOf(key);
  if (!action) return;
  if (typing() && IsForFields(key)) return;
  if (HasMeaning(*action, page())) Do(*action);
}

void Frame::Type(unsigned int character, int pressed) {
  if (!commanding_ && form_) return form_->Type(character);
  if (!commanding_) return Press(KeyTyping(character, pressed));
  commanding_ = WithTyped(std::move(*commanding_), character);
  row_moved_ = true;
}

// Its own keys are the same for everybody, so that nobody gets caught in it.
void Frame::PressInPalette(Key key) {
  SLUICE_CHECK(commanding_);
  const std::vector<Command> rows = Rows();
  row_moved_ = true;
  if (key.code == kKeyBackspace) {
    commanding_ = WithErased(std::move(*commanding_));
  } else if (key.code == kKeyUp || key.code == kKeyDown) {
    commanding_ = WithRow(std::move(*commanding_), key.code == kKeyUp ? -1 : 1, rows.size());
  } else if (key.code == kKeyEnter && commanding_->row < rows.size()) {
    Do(rows[commanding_->row]);
  } else if (key.code == kKeyEscape || keys_.ActionOf(key) == Action::kPalette) {
    commanding_.reset();
  }
}

std::vector<Command> Frame::Rows() const {
  SLUICE_CHECK(commanding_);
  return Matching(Commands(keys_, page(), scene_, choice_.tab), commanding_->typed);
}

void Frame::Do(const Command& command) {
  commanding_.reset();
  if (command.kind == CommandKind::kAction) return Do(command.action);
  if (command.kind == CommandKind::kRank) return ShowRank(command.item);
  choice_ = After(std::move(choice_), command);
}

bool Frame::AskFor(Action action) {
  const SteeringView steering = DescribeSteering(scene_);
  const Knob* const knob = KnobToSet(choice_, scene_);
  switch (action) {
    case Action::kApply:
      ApplyKnob();
      return true;
    case Action::kPin:
      if (knob != nullptr)
        feed_->Send(
            {knob->holder == Holder::kUser ? Ask::kUnpin : Ask::kPin, {{knob->name, knob->requested}}});
      return true;
    case Action::kLeast:
    case Action::kMost:
      if (knob != nullptr) BoundKnob(action == Action::kLeast);
      return true;
    case Action::kHold:
      feed_->Send({steering.held ? Ask::kResume : Ask::kHold});
      return true;
    case Action::kUndo:
      feed_->Send({Ask::kUndo});
      return true;
    case Action::kRedo:
      feed_->Send({Ask::kRedo});
      return true;
    case Action::kPreviewAdvice:
    case Action::kTakeAdvice:
      if (!steering.advice.empty())
        feed_->Send({action == Action::kTakeAdvice ? Ask::kSet : Ask::kForecast, steering.advice});
      return true;
    default:
      return false;
  }
}

void Frame::ApplyKnob() {
  const Knob* const knob = KnobToSet(choice_, scene_);
  if (knob != nullptr && choice_.wanted && *choice_.wanted != knob->requested)
    feed_->Send({Ask::kSet, {{knob->name, *choice_.wanted}}});
  choice_.wanted.reset();
}

// REQUIRES: a knob is chosen.
void Frame::BoundKnob(bool least) {
  SLUICE_CHECK(choice_.knob);
  const KnobView view = DescribeKnob(scene_, *choice_.knob, choice_.wanted);
  feed_->Send({Ask::kBound, {{view.title, view.wanted}}, Rebounded(view, least)});
}

// Of what is about to be applied, once.
void Frame::Foretell() {
  const Knob* const knob = KnobToSet(choice_, scene_);
  if (knob == nullptr || !choice_.wanted) return;
  Wish wish{Ask::kForecast, {{knob->name, *choice_.wanted}}};
  if (wish == foretold_) return;
  feed_->Send(wish);
  foretold_ = std::move(wish);
}

Page Frame::page() const {
  if (form_) return Page::kPlan;
  if (choosing_) return Page::kChoose;
  if (comparison_) return Page::kCompare;
  return feed_ ? Page::kFeed : Page::kStart;
}

bool Frame::DoCompare(Action action) {
  if (action == Action::kCompare) {
    BeginToChoose();
    return true;
  }
  if (page() != Page::kCompare && page() != Page::kChoose) return false;
  const std::size_t pairs = comparison_ ? comparison_->pairs.size() : 1;
  switch (action) {
    case Action::kClear:
      if (choice_.help) return false;
      GoBack();
      return true;
    case Action::kPause:
    case Action::kPlay:
      choice_ = After(std::move(choice_), action, scene_, AllShown());
      return true;
    case Action::kCopy:
      ImGui::SetClipboardText(CompareText(CompareRows(comparison_->pairs[pair_])).c_str());
      return true;
    case Action::kNextOp:
    case Action::kPreviousOp:
      pair_ = (pair_ + (action == Action::kNextOp ? 1 : pairs - 1)) % pairs;
      return true;
    default:
      return false;
  }
}

void Frame::BeginToChoose() {
  if (scene_.watched != Watched::kRecorded) {
    note_ = std::string("Not while it is measured: ") + kRecordFirst + ".";
    return;
  }
  choosing_ = true;
  start_ = StartPage(desk_, true);
  note_ = kChooseB;
}

void Frame::GoBack() {
  note_.clear();
  if (!choosing_) comparison_.reset();
  choosing_ = false;
}

void Frame::Do(Action action) {
  if (page() == Page::kFeed) note_.clear();
  if (DoOnStart(action) || DoCompare(action)) return;
  if (page() == Page::kFeed && AskFor(action)) return;
  switch (action) {
    case Action::kQuit:
      closing_ = true;
      return;
    case Action::kPalette:
      commanding_.emplace();
      return;
    case Action::kSearch:
      focusing_ = kFocusing;
      return;
    case Action::kCopy:
      ImGui::SetClipboardText(TableText(MakeTable(choice_.tab, scene_, choice_.table())).c_str());
      return;
    case Action::kExport:
      return Export();
    case Action::kStop:
      if (Started* const own = Own()) own->Stop();
      return;
    case Action::kStart:
      return ToStartPage();
    default:
      break;
  }
  if (action == Action::kClear && !notice_.empty()) return notice_.clear();
  const Look before = choice_.look();
  choice_ = After(std::move(choice_), action, scene_, feed_ ? feed_->track().all : TimeRange{});
  const Look after = choice_.look();
  if (feed_ && (before.until != after.until || before.from != after.from)) Refresh();
}

// Of the pages with a list or a form. False: it is something else.
bool Frame::DoOnStart(Action action) {
  if (form_ && action == Action::kCopy) {
    ImGui::SetClipboardText(form_->command().c_str());
    form_->NoteCopied();
    return true;
  }
  if (form_ || (page() != Page::kStart && page() != Page::kChoose)) return false;
  switch (action) {
    case Action::kNextOp:
    case Action::kPreviousOp:
    case Action::kNextTab:
    case Action::kPreviousTab:
      start_.Move(action);
      return true;
    case Action::kApply:
      if (const StartEntry* const entry = start_.chosen()) Choose(*entry);
      return true;
    default:
      return false;
  }
}

void Frame::ToStartPage() {
  form_.reset();
  feed_.reset();
  comparison_.reset();
  choosing_ = false;
  choice_.playing = false;
  start_ = StartPage(desk_, false);
  focusing_ = 0;
  note_ = kWelcome;
}

// The picture is taken of the next frame, without a palette over it.
void Frame::Export() {
  exporting_ = ExportName(scene_, choice_, feed_->track().all);
  const auto written = WriteWhole(exporting_ + ".json", ViewJson(scene_, feed_->track()));
  note_ = written ? "Written to " + exporting_ + ".png and .json" : written.error().message;
  if (!written) exporting_.clear();
}

std::string Frame::TakePictureWish() {
  return exporting_.empty() ? "" : std::exchange(exporting_, "") + ".png";
}

Started* Frame::Own() const {
  if (page() != Page::kFeed || opened_.empty()) return nullptr;
  const auto own = std::ranges::find(started_, opened_, [](const auto& run) { return run->opens(); });
  return own != started_.end() && (*own)->goes_on() ? own->get() : nullptr;
}

// From the next frame on.
void Frame::ShowRank(std::size_t rank) {
  auto feed = feed_->OpenRank(rank);
  if (!feed) {
    note_ = feed.error().message;
  } else if (*feed != nullptr) {
    const Choice before = choice_;
    Open(std::move(*feed), opened_);
    choice_.at = before.at;
    choice_.shown = before.shown;
    choice_.chosen = before.chosen;
    choice_.marks = before.marks;
    Refresh();
  }
}

void Frame::Choose(const StartEntry& entry) {
  if (choosing_) return CompareWith(entry.opens);
  if (!entry.plans.empty()) return BeginForm(entry.plans);
  auto feed = desk_.Open(entry.opens);
  if (feed) {
    Open(std::move(*feed), entry.opens);
  } else {
    note_ = feed.error().message;
  }
}

void Frame::BeginForm(const std::string& scenario) {
  auto plan = desk_.PlanOf(scenario);
  if (plan) {
    form_.emplace(desk_, std::move(*plan));
  } else {
    note_ = plan.error().message;
  }
}

// What was recorded, as simulated runs are, is played.
void Frame::ShowBegun(RunForm::Begun begun) {
  form_.reset();
  Open(std::move(begun.opened.feed), begun.run->opens());
  started_.push_back(std::move(begun.run));
  comparison_ = std::move(begun.opened.beside);
  if (comparison_) pair_ = comparison_->chosen;
  if (scene_.watched == Watched::kRecorded)
    choice_ = After(std::move(choice_), Action::kPlay, scene_, AllShown());
}

void Frame::CompareWith(const std::string& file) {
  auto comparison = feed_->CompareWith(file);
  if (!comparison) {
    note_ = comparison.error().message;
    return;
  }
  note_.clear();
  choosing_ = false;
  pair_ = comparison->chosen;
  comparison_ = std::move(*comparison);
  choice_.playing = false;
  choice_.at.reset();
}

bool Frame::typing() const {
  return focusing_ > 0 || ImGui::GetIO().WantTextInput;
}

std::string Frame::title() const {
  switch (page()) {
    case Page::kFeed:
      return TitleText(scene_, choice_, feed_->track().all);
    case Page::kChoose:
      return "Compare " + scene_.origin + " with \u2026 \u2013 Sluice";
    case Page::kCompare:
      SLUICE_CHECK(comparison_);
      return CompareTitle(*comparison_, pair_);
    case Page::kPlan:
      SLUICE_CHECK(form_);
      return form_->title() + " \u2013 Sluice";
    case Page::kStart:
      break;
  }
  return "Sluice";
}

}  // namespace sluice::ui
