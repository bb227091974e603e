#include "text/utf8.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

TEST(Printable, LetsNoControlOrInvalidByteThrough) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\x7f", true), "a?[31mb c?");
  EXPECT_EQ(Printable("\xc0\xaf\xed\xa0\x80", true), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Printable("a\u202Eb\u0085", true), "a?b?") << "text direction and C1 controls";
  EXPECT_EQ(Printable("\xe2\x82", true), "\uFFFD\uFFFD") << "cut short";
}

TEST(Printable, SpellsSignsInAscii) {
  EXPECT_EQ(Printable("1 → 2 – ünï", false), "1 -> 2 - ?n?");
}

TEST(DisplayWidth, KnowsWideAndCombiningCharacters) {
  EXPECT_EQ(DisplayWidth("decode"), 6);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("🚀"), 2);
}

TEST(Clip, NeverExceedsItsWidth) {
  EXPECT_EQ(Clip("decode", 6, true), "decode");
  EXPECT_EQ(Clip("decode", 4, true), "dec…");
  EXPECT_EQ(Clip("decode", 4, false), "dec~");
  EXPECT_EQ(Clip("decode", 0, true), "");
  for (int width = 0; width < 8; ++width) EXPECT_LE(DisplayWidth(Clip("日本語日本語", width, true)), width);
}

TEST(Prefix, CutsNoCharacter) {
  EXPECT_EQ(Prefix("aé", 2), "a");
  EXPECT_EQ(Prefix("aé", 3), "aé");
  EXPECT_EQ(Prefix("日", 2), "");
}

}  // namespace
}  // namespace sluice::exporters
