#include "sluice/ui/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sluice/base/check.h"
#include "sluice/base/placement.h"
#include "sluice/base/text.h"
#include "sluice/ui/knob_view.h"
#include "sluice/ui/strip.h"
#include "view/words.h"

namespace sluice::ui {
namespace {

constexpr double kZoom = 0.7, kStep = 0.15;  // of what is shown
constexpr float kLeastScale = 0.5, kMostScale = 4, kScaleStep = 1.1F;
constexpr double kSameMark = 0.005;         // of what is shown, apart
constexpr std::chrono::seconds kAllIn{20};  // of playing
constexpr float kTableShare = 0.75F;        // of the width, beside the chosen op

TimeRange Shown(const Choice& choice, TimeRange all) {
  return choice.shown.value_or(all);
}

Nanos Moment(const Choice& choice, TimeRange all) {
  return choice.at.value_or(all.to);
}

void Zoom(Choice& choice, TimeRange all, double factor) {
  choice.shown = Zoomed(Shown(choice, all), all, Moment(choice, all), factor);
  if (*choice.shown == all) choice.shown.reset();
}

// The moment goes along, and what is shown with it where it would get out of sight.
void GoTo(Choice& choice, TimeRange all, Nanos at) {
  choice.at = std::clamp(at, all.from, all.to);
  choice.chosen.reset();
  if (!choice.shown) return;
  const Nanos before = *choice.at - choice.shown->from, behind = *choice.at - choice.shown->to;
  if (before < Nanos(0)) choice.shown = Moved(*choice.shown, all, before);
  if (behind > Nanos(0)) choice.shown = Moved(*choice.shown, all, behind);
}

void Step(Choice& choice, TimeRange all, double share) {
  GoTo(choice, all, Moment(choice, all) + FromSeconds(share * Seconds(Shown(choice, all).length())));
}

void Fit(Choice& choice) {
  choice.shown = choice.chosen;
}

// Or to a mark, whichever is nearer.
void ToDecision(Choice& choice, const Scene& scene, TimeRange all, bool next) {
  const Nanos now = Moment(choice, all);
  std::vector<Nanos> places = choice.marks;
  for (const DecisionSeen& seen : scene.decisions) places.push_back(seen.decision.at - scene.start);
  std::optional<Nanos> found;
  for (const Nanos at : places) {
    if (next ? at <= now : at >= now) continue;
    if (!found || (next ? at < *found : at > *found)) found = at;
  }
  if (found) GoTo(choice, all, *found);
}

// A mark so near that both are one is taken away.
void Mark(Choice& choice, TimeRange all) {
  const Nanos now = Moment(choice, all), near = FromSeconds(kSameMark * Seconds(Shown(choice, all).length()));
  const auto is_near = [&](Nanos mark) { return mark - now <= near && now - mark <= near; };
  if (std::erase_if(choice.marks, is_near) > 0) return;
  choice.marks.insert(std::ranges::upper_bound(choice.marks, now), now);
}

// From the start, where there is no mark before.
void ChooseRange(Choice& choice, TimeRange all) {
  const Nanos now = Moment(choice, all);
  const auto behind = std::ranges::lower_bound(choice.marks, now);
  const Nanos from = behind == choice.marks.begin() ? all.from : *std::prev(behind);
  if (from < now) choice.chosen = TimeRange{from, now};
}

// The first one, if possible of the chosen op.
void ToKnobs(Choice& choice, const Scene& scene) {
  choice.tab = Tab::kKnobs;
  const auto& knobs = scene.now.knobs;
  if (choice.knob || knobs.empty()) return;
  const auto of_op = std::ranges::find_if(knobs, [&](const Knob& knob) {
    return choice.op && knob.id == KnobId{KnobKind::kWorkers, static_cast<std::uint32_t>(*choice.op)};
  });
  choice.knob = of_op == knobs.end() ? 0 : static_cast<std::size_t>(of_op - knobs.begin());
}

void ToKnob(Choice& choice, const Scene& scene, bool next) {
  const std::size_t count = scene.now.knobs.size();
  choice.wanted.reset();
  if (count == 0) return;
  choice.knob = choice.knob ? (*choice.knob + (next ? 1 : count - 1)) % count : next ? 0 : count - 1;
}

void Turn(Choice& choice, const Scene& scene, int by) {
  if (choice.tab != Tab::kKnobs || !choice.knob || *choice.knob >= scene.now.knobs.size()) return;
  const Knob& knob = scene.now.knobs[*choice.knob];
  choice.wanted = Stepped(knob, choice.wanted.value_or(knob.requested), by);
}

void ToOp(Choice& choice, const Scene& scene, bool next) {
  if (choice.tab == Tab::kKnobs) return ToKnob(choice, scene, next);
  const std::size_t count = scene.ops.size();
  if (count == 0) return;
  if (!choice.op) {
    choice.op = next ? 0 : count - 1;
  } else {
    choice.op = (*choice.op + (next ? 1 : count - 1)) % count;
  }
}

void ToTab(Choice& choice, int by) {
  constexpr int kTabs = static_cast<int>(Tab::kCount);
  choice.tab = static_cast<Tab>((static_cast<int>(choice.tab) + by + kTabs) % kTabs);
}

void Rescale(Choice& choice, float factor) {
  choice.scale = std::clamp(choice.scale * factor, kLeastScale, kMostScale);
}

// One thing at a time, what is on top first.
void Clear(Choice& choice) {
  if (choice.help) {
    choice.help = false;
  } else if (!choice.table().filter.empty()) {
    choice.table().filter.clear();
  } else if (choice.wanted) {
    choice.wanted.reset();
  } else if (choice.chosen) {
    choice.chosen.reset();
  } else if (choice.tab == Tab::kKnobs && choice.knob) {
    choice.knob.reset();
  } else {
    choice.op.reset();
  }
}

// False: the action is about something else.
bool GoInTime(Choice& choice, Action action, const Scene& scene, TimeRange all) {
  switch (action) {
    case Action::kPause:
      choice.at = choice.at && !choice.playing ? std::nullopt : std::optional(Moment(choice, all));
      choice.playing = false;
      choice.chosen.reset();
      break;
    case Action::kPlay:
      if (!choice.at || *choice.at >= all.to) choice.at = all.from;
      choice.playing = !choice.playing;
      choice.chosen.reset();
      break;
    case Action::kZoomIn:
      Zoom(choice, all, kZoom);
      break;
    case Action::kZoomOut:
      Zoom(choice, all, 1 / kZoom);
      break;
    case Action::kLeft:
      Step(choice, all, -kStep);
      break;
    case Action::kRight:
      Step(choice, all, kStep);
      break;
    case Action::kFit:
      Fit(choice);
      break;
    case Action::kMark:
      Mark(choice, all);
      break;
    case Action::kRange:
      ChooseRange(choice, all);
      break;
    case Action::kPreviousDecision:
      ToDecision(choice, scene, all, false);
      break;
    case Action::kNextDecision:
      ToDecision(choice, scene, all, true);
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace

Look Choice::look() const {
  const bool machine = tab == Tab::kMachine;
  if (chosen) return {.until = chosen->to, .from = chosen->from, .machine = machine};
  return {.until = at, .from = {}, .machine = machine};
}

bool HasMeaning(Action action, Page page) {
  switch (action) {
    case Action::kQuit:
    case Action::kTheme:
    case Action::kHelp:
    case Action::kPalette:
    case Action::kClear:
    case Action::kLarger:
    case Action::kSmaller:
    case Action::kNormalSize:
      return true;
    case Action::kStart:
      return page != Page::kStart;
    case Action::kPreviousOp:
    case Action::kNextOp:
      return true;
    case Action::kPreviousTab:
    case Action::kNextTab:
      return page != Page::kCompare;
    case Action::kCopy:
      return page != Page::kStart && page != Page::kChoose;
    case Action::kApply:
      return page != Page::kCompare;
    case Action::kPause:
    case Action::kPlay:
    case Action::kCompare:
      return page == Page::kFeed || page == Page::kCompare;
    default:
      return page == Page::kFeed;
  }
}

Choice After(Choice choice, Action action, const Scene& scene, TimeRange all) {
  if (GoInTime(choice, action, scene, all)) return choice;
  switch (action) {
    case Action::kPreviousOp:
      ToOp(choice, scene, false);
      break;
    case Action::kNextOp:
      ToOp(choice, scene, true);
      break;
    case Action::kNextTab:
      ToTab(choice, 1);
      break;
    case Action::kPreviousTab:
      ToTab(choice, -1);
      break;
    case Action::kKnobs:
      ToKnobs(choice, scene);
      break;
    case Action::kMore:
      Turn(choice, scene, 1);
      break;
    case Action::kLess:
      Turn(choice, scene, -1);
      break;
    case Action::kLogCounts:
      choice.log_counts = !choice.log_counts;
      break;
    case Action::kTheme:
      choice.theme =
          static_cast<Theme>((static_cast<int>(choice.theme) + 1) % static_cast<int>(Theme::kCount));
      break;
    case Action::kLarger:
      Rescale(choice, kScaleStep);
      break;
    case Action::kSmaller:
      Rescale(choice, 1 / kScaleStep);
      break;
    case Action::kNormalSize:
      choice.scale = choice.screen_scale;
      break;
    case Action::kClear:
      Clear(choice);
      break;
    case Action::kHelp:
      choice.help = !choice.help;
      break;
    default:
      SLUICE_CHECK(false && "an action of the window's");
  }
  return choice;
}

Choice Played(Choice choice, Nanos passed, TimeRange all) {
  if (!choice.playing) return choice;
  const double pace = std::max(1.0, Seconds(all.length()) / Seconds(kAllIn));
  const Nanos at = Moment(choice, all) + FromSeconds(pace * Seconds(passed));
  GoTo(choice, all, at);
  if (at < all.to) return choice;
  choice.playing = false;
  choice.at.reset();
  return choice;
}

ScreenView LayOutScreen(float width, float height, const Choice& choice, bool steered) {
  const float s = choice.scale, gap = 8 * s;
  ScreenView view;
  const float wide = std::max(width - 2 * gap, 1.0F);
  float y = gap;
  const auto below = [&](float high) {
    const Box box{gap, y, wide, std::max(high, 1.0F)};
    y = box.bottom() + gap;
    return box;
  };
  view.header = below(26 * s);
  view.strip = below(104 * s);
  if (steered) view.steering = below(28 * s);
  const float left = std::max(height - y - gap, 1.0F);
  view.pipeline = below(left * 0.26F);
  view.timeline = below(left * 0.38F);
  view.tabs = below(30 * s);
  view.table = below(height - y - gap);
  if (choice.tab == Tab::kKnobs ? !choice.knob : !choice.op) return view;
  const float detail = std::min(400 * s, wide * (1 - kTableShare) + 100 * s);
  view.detail = Box{view.table.right() - detail, view.tabs.y, detail, view.table.bottom() - view.tabs.y};
  view.table.width -= detail + gap;
  view.tabs.width -= detail + gap;
  return view;
}

std::string MomentText(const Scene& scene, const Choice& choice, TimeRange all) {
  const std::string to = FormatDuration(all.to);
  if (choice.chosen)
    return fmt::format("{} to {} of {}", FormatDuration(choice.chosen->from),
                       FormatDuration(choice.chosen->to), to);
  const std::string at = FormatDuration(Moment(choice, all));
  if (choice.playing) return fmt::format("playing, {} of {}", at, to);
  if (scene.watched == Watched::kRecorded) return fmt::format("recorded, {} of {}", at, to);
  if (choice.at) return fmt::format("stopped at {} of {}", at, to);
  return scene.watched == Watched::kEnded ? "ended after " + to : "live, " + to;
}

std::string ExportName(const Scene& scene, const Choice& choice, TimeRange all) {
  std::string name;
  for (const char c : scene.name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  if (name.ends_with('-')) name.pop_back();
  return fmt::format("{}-{}", name.empty() ? "run" : name, FormatDuration(Moment(choice, all)));
}

std::string TitleText(const Scene& scene, const Choice& choice, TimeRange all) {
  std::string chosen = choice.op ? internal::OpName(scene, *choice.op) + " \u2013 " : "";
  if (choice.tab == Tab::kKnobs && choice.knob && *choice.knob < scene.now.knobs.size()) {
    const Knob& knob = scene.now.knobs[*choice.knob];
    chosen = fmt::format("{} {} \u2013 ", knob.name, KnobValueText(knob.id.kind, knob.value));
  }
  return fmt::format("{} \u2013 {} ({}) \u2013 {}{} \u2013 Sluice", MakeStrip(scene).word, scene.name,
                     scene.origin, chosen, MomentText(scene, choice, all));
}

}  // namespace sluice::ui
