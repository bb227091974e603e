#include <gmock/gmock.h>

#include "described.h"

namespace sluice::capi {
namespace {

using ::testing::HasSubstr;

class Description : public Described {};

TEST_F(Description, IsWhatAReaderSees) {
  const Snapshot seen = Read(sluice_now());
  ASSERT_EQ(seen.graph->ops.size(), 3u);
  EXPECT_EQ(seen.graph->ops[kFetch].name, "fetch");
  EXPECT_EQ(seen.graph->ops[kFetch].rows_per_item, 32u);
  EXPECT_EQ(seen.graph->ops[kCollate].kind, "in fetch");
  EXPECT_EQ(seen.connectors[kBatches].capacity, 2u);
  ASSERT_EQ(seen.knobs.size(), 1u);
  EXPECT_EQ(seen.knobs[0].value, 2);
}

TEST_F(Description, RefusesWhatDoesNotExistAndSaysWhat) {
  sluice_description* made = Describe();
  EXPECT_EQ(sluice_add_part(made, "x", 9, nullptr), SLUICE_INVALID);
  EXPECT_THAT(sluice_last_error(), HasSubstr("no op 9"));
  EXPECT_EQ(sluice_add_connector(made, "x", kFetch, kSampler, 1, nullptr), SLUICE_INVALID);
  EXPECT_EQ(sluice_add_knob(made, "x", SLUICE_KNOB_CAPACITY, 2, 0, 1, 0, SLUICE_LIVE, nullptr),
            SLUICE_INVALID);
  EXPECT_EQ(sluice_add_knob(made, "x", SLUICE_KNOB_WORKERS, 0, 2, 1, 0, SLUICE_LIVE, nullptr),
            SLUICE_INVALID);
  EXPECT_EQ(sluice_set_budget(made, -1, 0), SLUICE_INVALID);
  sluice_description_free(made);
}

TEST_F(Description, IsRefusedWhereItIsFullInsteadOfAborting) {
  sluice_description* made = Describe();
  sluice_status last = SLUICE_OK;
  for (int i = 0; i < 70 && last == SLUICE_OK; ++i) last = sluice_add_op(made, "op", "map", 0, 1, nullptr);
  EXPECT_EQ(last, SLUICE_FULL);
  sluice_description_free(made);
}

TEST_F(Description, NullIsAStatusEverywhere) {
  EXPECT_EQ(sluice_describe(nullptr, nullptr), SLUICE_INVALID);
  EXPECT_EQ(sluice_create(nullptr, nullptr, nullptr), SLUICE_INVALID);
  EXPECT_EQ(sluice_attach(nullptr, nullptr), SLUICE_INVALID);
  EXPECT_EQ(sluice_push(nullptr, 0, 1, 1, 0), SLUICE_INVALID);
  EXPECT_EQ(sluice_worker_begin(nullptr, 0, 0), SLUICE_INVALID);
  EXPECT_EQ(sluice_knob_wait(nullptr, 0, 0, nullptr), SLUICE_INVALID);
  EXPECT_EQ(sluice_knob_serial(nullptr), nullptr);
  EXPECT_STREQ(sluice_path(nullptr), "");
  sluice_close(nullptr);
}

TEST_F(Description, AMissingFolderLeavesAWorkingSegmentAndAWarning) {
  sluice_description* made = Describe();
  sluice_segment* segment = nullptr;
  ASSERT_EQ(sluice_create(made, "/proc/no/such/folder", &segment), SLUICE_OK);
  const Segment closed(segment);
  EXPECT_STREQ(sluice_path(segment), "");
  EXPECT_THAT(sluice_warning(segment), HasSubstr("cannot"));
  EXPECT_EQ(sluice_push(segment, kTasks, 1, 0, sluice_now()), SLUICE_OK);
  sluice_description_free(made);
}

TEST_F(Description, TheAbiOfTheHeaderIsServedAndANewerOneIsNot) {
  EXPECT_EQ(sluice_check_abi(SLUICE_ABI_VERSION), SLUICE_OK);
  EXPECT_EQ(sluice_check_abi(SLUICE_ABI_VERSION + 1), SLUICE_TOO_NEW);
  EXPECT_EQ(sluice_check_abi(SLUICE_ABI_VERSION + 1000), SLUICE_TOO_NEW);
  EXPECT_THAT(sluice_last_error(), HasSubstr("ABI version"));
}

}  // namespace
}  // namespace sluice::capi
