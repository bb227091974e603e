// UiState: how the user left the window, for the next time: theme, table, scale, where it was. A plain value
// and its TOML form (docs/ui.md). What is read is untrusted.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/error.h"
#include "sluice/ui/window.h"

namespace sluice::app {

// nullopt: the user has not changed it.
struct UiState {
  std::optional<ui::Theme> theme{};
  std::optional<ui::Tab> table{};
  std::optional<bool> log_counts{};
  std::optional<float> scale{};
  std::optional<ui::WindowPlace> place{};
};

[[nodiscard]] std::string UiStateToml(const UiState& state);
// Errors name the file, the place and what is wrong.
[[nodiscard]] Result<UiState> ParseUiState(const std::string& text, const std::string& path);
// Without the file: nothing is kept yet.
[[nodiscard]] Result<UiState> ReadUiState(const std::string& path);
// Makes the folder where it is missing. The file is written as a whole, and only where it would change.
[[nodiscard]] Result<void> WriteUiState(const UiState& state, const std::string& path);

// With what was changed while the window was open. What an option of the command line says is so not kept.
// `place`: it is the user's own, not that of an option.
[[nodiscard]] UiState WithLeft(UiState state, const ui::WindowLeft& left, bool place);

}  // namespace sluice::app
