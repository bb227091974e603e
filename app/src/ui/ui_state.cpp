#include "ui/ui_state.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sluice/exporters/write_file.h"
#include "sluice/toml/toml_fields.h"
#include "sluice/toml/toml_file.h"

namespace sluice::app {
namespace {

namespace fs = std::filesystem;

constexpr int kSmallest = 200, kLargest = 8192, kFarthest = 100'000;  // pixels
constexpr double kLeastScale = 0.5, kMostScale = 4, kSameScale = 0.01;

template <typename T, typename Named>
Result<void> ReadName(const toml::TomlValue& value, Named named, std::optional<T>& out) {
  std::string name;
  if (auto read = value.To(name); !read) return read;
  out = named(name);
  return out ? Result<void>() : value.Refuse("a name that docs/ui.md lists");
}

Result<void> ReadWithin(const toml::TomlValue& value, int least, int most, int& out) {
  if (auto read = value.To(out); !read) return read;
  return out >= least && out <= most ? Result<void>() : value.Refuse(fmt::format("{} to {}", least, most));
}

Result<void> ReadScale(const toml::TomlValue& value, UiState& state) {
  double scale = 0;
  if (auto read = value.To(scale); !read) return read;
  if (scale < kLeastScale || scale > kMostScale) return value.Refuse("0.5 to 4");
  state.scale = static_cast<float>(scale);
  return {};
}

constexpr toml::Field<UiState> kFields[] = {
    {"theme", [](const toml::TomlValue& v, UiState& s) { return ReadName(v, ui::ThemeOf, s.theme); }},
    {"table", [](const toml::TomlValue& v, UiState& s) { return ReadName(v, ui::TabOf, s.table); }},
    {"log_counts", [](const toml::TomlValue& v, UiState& s) { return v.To(s.log_counts.emplace()); }},
    {"scale", ReadScale},
    {"window", nullptr},
};

constexpr toml::Field<ui::WindowPlace> kPlaceFields[] = {
    {"x",
     [](const toml::TomlValue& v, ui::WindowPlace& p) { return ReadWithin(v, -kFarthest, kFarthest, p.x); },
     true},
    {"y",
     [](const toml::TomlValue& v, ui::WindowPlace& p) { return ReadWithin(v, -kFarthest, kFarthest, p.y); },
     true},
    {"width",
     [](const toml::TomlValue& v, ui::WindowPlace& p) { return ReadWithin(v, kSmallest, kLargest, p.width); },
     true},
    {"height",
     [](const toml::TomlValue& v, ui::WindowPlace& p) {
       return ReadWithin(v, kSmallest, kLargest, p.height);
     },
     true},
    {"maximised", [](const toml::TomlValue& v, ui::WindowPlace& p) { return v.To(p.maximised); }},
};

}  // namespace

std::string UiStateToml(const UiState& state) {
  std::string text = "# How the window of sluice ui was left; it is written when that is closed.\n";
  if (state.theme) text += fmt::format("theme = \"{}\"\n", ui::ThemeName(*state.theme));
  if (state.table) text += fmt::format("table = \"{}\"\n", ui::TabName(*state.table));
  if (state.log_counts) text += fmt::format("log_counts = {}\n", *state.log_counts);
  if (state.scale) text += fmt::format("scale = {:.3f}\n", *state.scale);
  if (const auto& place = state.place)
    text += fmt::format("\n[window]\nx = {}\ny = {}\nwidth = {}\nheight = {}\nmaximised = {}\n", place->x,
                        place->y, place->width, place->height, place->maximised);
  return text;
}

Result<UiState> ParseUiState(const std::string& text, const std::string& path) {
  const auto table = toml::ParseToml(text, path);
  if (!table) return std::unexpected(table.error());
  UiState state;
  if (auto read = toml::ReadFields<UiState>(*table, {path, ""}, kFields, state); !read)
    return std::unexpected(read.error());
  const ::toml::node* window = table->get("window");
  if (window == nullptr) return state;
  const toml::Place place{path, "[window]"};
  if (!window->is_table()) return toml::FailAt({path, ""}, *window, "window must be a table: [window]");
  auto read =
      toml::ReadFields<ui::WindowPlace>(*window->as_table(), place, kPlaceFields, state.place.emplace());
  if (!read) return std::unexpected(read.error());
  return state;
}

Result<UiState> ReadUiState(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return UiState{};
  const auto text = toml::ReadTomlFile(path);
  if (!text) return std::unexpected(text.error());
  return ParseUiState(*text, path);
}

Result<void> WriteUiState(const UiState& state, const std::string& path) {
  if (path.empty()) return {};
  const std::string text = UiStateToml(state);
  if (const auto before = toml::ReadTomlFile(path); before && *before == text) return {};
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  return exporters::WriteFile(path, text);
}

UiState WithLeft(UiState state, const ui::WindowLeft& left, bool place) {
  const ui::Choice &first = left.first, &last = left.last;
  if (last.theme != first.theme) state.theme = last.theme;
  if (last.tab != first.tab) state.table = last.tab;
  if (last.log_counts != first.log_counts) state.log_counts = last.log_counts;
  if (last.scale != first.scale) {
    state.scale = last.scale;
    if (std::abs(last.scale - last.screen_scale) < kSameScale) state.scale.reset();
  }
  if (place) state.place = left.place;
  return state;
}

}  // namespace sluice::app
