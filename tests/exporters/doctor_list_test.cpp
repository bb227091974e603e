#include "sluice/exporters/doctor_list.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

using State = DoctorCheck::State;

const DoctorCheck kReadAhead{State::kNote, "read-ahead",
                             "128 KiB",    "echo 4096 | sudo tee FILE",
                             "read_ahead", {{"/sys/class/bdi/8:0/read_ahead_kb", "128"}},
                             "root"};

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

TEST(DoctorText, TellsWhatANoteRestsOnAndWhatItsRemedyCosts) {
  EXPECT_EQ(DoctorText({kReadAhead}),
            "note read-ahead     128 KiB\n"
            "                    /sys/class/bdi/8:0/read_ahead_kb: 128\n"
            "                    -> echo 4096 | sudo tee FILE\n"
            "                       costs: root\n");
  DoctorCheck good = kReadAhead;
  good.state = State::kGood;
  good.remedy = good.costs = "";
  EXPECT_EQ(DoctorText({good}), "ok   read-ahead     128 KiB\n") << "what is well needs no proof";
}

TEST(DoctorText, NothingThatAMountIsCalledReachesTheTerminalUnchecked) {
  EXPECT_EQ(DoctorText({{State::kGood, "storage", "\x1b[2Jdata", ""}}), "ok   storage        ?[2Jdata\n");
}

TEST(DoctorJson, HasEveryPartOfEveryCheck) {
  EXPECT_EQ(DoctorJson({kReadAhead, {State::kBad, "libsluice.so", "gone", ""}}),
            R"({
  "format": "sluice-doctor",
  "format_version": 1,
  "wrap_works": false,
  "checks": [
    {
      "state": "note",
      "kind": "read_ahead",
      "subject": "read-ahead",
      "found": "128 KiB",
      "evidence": [
        {
          "from": "/sys/class/bdi/8:0/read_ahead_kb",
          "read": "128"
        }
      ],
      "remedy": "echo 4096 | sudo tee FILE",
      "costs": "root"
    },
    {
      "state": "bad",
      "kind": "libsluice_so",
      "subject": "libsluice.so",
      "found": "gone",
      "evidence": [],
      "remedy": null,
      "costs": null
    }
  ]
}
)");
}

TEST(KindOf, IsMadeOfTheSubjectWhereNoneIsGiven) {
  EXPECT_EQ(KindOf({State::kGood, "open files", "", ""}), "open_files");
  EXPECT_EQ(KindOf({State::kGood, "SLUICE_DISABLE", "", ""}), "sluice_disable");
  EXPECT_EQ(KindOf({State::kGood, "/dev", "", ""}), "dev");
  EXPECT_EQ(KindOf(kReadAhead), "read_ahead");
}

}  // namespace
}  // namespace sluice::exporters
