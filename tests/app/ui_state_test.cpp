#include "ui/ui_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sluice::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TemporaryFolder : public ::testing::Test {
 protected:
  TemporaryFolder() : folder_(::testing::TempDir() + "/ui_state." + std::to_string(getpid())) {
    fs::create_directories(folder_);
  }
  ~TemporaryFolder() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string In(const std::string& name) const { return folder_ / name; }

  const fs::path folder_;
};
using UiStateFile = TemporaryFolder;

UiState Sample() {
  return {.theme = ui::Theme::kColourBlind,
          .table = ui::Tab::kDecisions,
          .log_counts = true,
          .scale = 1.331F,
          .place = ui::WindowPlace{.x = -20, .y = 30, .width = 1000, .height = 700, .maximised = true}};
}

std::string ErrorOf(const std::string& text) {
  const auto state = ParseUiState(text, "ui.toml");
  return state ? "" : state.error().message;
}

TEST(UiState, WhatIsWrittenIsReadBack) {
  const auto read = ParseUiState(UiStateToml(Sample()), "ui.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->theme, ui::Theme::kColourBlind);
  EXPECT_EQ(read->table, ui::Tab::kDecisions);
  EXPECT_EQ(read->log_counts, true);
  EXPECT_NEAR(read->scale.value_or(0), 1.331, 1e-3);
  ASSERT_TRUE(read->place);
  EXPECT_EQ(read->place->x, -20);
  EXPECT_EQ(read->place->y, 30);
  EXPECT_EQ(read->place->width, 1000);
  EXPECT_EQ(read->place->height, 700);
  EXPECT_TRUE(read->place->maximised);
  const auto nothing = ParseUiState(UiStateToml({}), "ui.toml");
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->theme || nothing->table || nothing->log_counts || nothing->scale || nothing->place);
}

TEST(UiState, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(ErrorOf("theme = \"pink\"\n"), HasSubstr("ui.toml:1: theme: must be"));
  EXPECT_THAT(ErrorOf("table = \"chairs\"\n"), HasSubstr("table: must be"));
  EXPECT_THAT(ErrorOf("\nscale = 40\n"), HasSubstr("ui.toml:2: scale: must be 0.5 to 4"));
  EXPECT_THAT(ErrorOf("log_counts = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(ErrorOf("them = 1\n"), HasSubstr("did you mean 'theme'"));
  EXPECT_THAT(ErrorOf("window = 1\n"), HasSubstr("window must be a table"));
  EXPECT_THAT(ErrorOf("[window]\nx = 1\ny = 1\nwidth = 640\n"), HasSubstr("'height' is missing"));
  EXPECT_THAT(ErrorOf("[window]\nx = 1\ny = 1\nwidth = 0\nheight = 480\n"), HasSubstr("200 to 8192"));
  EXPECT_THAT(ErrorOf("[window]\nx = 1000000\ny = 1\nwidth = 640\nheight = 480\n"), HasSubstr("x: must be"));
}

TEST_F(UiStateFile, IsMadeWithItsFolderAndReplacedAsAWhole) {
  const std::string file = In("a/b/ui.toml");
  ASSERT_TRUE(WriteUiState(Sample(), file));
  EXPECT_EQ(ReadUiState(file)->theme, ui::Theme::kColourBlind);
  std::ifstream reader(file);  // whoever reads meanwhile sees the file as it was
  ASSERT_TRUE(WriteUiState({.theme = ui::Theme::kLight}, file));
  const std::string seen(std::istreambuf_iterator<char>(reader), {});
  EXPECT_EQ(seen, UiStateToml(Sample()));
  EXPECT_EQ(ReadUiState(file)->theme, ui::Theme::kLight);
  EXPECT_EQ(std::distance(fs::directory_iterator(In("a/b")), {}), 1) << "nothing is left beside it";
}

TEST_F(UiStateFile, IsLeftAloneWhereNothingHasChanged) {
  const std::string file = In("ui.toml");
  ASSERT_TRUE(WriteUiState(Sample(), file));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  fs::last_write_time(file, long_ago);
  ASSERT_TRUE(WriteUiState(Sample(), file));
  EXPECT_EQ(fs::last_write_time(file), long_ago);
}

TEST_F(UiStateFile, IsNoErrorWhereItIsMissingAndOneWhereItCannotBe) {
  EXPECT_TRUE(ReadUiState(In("missing/ui.toml")));
  EXPECT_TRUE(ReadUiState(""));
  EXPECT_TRUE(WriteUiState(Sample(), "")) << "there is no home";
  std::ofstream(In("file")) << "x";
  const auto written = WriteUiState(Sample(), In("file/ui.toml"));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr(In("file/ui.toml")));
}

TEST(UiState, KeepsOnlyWhatWasChangedInTheWindow) {
  ui::WindowLeft left;
  left.first.theme = left.last.theme = ui::Theme::kLight;  // by --theme
  left.first.scale = left.last.scale = 2;                  // by --scale
  const UiState same = WithLeft(Sample(), left, false);
  EXPECT_EQ(UiStateToml(same), UiStateToml(Sample()));
  left.last.theme = ui::Theme::kContrast;
  left.last.tab = ui::Tab::kKnobs;
  left.last.log_counts = true;
  left.last.scale = 2.2F;
  left.place = {.x = 1, .y = 2, .width = 300, .height = 400};
  const UiState changed = WithLeft({}, left, true);
  EXPECT_EQ(changed.theme, ui::Theme::kContrast);
  EXPECT_EQ(changed.table, ui::Tab::kKnobs);
  EXPECT_EQ(changed.log_counts, true);
  EXPECT_EQ(changed.scale, 2.2F);
  EXPECT_EQ(changed.place->width, 300);
}

TEST(UiState, ForgetsTheScaleThatTheScreenAsksForAnyway) {
  ui::WindowLeft left;
  left.first.scale = 1.5;
  left.last.scale = left.last.screen_scale = 2;
  EXPECT_EQ(WithLeft(Sample(), left, false).scale, std::nullopt);
}

}  // namespace
}  // namespace sluice::app
