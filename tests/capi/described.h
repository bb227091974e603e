// A small pipeline made through sluice.h, in a folder of its own, and a reader on it.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "sluice.h"
#include "sluice/probes/segment_reader.h"

namespace sluice::capi {

struct Closed {
  void operator()(sluice_segment* segment) const { sluice_close(segment); }
};
using Segment = std::unique_ptr<sluice_segment, Closed>;

// sampler -> fetch -> consumer, with one part inside fetch.
class Described : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSampler = 0, kFetch = 1, kCollate = 2;
  static constexpr std::uint32_t kTasks = 0, kBatches = 1;
  static constexpr std::uint32_t kWorkers = 0;

  void SetUp() override {
    char pattern[] = "/tmp/sluice-capi-XXXXXX";
    folder_ = mkdtemp(pattern);
    segment_ = Make();
  }
  void TearDown() override {
    segment_.reset();
    std::filesystem::remove_all(folder_);
  }

  sluice_description* Describe() {
    sluice_description* made = nullptr;
    EXPECT_EQ(sluice_describe("test", &made), SLUICE_OK);
    EXPECT_EQ(sluice_add_op(made, "sampler", "source", 1, 1, nullptr), SLUICE_OK);
    EXPECT_EQ(sluice_add_op(made, "fetch", "map", 0, 32, nullptr), SLUICE_OK);
    EXPECT_EQ(sluice_add_part(made, "collate", kFetch, nullptr), SLUICE_OK);
    EXPECT_EQ(sluice_add_connector(made, "sampler->fetch", kSampler, kFetch, 4, nullptr), SLUICE_OK);
    EXPECT_EQ(sluice_add_connector(made, "fetch->consumer", kFetch, SLUICE_CONSUMER, 2, nullptr), SLUICE_OK);
    EXPECT_EQ(
        sluice_add_knob(made, "fetch.workers", SLUICE_KNOB_WORKERS, kFetch, 1, 8, 2, SLUICE_LIVE, nullptr),
        SLUICE_OK);
    return made;
  }
  Segment Make() {
    sluice_description* description = Describe();
    sluice_segment* segment = nullptr;
    EXPECT_EQ(sluice_create(description, (folder_ + "/sluice").c_str(), &segment), SLUICE_OK)
        << sluice_last_error();
    sluice_description_free(description);
    return Segment(segment);
  }
  [[nodiscard]] Snapshot Read(std::int64_t now) const {
    const auto reader = probes::SegmentReader::Open(sluice_path(segment_.get()));
    EXPECT_TRUE(reader.has_value());
    return reader->Read(MonoTime(now), Nanos(0));
  }
  sluice_segment* get() { return segment_.get(); }
  std::uint32_t AddWorker() {
    std::uint32_t worker = 0;
    EXPECT_EQ(sluice_add_worker(get(), kFetch, &worker), SLUICE_OK);
    return worker;
  }

  std::string folder_;
  Segment segment_;
};

}  // namespace sluice::capi
