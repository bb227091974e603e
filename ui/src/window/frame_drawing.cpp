#include <algorithm>
#include <cmath>

#include "sluice/base/check.h"
#include "window/frame.h"

namespace sluice::ui {
namespace {

constexpr double kWheel = 0.85;
constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                   ImGuiWindowFlags_NoNav;

}  // namespace

void Frame::Draw(float width, float height, const Fonts& fonts) {
  const Painter painter(choice_.theme, choice_.scale, fonts);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushFont(fonts.normal);
  ImGui::Begin("all", nullptr, kBare | ImGuiWindowFlags_NoScrollWithMouse);
  switch (page()) {
    case Page::kStart:
    case Page::kChoose:
      DrawStartPage(painter);
      break;
    case Page::kPlan:
      DrawForm(painter, height);
      break;
    case Page::kFeed:
      DrawFeed(painter, width, height);
      break;
    case Page::kCompare:
      DrawPair(painter, width, height);
      break;
  }
  ImGui::End();
  if (choice_.help) DrawHelp(painter, keys_, width, height);
  const std::string forgets = KeyText(keys_.KeyOf(Action::kClear));
  if (!notice_.empty() && DrawNotice(painter, notice_, forgets, width, height)) notice_.clear();
  if (commanding_) DrawPalette(painter, width, height);
  ImGui::PopFont();
}

void Frame::DrawPalette(const Painter& painter, float width, float height) {
  SLUICE_CHECK(commanding_);
  const std::vector<Command> rows = Rows();
  const CommandTouch touch = DrawCommands(painter, rows, *commanding_, row_moved_, width, height);
  row_moved_ = false;
  if (touch.away) commanding_.reset();
  if (touch.row) Do(rows[*touch.row]);
}

void Frame::DrawFeed(const Painter& painter, float width, float height) {
  const ScreenView screen = LayOutScreen(width, height, choice_, scene_.steering.has_value());
  const std::string moment = note_.empty() ? MomentText(scene_, choice_, feed_->track().all) : note_;
  DrawHeader(painter, scene_, moment, HeaderHint(keys_), screen.header);
  DrawStrip(painter, MakeStrip(scene_), screen.strip);
  if (screen.steering) {
    if (const auto asked =
            DrawSteering(painter, DescribeSteering(scene_), Own() != nullptr, *screen.steering))
      Do(*asked);
  }
  DrawGraph(painter, screen.pipeline);
  DrawTime(painter, screen.timeline);
  DrawTables(painter, screen);
  Foretell();
}

// In a window of its own, which scrolls where a pipeline is longer than the screen is wide.
void Frame::DrawGraph(const Painter& painter, Box room) {
  painter.Fill(room, Paint::kPanel, 6);
  ImGui::SetCursorScreenPos({room.x, room.y});
  ImGui::BeginChild("pipeline", {room.width, room.height}, false, ImGuiWindowFlags_HorizontalScrollbar);
  const Box scrolled{room.x - ImGui::GetScrollX(), room.y - ImGui::GetScrollY(), room.width, room.height};
  const PipelineView view = LayOutPipeline(scene_, feed_->track(), Shown(), scrolled, choice_.scale);
  if (const auto clicked = DrawPipeline(painter, scene_, view, choice_.op)) {
    choice_.op = clicked == choice_.op ? std::nullopt : clicked;
    choice_.tab = Tab::kOps;
  }
  ImGui::SetCursorPos({0, 0});
  ImGui::Dummy({view.area.width - 1, view.area.height - 1});
  ImGui::EndChild();
}

void Frame::DrawTime(const Painter& painter, Box room) {
  painter.Fill(room, Paint::kPanel, 6);
  const TimeRange all = feed_->track().all;
  const TimelineWish wish{.shown = Shown(),
                          .chosen = choice_.chosen,
                          .cursor = choice_.at,
                          .op = choice_.op,
                          .marks = choice_.marks};
  const TimelineView view = LayOutTimeline(scene_, feed_->track(), wish, room, choice_.scale);
  const TimelineTouch touch = DrawTimeline(painter, view, pressed_);
  if (touch.mark) painter.Tip(view.marks[*touch.mark].flag, MarkTip(scene_, view, view.marks[*touch.mark]));
  if (touch.wheel != 0) choice_.shown = Zoomed(Shown(), all, touch.under, std::pow(kWheel, touch.wheel));
  if (touch.moved)
    choice_.shown = Moved(Shown(), all, view.TimeAt(view.plot.x - *touch.moved) - view.shown.from);
  if (touch.range) choice_.chosen = touch.range;
  if (touch.at) {
    choice_.at = touch.at;
    choice_.chosen.reset();
  }
  if (touch.range || touch.at) Refresh();
  if (touch.pressed) pressed_ = touch.pressed;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

void Frame::DrawTables(const Painter& painter, const ScreenView& screen) {
  if (const auto tab = DrawTabs(painter, choice_.tab, screen.tabs)) choice_.tab = *tab;
  DrawFilter(painter, screen.tabs, choice_.table().filter, FilterHint(keys_), focusing_ == kFocusing);
  const bool focused = focusing_ < kFocusing && ImGui::GetIO().WantTextInput;
  focusing_ = focused ? 0 : std::max(0, focusing_ - 1);
  const auto chosen = choice_.tab == Tab::kKnobs ? choice_.knob : choice_.op;
  const TableTouch touch =
      DrawTable(painter, MakeTable(choice_.tab, scene_, choice_.table()), choice_.tab, chosen, screen.table);
  choice_.table().sort = touch.sort;
  choice_.table().descending = touch.descending;
  if (touch.item && choice_.tab == Tab::kOps)
    choice_.op = choice_.op == touch.item ? std::nullopt : touch.item;
  if (touch.item && choice_.tab == Tab::kKnobs) {
    choice_.knob = choice_.knob == touch.item ? std::nullopt : touch.item;
    choice_.wanted.reset();
  }
  if (touch.item && choice_.tab == Tab::kRanks) return ShowRank(*touch.item);
  if (touch.item && choice_.tab == Tab::kDecisions) {
    for (const DecisionSeen& seen : scene_.decisions) {
      if (seen.decision.id == *touch.item) choice_.at = seen.decision.at - scene_.start;
    }
    choice_.chosen.reset();
    Refresh();
  }
  if (screen.detail && choice_.tab == Tab::kKnobs) return DrawChosenKnob(painter, *screen.detail);
  if (!screen.detail || !choice_.op) return;
  const Box bars = HistogramIn(*screen.detail, choice_.scale);
  DrawDetail(painter, DescribeOp(scene_, *choice_.op, bars, choice_.log_counts), *screen.detail);
}

void Frame::DrawChosenKnob(const Painter& painter, Box box) {
  if (!choice_.knob) return;
  const KnobTouch touch = DrawKnob(painter, DescribeKnob(scene_, *choice_.knob, choice_.wanted), box);
  if (touch.wanted) choice_.wanted = touch.wanted;
  if (touch.pin) Do(Action::kPin);
  if (touch.least) Do(Action::kLeast);
  if (touch.most) Do(Action::kMost);
  if (touch.apply) Do(Action::kApply);
}

void Frame::DrawStartPage(const Painter& painter) {
  if (const auto clicked = start_.Draw(painter, note_)) Choose(*clicked);
}

void Frame::DrawForm(const Painter& painter, float height) {
  SLUICE_CHECK(form_);
  form_->Draw(painter, height);
  if (form_->TakeCopy()) Do(Action::kCopy);
  if (form_->closed()) form_.reset();
}

void Frame::DrawPair(const Painter& painter, float width, float height) {
  SLUICE_CHECK(comparison_);
  if (const auto clicked =
          DrawCompare(painter, LayOutCompare(*comparison_, pair_, choice_.at, width, height, choice_.scale),
                      CompareHint(keys_)))
    pair_ = *clicked;
}

}  // namespace sluice::ui
