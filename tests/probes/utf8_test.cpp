#include "segment/utf8.h"

#include <gtest/gtest.h>

namespace sluice::probes {
namespace {

TEST(CutUtf8, NeverEndsInsideOfACharacter) {
  EXPECT_EQ(CutUtf8("na\u00EFve", 3), "na");
  EXPECT_EQ(CutUtf8("na\u00EFve", 4), "na\u00EF");
  EXPECT_EQ(CutUtf8("\U0001F600", 3), "");
  EXPECT_EQ(CutUtf8("abc", 8), "abc");
}

TEST(CutUtf8, CutsWhatIsNotUtf8WhereItMust) {
  const std::string noise(20, '\x80');
  EXPECT_EQ(CutUtf8(noise, 10).size(), 10u);
}

TEST(PrintableUtf8, KeepsTextOfAnyLanguage) {
  const std::string text = "d\u00E9coder \u89E3\u7801 \U0001F600";
  EXPECT_EQ(PrintableUtf8(text), text);
}

TEST(PrintableUtf8, TakesTheTeethOutOfControlSequencesAndBrokenBytes) {
  EXPECT_EQ(PrintableUtf8("\x1b[2J"), "\uFFFD[2J");
  EXPECT_EQ(PrintableUtf8("a\xC2\x9B"
                          "b"),
            "a\uFFFD\uFFFDb");                                               // C1 control
  EXPECT_EQ(PrintableUtf8("\xC0\xAF"), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(PrintableUtf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // surrogate
  EXPECT_EQ(PrintableUtf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // too large
  EXPECT_EQ(PrintableUtf8("x\xE8\xA7"), "x\uFFFD\uFFFD");                    // cut off
}

TEST(PutText, FillsAFieldWithTextAndZeros) {
  char field[6] = {'#', '#', '#', '#', '#', '#'};
  PutText(field, "ab");
  EXPECT_EQ(std::string(field, 6), std::string("ab\0\0\0\0", 6));
  PutText(field, "abcd\u00E9");
  EXPECT_EQ(std::string(field, 6), std::string("abcd\0\0", 6));
}

}  // namespace
}  // namespace sluice::probes
