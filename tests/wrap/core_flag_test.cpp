#include "core_flag.h"

#include <gtest/gtest.h>

namespace sluice::wrap {
namespace {

TEST(GoesToWorkingFolder, OnlyAPlainNameDoes) {
  for (const char* here : {"core\n", "core.%p", "%e-%p.core"}) EXPECT_TRUE(GoesToWorkingFolder(here)) << here;
  for (const char* elsewhere : {"/var/crash/core.%p\n", "|/usr/lib/systemd/systemd-coredump %P", "sub/core",
                                "@/run/coredump.socket", "", "\n"}) {
    EXPECT_FALSE(GoesToWorkingFolder(elsewhere)) << elsewhere;
  }
}

}  // namespace
}  // namespace sluice::wrap
