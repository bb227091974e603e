#include "sluice/exporters/mindspore_profile.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "exporters/example_profile.h"
#include "exporters/session_folder.h"
#include "sluice/exporters/interval.h"

namespace sluice::exporters {
namespace {

using example::Profile;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kBatch = 2;  // places in the graph, sources first
constexpr std::size_t kMap = 1;

MindSporeProfile Read(const MindSporeFiles& files, std::optional<std::uint32_t> batch_size = {}) {
  auto profile = ReadMindSporeProfile(files, batch_size);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? std::move(*profile) : MindSporeProfile{};
}

std::string Refusal(const MindSporeFiles& files) {
  const auto profile = ReadMindSporeProfile(files);
  return profile ? "" : profile.error().message;
}

std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.ops.size());
  for (const OpInfo& op : graph.ops) names.push_back(op.name + " " + op.kind);
  for (const ConnectorInfo& connector : graph.connectors) names.push_back(connector.name);
  return names;
}

TEST(MindSporeProfile, HasTheOpsFromTheSourceOn) {
  const MindSporeProfile profile = Read(Profile());
  EXPECT_THAT(Names(*profile.snapshots.front().graph),
              ElementsAre("ImageFolder(3) source", "Map(2) map", "Batch(1) batch", "EpochCtrl(0) epochctrl",
                          "ImageFolder(3)->Map(2)", "Map(2)->Batch(1)", "Batch(1)->consumer"));
  EXPECT_EQ(profile.samples, 41u);
  EXPECT_EQ(profile.logical_cpus, 16);
  EXPECT_EQ(profile.memory, Bytes{65536} * (1 << 20));
}

TEST(MindSporeProfile, KnowsWhatThePipelineUsedAndWhatLayReady) {
  const MindSporeProfile profile = Read(Profile());
  const Snapshot& from = profile.snapshots.front();
  const Snapshot& to = profile.snapshots.back();
  EXPECT_EQ(to.at - from.at, std::chrono::seconds(4));
  EXPECT_NEAR(MeasureOp(from, to, kMap).on_cpu->value, 0.9, 0.01) << "7.2 cores among 8 workers";
  EXPECT_NEAR(*CoresUsed(from, to), 10, 0.01);
  EXPECT_NEAR(*MeasureConnector(from, to, 0).mean_depth, 15, 0.01);
  EXPECT_NEAR(MeasureConnector(from, to, 2).empty->value, 1, 0.01);
  EXPECT_EQ(to.connectors[0].depth, 15u);
  EXPECT_EQ(to.connectors[0].capacity, 16u);
  EXPECT_EQ(to.connectors[0].high_water, 15u);
  EXPECT_EQ(to.ops[kMap].workers, 8);
  EXPECT_EQ(to.rss, 2_GiB + 512_KiB);
}

TEST(MindSporeProfile, CountsBatchesAndHowLongTheyWereWaitedFor) {
  const MindSporeProfile profile = Read(Profile());
  const Snapshot& to = profile.snapshots.back();
  EXPECT_EQ(to.consumer.items, 80u);
  EXPECT_EQ(to.consumer.starved, std::chrono::milliseconds(80 * 40));
  EXPECT_EQ(to.consumer.busy, std::chrono::milliseconds(79 * 10)) << "the first is asked for at once";
  EXPECT_EQ(to.consumer.starting, std::chrono::milliseconds(40));
}

TEST(MindSporeProfile, LeavesOpenWhatNobodyCounted) {
  const MindSporeProfile profile = Read(Profile());
  const Snapshot& from = profile.snapshots.front();
  const Snapshot& to = profile.snapshots.back();
  const OpInterval map = MeasureOp(from, to, kMap);
  EXPECT_FALSE(map.items || map.busy || map.starved || map.backed_up || map.p50);
  EXPECT_NEAR(MeasureOp(from, to, kBatch).items->per_second, 20, 0.5)
      << "each batch that was taken came from it";
  EXPECT_FALSE(to.consumer.rows_known) << "nobody says how many rows a batch holds";
  EXPECT_FALSE(MeasureConsumer(from, to).rows);
  EXPECT_FALSE(to.connectors[0].counted || to.buffered_known || to.epoch_known);
  EXPECT_EQ(to.wall, Nanos(0)) << "the profiler's clock begins when the machine starts";
}

TEST(MindSporeProfile, CountsRowsWhereTheUserSaysWhatABatchHolds) {
  const MindSporeProfile profile = Read(Profile(), 32);
  EXPECT_TRUE(profile.snapshots.back().consumer.rows_known);
  EXPECT_EQ(profile.snapshots.back().consumer.rows, 80u * 32);
}

TEST(MindSporeProfile, TakesASenderToADeviceForTheConsumer) {
  MindSporeFiles files = Profile();
  files.pipeline->text = example::PipelineJson("DataQueueOp");
  files.iterator.reset();
  files.device_queue = ProfileFile{"device_queue_profiling_0.txt", example::TraceText(true)};
  const MindSporeProfile profile = Read(files);
  EXPECT_TRUE(profile.to_device);
  EXPECT_EQ(profile.snapshots.back().ops.size(), 3u) << "it is no op of its own";
  EXPECT_EQ(profile.snapshots.back().consumer.starved, std::chrono::milliseconds(80 * 40));
  EXPECT_EQ(profile.snapshots.back().consumer.busy, std::chrono::milliseconds(80 * 10));
  EXPECT_THAT(profile.notes, Contains(HasSubstr("sends batches to the device")));
}

// The same stretch of time is its wait for room on the device.
TEST(MindSporeProfile, DoesNotCallASenderStarvedWhereBatchesLieReady) {
  MindSporeFiles files = Profile();
  files.iterator.reset();
  files.device_queue = ProfileFile{"device_queue_profiling_0.txt", example::TraceText(true, 80, 7)};
  const ConsumerReading consumer = Read(files).snapshots.back().consumer;
  EXPECT_EQ(consumer.starved, Nanos(0));
  EXPECT_EQ(consumer.busy, std::chrono::milliseconds(80 * 50));
}

TEST(MindSporeProfile, PrefersTheDeviceQueueOfTwoTraces) {
  MindSporeFiles files = Profile();
  files.device_queue = ProfileFile{"device_queue_profiling_0.txt", example::TraceText(true)};
  const MindSporeProfile profile = Read(files);
  EXPECT_TRUE(profile.to_device);
  EXPECT_THAT(profile.notes, Contains(HasSubstr("Left out: dataset_iterator_profiling_0.txt")));
}

// Their first look has a time and no figures, and an iterator wrote no times to get a batch.
TEST(MindSporeProfile, ReadsTheFilesOfOlderVersions) {
  MindSporeFiles files = Profile();
  const std::string op = R"({"metrics":{"sys_utilization":[0,0],"user_utilization":[400,800]},"op_id":2})";
  const std::string of_none = R"({"metrics":{"sys_utilization":[0,0],"user_utilization":[9,9]},"op_id":-1})";
  files.cpu->text = R"({"cpu_processor_num":16,"op_info":[)" + of_none + "," + op +
                    R"(],"time_stamp":[1000,2000,4000],"device_info":{"user_utilization":[1]}})";
  files.pipeline->text = example::PipelineJson("EpochCtrlOp", 3);
  files.iterator->text = "1 16 1 0 1500\n1 16 2 3 3000\n";
  const MindSporeProfile profile = Read(files);
  const Snapshot& to = profile.snapshots.back();
  EXPECT_EQ(to.ops[kMap].on_cpu, std::chrono::seconds(4 * 1 + 8 * 2))
      << "each figure is of the time before its look";
  EXPECT_FALSE(to.cpu_known) << "nothing is said of the process";
  EXPECT_EQ(to.consumer.items, 2u);
  EXPECT_FALSE(to.consumer.timed);
  EXPECT_FALSE(MeasureConsumer(profile.snapshots.front(), to).starved);
  EXPECT_THAT(profile.notes, Contains(HasSubstr("How long the consumer waited")));
}

TEST(MindSporeProfile, AddsUpWhatBatchesTookWhereNoMomentIsWritten) {
  MindSporeFiles files{.rank = 0};
  files.device_queue =
      ProfileFile{"device_queue_profiling_0.txt",
                  "0 1 1 5\n0 2 1 300\n0 0 1 295\n1 64 1 0\n0 1 2 5\n0 2 2 200\n0 0 2 195\n1 64 2 0\n"};
  const MindSporeProfile profile = Read(files);
  EXPECT_EQ(profile.snapshots.back().at - profile.snapshots.front().at, std::chrono::milliseconds(500));
  EXPECT_EQ(profile.snapshots.back().consumer.starved, std::chrono::milliseconds(490));
}

TEST(MindSporeProfile, KnowsOldClocksThatTellTheDay) {
  MindSporeFiles files{.rank = 0};
  files.iterator =
      ProfileFile{"dataset_iterator_profiling_0.txt", "1 16 1 0 1600000000000\n1 16 2 3 1600000001000\n"};
  EXPECT_EQ(Read(files).snapshots.back().wall, std::chrono::seconds(1'600'000'001));
}

TEST(MindSporeProfile, FollowsBranchesThroughOpsWithoutAQueue) {
  MindSporeFiles files = Profile();
  files.pipeline->text = fmt::format(R"({{"op_info":[{},{},{},{},{}],"sampling_interval":100}})",
                                     example::ProfiledOpJson(4, "TFReaderOp", 4, "", example::QueueJson(1)),
                                     example::ProfiledOpJson(3, "CsvOp", 4, "", example::QueueJson(9)),
                                     example::ProfiledOpJson(2, "RepeatOp", 1, "3", "null"),
                                     example::ProfiledOpJson(1, "ZipOp", 1, "2,4", example::QueueJson(1)),
                                     example::ProfiledOpJson(0, "MapOp", 1, "1", example::QueueJson(1)));
  const MindSporeProfile profile = Read(files);
  const Graph& graph = *profile.snapshots.front().graph;
  EXPECT_THAT(Names(graph), ElementsAre("Csv(3) source", "Repeat(2) repeat", "TFReader(4) source",
                                        "Zip(1) zip", "Map(0) map", "Csv(3)->Zip(1)", "TFReader(4)->Zip(1)",
                                        "Zip(1)->Map(0)", "Map(0)->consumer"));
  EXPECT_TRUE(graph.IsPart(1)) << "Repeat runs in the threads of Zip";
  EXPECT_TRUE(graph.ops[3].serial);
  EXPECT_TRUE(profile.snapshots.back().consumer.rows_known) << "an item is a row: there is no batch op";
}

TEST(MindSporeProfile, ImportsTheRestWithoutTheCpuFile) {
  MindSporeFiles files = Profile();
  files.cpu.reset();
  const MindSporeProfile profile = Read(files);
  const Snapshot& to = profile.snapshots.back();
  EXPECT_FALSE(to.cpu_known || to.ops[kMap].on_cpu || to.rss);
  EXPECT_EQ(to.budget.cores, 0);
  EXPECT_NEAR(*MeasureConnector(profile.snapshots.front(), to, 0).mean_depth, 15, 0.01);
  EXPECT_THAT(profile.notes, AllOf(Contains(HasSubstr("minddata_cpu_utilization_0.json is not there")),
                                   Contains(HasSubstr("taken is every 100 ms"))));
}

TEST(MindSporeProfile, ImportsTheRestWithoutATrace) {
  MindSporeFiles files = Profile();
  files.iterator.reset();
  const MindSporeProfile profile = Read(files);
  const ConsumerInterval consumer = MeasureConsumer(profile.snapshots.front(), profile.snapshots.back());
  EXPECT_FALSE(consumer.items || consumer.rows || consumer.starved);
  EXPECT_THAT(profile.notes, Contains(HasSubstr("how many batches were taken")));
}

TEST(MindSporeProfile, ImportsTheRestOfACutOffPipeline) {
  MindSporeFiles files = Profile();
  files.pipeline->text.resize(files.pipeline->text.size() / 2);
  const MindSporeProfile profile = Read(files);
  EXPECT_THAT(Names(*profile.snapshots.front().graph), ElementsAre("pipeline unknown", "pipeline->consumer"));
  EXPECT_EQ(profile.snapshots.back().consumer.items, 80u);
  EXPECT_THAT(profile.notes, Contains(AllOf(HasSubstr("pipeline_profiling_0.json ends in the middle"),
                                            HasSubstr("copy it again"))));
}

TEST(MindSporeProfile, LeavesOutHalfALineAtTheEndOfATrace) {
  MindSporeFiles files = Profile();
  files.iterator->text.resize(files.iterator->text.size() - 5);
  const MindSporeProfile profile = Read(files);
  EXPECT_EQ(profile.snapshots.back().consumer.items, 80u) << "its other lines tell of the last batch";
  EXPECT_TRUE(profile.snapshots.back().consumer.timed);
  EXPECT_THAT(profile.notes, Contains(HasSubstr("cut off")));
}

TEST(MindSporeProfile, SaysThatARunWasTooShortToBeLookedAt) {
  MindSporeFiles files = Profile();
  files.pipeline->text = example::PipelineJson("EpochCtrlOp", 0);
  EXPECT_THAT(Read(files).notes,
              Contains(AllOf(HasSubstr("no sample of a queue"), HasSubstr("set_monitor_sampling_interval"))));
  files.iterator.reset();
  EXPECT_THAT(Refusal(files),
              AllOf(HasSubstr("nothing of rank 0 can be used"), HasSubstr("no sample of a queue")));
}

TEST(MindSporeProfile, DoesNotMixFilesOfTwoRuns) {
  MindSporeFiles files = Profile();
  files.iterator->text = "1 16 1 0 5100000\n1 16 2 0 5100100\n";
  EXPECT_THAT(Refusal(files), HasSubstr("the files of rank 0 are of two runs"));
}

TEST(MindSporeProfile, DoesNotBelieveMoreCoresThanThereAre) {
  MindSporeFiles files = Profile();
  files.cpu->text = example::CpuJson(65535);
  const MindSporeProfile profile = Read(files);
  EXPECT_EQ(profile.snapshots.back().ops[kMap].on_cpu, Nanos(0));
  EXPECT_THAT(profile.notes,
              Contains(HasSubstr("41 samples of CPU time say more cores than the machine has")));
}

struct Wrong {
  const char* what;
  std::string pipeline;
  std::string says;
};
class WrongPipeline : public testing::TestWithParam<Wrong> {};
TEST_P(WrongPipeline, IsRefusedWithFileFieldAndRemedy) {
  const MindSporeFiles files{.rank = 0, .pipeline = ProfileFile{"p.json", GetParam().pipeline}};
  EXPECT_THAT(Refusal(files),
              AllOf(HasSubstr("p.json"), HasSubstr(GetParam().says), HasSubstr("; profile the run again")));
}
std::string Ops(const std::string& ops) {
  return R"({"sampling_interval":100,"op_info":[)" + ops + "]}";
}
std::string OneOp(const std::string& metrics, const std::string& workers = "1",
                  const std::string& children = "") {
  return fmt::format(R"({{"op_id":0,"op_type":"MapOp","num_workers":{},"children":[{}],"metrics":{}}})",
                     workers, children, metrics);
}
INSTANTIATE_TEST_SUITE_P(
    All, WrongPipeline,
    testing::Values(
        Wrong{"NoJson", "op_info", "is no JSON at byte 1"},
        Wrong{"OtherJson", "[1]", "the document is an array, not an object"},
        Wrong{"NoOps", R"({"sampling_interval":100})", "op_info is missing"},
        Wrong{"EmptyOps", Ops(""), "op_info names no op"},
        Wrong{"Workers", Ops(OneOp("null", R"("eight")")),
              R"(op_info[0].num_workers is "eight", not a whole number)"},
        Wrong{"ManyWorkers", Ops(OneOp("null", "99999999999999999999")), "op_info[0].num_workers is "},
        Wrong{"Fraction", Ops(OneOp("null", "1.5")), "op_info[0].num_workers is 1.5"},
        Wrong{"Capacity", Ops(OneOp(R"({"output_queue":{"length":0,"size":[1]}})")),
              "op_info[0].metrics.output_queue.length is 0"},
        Wrong{"NegativeDepth", Ops(OneOp(R"({"output_queue":{"length":4,"size":[1,-1]}})")),
              "op_info[0].metrics.output_queue.size[1] is -1"},
        Wrong{"NoDepths", Ops(OneOp(R"({"output_queue":{"length":4}})")), "output_queue.size is missing"},
        Wrong{"Interval", R"({"sampling_interval":0,"op_info":[]})", "sampling_interval is 0"},
        Wrong{"LongInterval",
              fmt::format(R"({{"sampling_interval":86400000,"op_info":[{}]}})",
                          OneOp(example::QueueJson(1, 4, 400))),
              "sampling_interval makes it last more than a year"},
        Wrong{"NoChild", Ops(OneOp("null", "1", "7")), "op_info is no tree"},
        Wrong{"Circle", Ops(OneOp("null", "1", "0")), "op_info is no tree"},
        Wrong{"Twice", Ops(OneOp("null") + "," + OneOp("null")), "op_info has two ends, op 0 and op 0"}),
    [](const auto& one) { return one.param.what; });

struct WrongTrace {
  const char* what;
  std::string text;
  std::string says;
};
class WrongTraceLine : public testing::TestWithParam<WrongTrace> {};
TEST_P(WrongTraceLine, IsRefusedWithItsNumber) {
  const MindSporeFiles files{.rank = 0, .iterator = ProfileFile{"t.txt", GetParam().text}};
  EXPECT_THAT(Refusal(files), AllOf(HasSubstr("t.txt"), HasSubstr(GetParam().says)));
}
INSTANTIATE_TEST_SUITE_P(
    All, WrongTraceLine,
    testing::Values(WrongTrace{"Words", "0 0 1 5 10\nhello\n",
                               "line 2: is not four or five whole numbers ('hello')"},
                    WrongTrace{"Type", "7 0 1 5 10\n", "line 1: its first number"},
                    WrongTrace{"Extra", "0 3 1 5 10\n", "its second number"},
                    WrongTrace{"Batch", "0 0 0 5 10\n", "its third number"},
                    WrongTrace{"Depth", "1 16 1 -4 10\n", "the depth, is negative"},
                    WrongTrace{"Huge", "0 0 1 99999999999 10\n", "its fourth number"},
                    WrongTrace{"Moment", "1 16 1 4 -10\n", "its fifth number"},
                    WrongTrace{"Backwards", "1 16 1 4 10\n1 16 2 4 9\n", "the time of batch 2 is before"},
                    WrongTrace{"Year", "1 16 1 4 10\n1 16 2 4 99999999999\n", "span more than a year"},
                    WrongTrace{"Empty", "", "holds no batch"},
                    WrongTrace{"NoMoments", "1 64 1 3\n", "does not say when batches were taken"}),
    [](const auto& one) { return one.param.what; });

TEST(MindSporeProfile, NamesWhatIsWrongInTheCpuFile) {
  MindSporeFiles files = Profile();
  files.cpu->text = R"({"cpu_processor_num":16,"op_info":[],"time_stamp":[1000,999]})";
  EXPECT_THAT(Read(files).notes, Contains(HasSubstr("time_stamp does not rise")));
  files.cpu->text = R"({"cpu_processor_num":0,"op_info":[],"time_stamp":[1]})";
  EXPECT_THAT(Read(files).notes, Contains(HasSubstr("cpu_processor_num is 0")));
  files.cpu->text = R"({"cpu_processor_num":1,"op_info":[{"op_id":1,"metrics":null}],"time_stamp":[1]})";
  EXPECT_THAT(Read(files).notes, Contains(HasSubstr("op_info[0].metrics.user_utilization is missing")));
}

class ProfileFolder : public SessionFolderTest {
 protected:
  void Write(const std::string& name, const std::string& text) { std::ofstream(In(name)) << text; }
  [[nodiscard]] std::string Refusal(std::optional<int> rank = {}) const {
    const auto found = FindMindSporeProfiles(folder_.string(), rank);
    return found ? "" : found.error().message;
  }
};

TEST_F(ProfileFolder, IsReadRankByRank) {
  Write("pipeline_profiling_10.json", "ten");
  Write("pipeline_profiling_2.json", "two");
  Write("device_queue_profiling_2.txt", "sent");
  Write("dataset_iterator_profiling_2.txt", "taken");
  Write("minddata_cpu_utilization_2.json", "used");
  Write("pipeline_profiling_x.json", "of nobody");
  Write("minddata_pipeline_summary_2.json", "of somebody else");
  const auto found = FindMindSporeProfiles(folder_.string());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].rank, 2);
  EXPECT_EQ((*found)[0].pipeline->text, "two");
  EXPECT_EQ((*found)[0].cpu->text, "used");
  EXPECT_EQ((*found)[0].device_queue->text, "sent");
  EXPECT_EQ((*found)[0].iterator->path, In("dataset_iterator_profiling_2.txt"));
  EXPECT_EQ((*found)[1].rank, 10);
  EXPECT_EQ(FindMindSporeProfiles(folder_.string(), 10)->size(), 1u);
  EXPECT_THAT(Refusal(7), HasSubstr("holds nothing of rank 7; it has 2, 10"));
}

TEST_F(ProfileFolder, WithoutAProfileIsRefused) {
  EXPECT_THAT(Refusal(),
              AllOf(HasSubstr("holds no profile of MindSpore's"), HasSubstr("Profiler(data_process=True)")));
  std::filesystem::create_directory(In("profiler"));
  Write("profiler/pipeline_profiling_0.json", "{}");
  EXPECT_THAT(Refusal(), HasSubstr(In("profiler") + " does: name that"));
  EXPECT_THAT(FindMindSporeProfiles(In("nowhere")).error().message, HasSubstr("cannot read the folder"));
}

TEST_F(ProfileFolder, SaysOfWhichFileItCannotRead) {
  std::filesystem::create_directory(In("pipeline_profiling_0.json"));
  Write("dataset_iterator_profiling_0.txt", example::TraceText(false));
  const auto found = FindMindSporeProfiles(folder_.string());
  ASSERT_TRUE(found);
  EXPECT_THAT((*found)[0].unread, Contains(HasSubstr("pipeline_profiling_0.json")));
  EXPECT_THAT(Read((*found)[0]).notes, Contains(HasSubstr("Left out: cannot read")));
}

}  // namespace
}  // namespace sluice::exporters
