#include "sluice/exporters/doctor_list.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

using State = DoctorCheck::State;

TEST(DoctorText, PutsTheRemedyBehindWhatIsBad) {
  const std::vector<DoctorCheck> checks{{State::kGood, "cores", "4", ""},
                                        {State::kBad, "/dev/shm", "full", "empty it"}};
  EXPECT_EQ(DoctorText(checks),
            "ok   cores          4\n"
            "BAD  /dev/shm       full\n"
            "                    -> empty it\n");
  EXPECT_FALSE(AllWell(checks));
  EXPECT_TRUE(AllWell({{State::kNote, "rank", "none", ""}}));
}

}  // namespace
}  // namespace sluice::exporters
