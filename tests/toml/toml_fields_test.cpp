#include "sluice/toml/toml_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sluice/toml/toml_file.h"

namespace sluice::toml {
namespace {

struct Box {
  std::uint32_t height = 1;
  Nanos time{0};
};

constexpr auto kBox = std::to_array<Field<Box>>({
    {"height", [](const TomlValue& v, Box& box) { return v.To(box.height); }, true},
    {"time", [](const TomlValue& v, Box& box) { return v.To(box.time); }},
});

Result<Box> Read(std::string_view text) {
  const auto table = ParseToml(text, "box.toml");
  if (!table) return std::unexpected(table.error());
  Box box;
  const auto read = ReadFields(*table, Place{"box.toml", "[box]"}, kBox, box);
  if (!read) return std::unexpected(read.error());
  return box;
}

TEST(TomlFields, ReadWhatIsThereAndLeaveTheRestAsItWas) {
  const auto box = Read("height = 3");
  ASSERT_TRUE(box.has_value()) << box.error().message;
  EXPECT_EQ(box->height, 3u);
  EXPECT_EQ(box->time, Nanos(0));
}

TEST(TomlFields, SayWhereSomethingIsWrongAndWhatWouldBeRight) {
  for (const auto& [text, message] :
       {std::pair{"height = 3\nhight = 4", "box.toml:2: [box]: unknown key 'hight' (did you mean 'height'?)"},
        std::pair{"time = '2ms'", "[box]: the key 'height' is missing"},
        std::pair{"height = -3", "box.toml:1: [box]: height: must be 0 or more, not -3"},
        std::pair{"height = 5000000000", "height: must be at most 4294967295 in size"},
        std::pair{"height = true", "height: must be a whole number, not true"},
        std::pair{"height = 1\ntime = 2", "box.toml:2: [box]: time: must be a duration with its unit"}}) {
    const auto box = Read(text);
    ASSERT_FALSE(box.has_value()) << text;
    EXPECT_THAT(box.error().message, testing::HasSubstr(message));
  }
}

}  // namespace
}  // namespace sluice::toml
