#include "top/top_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "loop/key_terminal.h"
#include "sluice/base/check.h"
#include "sluice/base/text.h"
#include "sluice/ui/knob_view.h"

namespace sluice::app {
namespace {

using ui::Ask;
using ui::Wish;

constexpr std::string_view kEscape = "\x1b", kEnter = "\r", kNewline = "\n", kTab = "\t";
constexpr std::string_view kBackspace = "\x7f", kControlH = "\b", kControlU = "\x15";
constexpr std::size_t kLongestLine = 200;  // bytes
constexpr const char* kHelp = "k set a knob   h hold the tuner   u undo   r redo   q leave";
constexpr const char* kPromptHelp =
    "a knob and its value, or bounds for the tuner as 2..8, or pin or unpin and a knob; Tab completes";

struct Words {
  std::string first, second;
};

Words WordsOf(const std::string& line) {
  Words words;
  const auto is_blank = [](char c) { return c == ' '; };
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if(begin, line.end(), is_blank);
  const auto next = std::find_if_not(end, line.end(), is_blank);
  words.first.assign(begin, end);
  words.second.assign(next, line.end());
  while (words.second.ends_with(' ')) words.second.pop_back();
  return words;
}

bool IsPinning(const std::string& word) {
  return word == "pin" || word == "unpin";
}

std::optional<std::size_t> KnobNamed(const std::string& name, const ui::Scene& scene) {
  const auto found = std::ranges::find(scene.now.knobs, name, &Knob::name);
  if (found == scene.now.knobs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - scene.now.knobs.begin());
}

std::optional<std::int64_t> ValueIn(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> NamesOf(const ui::Scene& scene) {
  std::vector<std::string> names;
  names.reserve(scene.now.knobs.size());
  for (const Knob& knob : scene.now.knobs) names.push_back(knob.name);
  return names;
}

std::string NoSuchKnob(const std::string& name, const ui::Scene& scene) {
  const std::string near = Nearest(name, NamesOf(scene));
  return fmt::format("there is no knob {}{}", name, near.empty() ? "" : "; did you mean " + near + "?");
}

// A knob and a value within its range.
std::optional<ui::KnobValue> SettingIn(const std::string& line, const ui::Scene& scene) {
  const Words words = WordsOf(line);
  const auto knob = KnobNamed(words.first, scene);
  const auto value = ValueIn(words.second);
  if (!knob || !value) return std::nullopt;
  const Knob& known = scene.now.knobs[*knob];
  if (*value < known.min || *value > known.max) return std::nullopt;
  return ui::KnobValue{known.name, *value};
}

// "2..8", "2..", "..8", ".." of a knob, within its range.
std::optional<Wish> BoundIn(const std::string& line, const ui::Scene& scene) {
  const Words words = WordsOf(line);
  const auto knob = KnobNamed(words.first, scene);
  const std::size_t dots = words.second.find("..");
  if (!knob || dots == std::string::npos) return std::nullopt;
  const Knob& known = scene.now.knobs[*knob];
  const std::string from = words.second.substr(0, dots), to = words.second.substr(dots + 2);
  const auto min = from.empty() ? known.min : ValueIn(from), max = to.empty() ? known.max : ValueIn(to);
  if (!min || !max || *min < known.min || *max > known.max || *min > *max) return std::nullopt;
  const bool all = from.empty() && to.empty();
  return Wish{Ask::kBound, {{known.name, 0}}, all ? std::nullopt : std::optional(ui::KnobRange{*min, *max})};
}

}  // namespace

std::vector<Wish> TopKeys::Press(std::string_view bytes, const ui::Scene& scene) {
  std::vector<Wish> wishes;
  while (!bytes.empty()) {
    if (auto wish = PressOne(TakeKeyBytes(bytes), scene)) wishes.push_back(std::move(*wish));
  }
  const auto setting = line_ ? SettingIn(*line_, scene) : std::nullopt;
  if (!setting) return wishes;
  Wish forecast{Ask::kForecast, {*setting}};
  if (foretold_ != forecast) wishes.push_back(forecast);
  foretold_ = std::move(forecast);
  return wishes;
}

std::optional<Wish> TopKeys::PressOne(std::string_view key, const ui::Scene& scene) {
  if (line_) return Type(key, scene);
  if (key == "q") leaving_ = true;
  if (key == "k") line_.emplace();
  if (key == "h") return Wish{ui::DescribeSteering(scene).held ? Ask::kResume : Ask::kHold, {}};
  if (key == "u") return Wish{Ask::kUndo, {}};
  if (key == "r") return Wish{Ask::kRedo, {}};
  return std::nullopt;
}

std::optional<Wish> TopKeys::Type(std::string_view key, const ui::Scene& scene) {
  SLUICE_CHECK(line_);
  wrong_.clear();
  if (key == kEnter || key == kNewline) return Enter(scene);
  if (key == kEscape) {
    line_.reset();
    foretold_.reset();
  } else if (key == kTab) {
    Complete(scene);
  } else if (key == kControlU) {
    line_->clear();
  } else if (key == kBackspace || key == kControlH) {
    while (!line_->empty() && (static_cast<unsigned char>(line_->back()) & 0xc0) == 0x80) line_->pop_back();
    if (!line_->empty()) line_->pop_back();
  } else if (static_cast<unsigned char>(key[0]) >= ' ' && line_->size() + key.size() <= kLongestLine) {
    *line_ += key;
  }
  return std::nullopt;
}

std::optional<Wish> TopKeys::Enter(const ui::Scene& scene) {
  SLUICE_CHECK(line_);
  const Words words = WordsOf(*line_);
  const bool pins = IsPinning(words.first);
  const std::string& name = pins ? words.second : words.first;
  const auto knob = KnobNamed(name, scene);
  const auto setting = SettingIn(*line_, scene);
  auto bound = BoundIn(*line_, scene);
  if (name.empty()) {
    wrong_ = kPromptHelp;
  } else if (!knob) {
    wrong_ = NoSuchKnob(name, scene);
  } else if (!pins && !setting && !bound) {
    const Knob& known = scene.now.knobs[*knob];
    wrong_ = fmt::format("{} takes a whole number from {} to {}, or bounds for the tuner, such as {}..{}",
                         known.name, known.min, known.max, known.min, known.max);
  } else {
    line_.reset();
    foretold_.reset();
    if (bound) return bound;
    if (setting && !pins) return Wish{Ask::kSet, {*setting}};
    return Wish{words.first == "pin" ? Ask::kPin : Ask::kUnpin, {{name, 0}}};
  }
  return std::nullopt;
}

// As far as all names go that begin so; the whole one where it is the only one.
void TopKeys::Complete(const ui::Scene& scene) {
  SLUICE_CHECK(line_);
  const Words words = WordsOf(*line_);
  const bool pins = IsPinning(words.first) && line_->size() > words.first.size();
  const std::string begun = pins ? words.second : words.first;
  if (!pins && !words.second.empty()) return;
  std::vector<std::string> fitting = NamesOf(scene);
  std::erase_if(fitting, [&](const std::string& name) { return !name.starts_with(begun); });
  if (fitting.empty()) return;
  std::string common = fitting[0];
  for (const std::string& name : fitting)
    common.resize(static_cast<std::size_t>(std::ranges::mismatch(common, name).in1 - common.begin()));
  *line_ = (pins ? words.first + " " : "") + common + (fitting.size() == 1 && !pins ? " " : "");
}

std::vector<std::string> TopKeys::Lines(const ui::Scene& scene) const {
  if (!line_) return {ui::DescribeSteering(scene).line, kHelp};
  std::string below = wrong_;
  const Words words = WordsOf(*line_);
  if (const auto knob = KnobNamed(words.first, scene); below.empty() && knob) {
    const ui::KnobView view = ui::DescribeKnob(scene, *knob, ValueIn(words.second));
    const bool valued = SettingIn(*line_, scene).has_value();
    below = !view.free ? view.fixed : valued && !view.outlook.empty() ? view.outlook : view.summary;
  }
  return {"set: " + *line_ + "_", below.empty() ? kPromptHelp : below};
}

}  // namespace sluice::app
