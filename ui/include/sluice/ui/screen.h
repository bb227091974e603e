// What the user has chosen to see, what actions do to that, and where the panels are. Values and immutable
// functions: the window keeps one Choice, and each action makes the next one of it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/ui/feed.h"
#include "sluice/ui/palette.h"
#include "sluice/ui/place.h"
#include "sluice/ui/scene.h"
#include "sluice/ui/tables.h"
#include "sluice/ui/track.h"

namespace sluice::ui {

struct Choice {
  Theme theme = Theme::kDark;
  float scale = 1;
  float screen_scale = 1;  // what the screen asks for
  Tab tab = Tab::kOps;
  std::array<TableWish, static_cast<std::size_t>(Tab::kCount)> tables{};
  std::optional<std::size_t> op{};       // chosen in the pipeline or the table
  std::optional<std::size_t> knob{};     // chosen in the table
  std::optional<std::int64_t> wanted{};  // its value, before it is applied; nullopt: as it is
  std::optional<Nanos> at{};             // since the run's start; nullopt: what is newest
  std::optional<TimeRange> shown{};      // of the timeline; nullopt: all of it
  std::optional<TimeRange> chosen{};     // every figure is about this range
  std::vector<Nanos> marks{};            // that the user has put, by time
  bool playing = false;                  // `at` goes on by itself
  bool log_counts = false;               // of the histogram
  bool help = false;

  [[nodiscard]] Look look() const;
  [[nodiscard]] TableWish& table() { return tables[static_cast<std::size_t>(tab)]; }
  [[nodiscard]] const TableWish& table() const { return tables[static_cast<std::size_t>(tab)]; }
};

// Their names and keys are in keys.h.
enum class Action : std::uint8_t {
  kPause,  // stops at the moment that is shown, or follows again
  kPlay,   // what is past goes by in fast motion, or no longer
  kZoomIn,
  kZoomOut,
  kLeft,
  kRight,
  kFit,
  kMark,              // puts a mark at the moment, or takes it away
  kRange,             // chooses from the mark before to the moment
  kPreviousDecision,  // or mark
  kNextDecision,
  kPreviousOp,
  kNextOp,
  kNextTab,
  kPreviousTab,
  kKnobs,  // to their table
  kMore,   // of the chosen knob
  kLess,
  kLogCounts,
  kTheme,
  kLarger,
  kSmaller,
  kNormalSize,
  kClear,
  kHelp,
  kSearch,  // this one and those behind it are the window's
  kCopy,
  kApply,
  kPin,    // or unpin
  kLeast,  // the tuner may not go below the value, or may again
  kMost,
  kHold,  // or resume
  kUndo,
  kRedo,
  kPreviewAdvice,
  kTakeAdvice,
  kPalette,  // opens the list of commands
  kCompare,
  kExport,  // writes what is shown to files
  kStop,    // ends the run that the window has started
  kStart,
  kQuit,
};

// What the window shows.
enum class Page : std::uint8_t {
  kStart,    // what there is to look at
  kPlan,     // what a run will begin with
  kFeed,     // one run
  kChoose,   // sessions to compare it with
  kCompare,  // two runs
};
// Whether there is something on the page that the action is about.
[[nodiscard]] bool HasMeaning(Action action, Page page);

// What is chosen after the action. REQUIRES: it is not one of the window's.
[[nodiscard]] Choice After(Choice choice, Action action, const Scene& scene, TimeRange all);

// `choice` after so much time: the moment goes on where it is played, through all of it in twenty seconds or
// as fast as it went, whichever is faster. At the end it follows again.
[[nodiscard]] Choice Played(Choice choice, Nanos passed, TimeRange all);

struct ScreenView {
  Box header{}, strip{}, pipeline{}, timeline{}, tabs{}, table{};
  std::optional<Box> steering{};  // who holds the knobs, where it is a run that goes on
  std::optional<Box> detail{};    // of the chosen op or knob
};
[[nodiscard]] ScreenView LayOutScreen(float width, float height, const Choice& choice, bool steered);

// "paused at 12.3s of 60.0s", "live", "recorded, 12.3s of 60.0s": for the header.
[[nodiscard]] std::string MomentText(const Scene& scene, const Choice& choice, TimeRange all);
// "photos-12s", in the working directory: what is exported is called so, with an end of its own.
[[nodiscard]] std::string ExportName(const Scene& scene, const Choice& choice, TimeRange all);
// What the window is called, with its verdict first, so that a task bar tells it.
[[nodiscard]] std::string TitleText(const Scene& scene, const Choice& choice, TimeRange all);

}  // namespace sluice::ui
