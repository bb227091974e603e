#include "sluice/wrap/run_and_read.h"

#include <gtest/gtest.h>

namespace sluice::wrap {
namespace {

using namespace std::chrono_literals;

Result<std::string> ReadOf(const std::string& script, Nanos longest = 60s) {
  return RunAndRead({{"sh", "-c", script}, {"PATH=/usr/bin:/bin"}}, longest);
}

TEST(RunAndRead, GivesEverythingThatWasPrinted) {
  const auto text = ReadOf("echo one; echo hidden >&2; cat; head -c 200000 /dev/zero | tr '\\0' x");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->size(), 200'004u);
  EXPECT_TRUE(text->starts_with("one\nxxx"));
}

TEST(RunAndRead, SaysHowItEnded) {
  EXPECT_EQ(ReadOf("exit 3").error().message, "sh ended with 3");
  EXPECT_EQ(ReadOf("kill -9 $$").error().message, "sh was killed by signal 9");
  EXPECT_EQ(RunAndRead({{"no-such-program"}, {}}, 60s).error().message, "no-such-program ended with 127");
}

TEST(RunAndRead, DoesNotWaitForEver) {
  EXPECT_EQ(ReadOf("exec sleep 600", 50ms).error().message, "sh was not through after 50.0ms");
}

}  // namespace
}  // namespace sluice::wrap
