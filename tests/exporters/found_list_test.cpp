#include "sluice/exporters/found_list.h"

#include <gmock/gmock.h>

namespace sluice::exporters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FoundList, SaysWhatToDoWhenThereIsNothing) {
  EXPECT_THAT(FoundList({}, {}), ElementsAre(HasSubstr("sluice run")));
}

TEST(FoundList, AlignsRunsAndShowsWhatIsMissingAsADash) {
  const std::vector<FoundRun> runs = {
      {4242, "sluice", "jpeg-1", FoundState::kRunning, std::chrono::seconds(125), 5, Rate{11.8}, ""},
      {17, "evil\nname", "", FoundState::kUnreadable, {}, {}, {}, "layout 2.0 is newer than this program"}};
  EXPECT_THAT(
      FoundList(runs, {}),
      ElementsAre(" pid  program    run     state         age  ops  items/s",
                  "4242  sluice     jpeg-1  running     2m05s    5     11.8",
                  "  17  evil name  –       unreadable      –    –        –  layout 2.0 is newer than "
                  "this program"));
}

}  // namespace
}  // namespace sluice::exporters
