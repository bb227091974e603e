#include "sluice/ui/tables.h"

#include <gmock/gmock.h>

#include "sluice/base/machine_limits.h"
#include "ui/made_scene.h"

namespace sluice::ui {
namespace {

using testing::HasSubstr;

std::vector<std::string> Firsts(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.rows.size());
  for (const TableRow& row : table.rows) names.push_back(row.cells[0].text());
  return names;
}

std::size_t ColumnOf(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == name) return i;
  }
  ADD_FAILURE() << "no column " << name;
  return 0;
}

TEST(OpTable, IsInTheOrderOfTheDatasWayAndMarksTheLimit) {
  const Table table = MakeTable(Tab::kOps, MadeScene());
  EXPECT_EQ(Firsts(table), (std::vector<std::string>{"read", "\u26A0 decode", "batch"}));
  EXPECT_TRUE(table.rows[1].marked);
}

TEST(OpTable, SortsByNumberAndLeavesTheUnknownLastEitherWay) {
  const std::size_t items = ColumnOf(MakeTable(Tab::kOps, MadeScene()), "items");
  const auto sorted = [&](bool descending) {
    return Firsts(MakeTable(Tab::kOps, MadeScene(), {.sort = items, .descending = descending}));
  };
  EXPECT_EQ(sorted(false), (std::vector<std::string>{"\u26A0 decode", "read", "batch"}));
  EXPECT_EQ(sorted(true), (std::vector<std::string>{"read", "\u26A0 decode", "batch"}));
}

TEST(OpTable, FiltersWhateverTheCase) {
  const Table table = MakeTable(Tab::kOps, MadeScene(), {.filter = "DECO"});
  EXPECT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.hidden, 2u);
  EXPECT_THAT(MakeTable(Tab::kOps, MadeScene(), {.filter = "nowhere"}).empty, HasSubstr("without that word"));
}

TEST(EveryTable, HasACellPerColumnAndSaysWhyItIsEmpty) {
  for (int tab = 0; tab < static_cast<int>(Tab::kCount); ++tab) {
    const Table table = MakeTable(static_cast<Tab>(tab), MadeScene());
    for (const TableRow& row : table.rows) EXPECT_EQ(row.cells.size(), table.columns.size()) << tab;
    const Table bare = MakeTable(static_cast<Tab>(tab), Scene{});
    EXPECT_TRUE(!bare.rows.empty() || !bare.empty.empty()) << TabName(static_cast<Tab>(tab));
  }
}

TEST(KnobTable, TellsCurrentRequestedRangeAndHolder) {
  const Table table = MakeTable(Tab::kKnobs, MadeScene());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(TableText(table),
            "knob\tfirst\tnow\trequested\trange\ttakes effect\tholder\n"
            "decode.workers\t1\t2\t3\t1 to 64\tat once\tthe tuner\n");
}

TEST(DecisionTable, TellsWhatWasPredictedAndMeasured) {
  const Table table = MakeTable(Tab::kDecisions, MadeScene());
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].item, 7u);
  EXPECT_EQ(table.rows[0].cells[ColumnOf(table, "predicted")].text(), "+100%");
  EXPECT_EQ(table.rows[0].cells[ColumnOf(table, "measured")].text(), "+75%");
}

TEST(RankTable, NamesTheStraggler) {
  Scene scene = MadeScene();
  scene.ranks = {{.name = "train", .rank = 0, .starved = Fraction{0.1}, .shown = true},
                 {.name = "train", .rank = 1, .starved = Fraction{0.4}}};
  const Table table = MakeTable(Tab::kRanks, scene);
  EXPECT_EQ(table.rows[0].cells.back().text(), "");
  EXPECT_THAT(table.rows[1].cells.back().text(), HasSubstr("waits most; the median is 10%"));
  scene.ranks.pop_back();
  EXPECT_EQ(MakeTable(Tab::kRanks, scene).rows[0].cells.back().text(), "") << "nobody straggles alone";
}

TEST(DescribeOp, DrawsItsTimesFromTheFirstToTheLastBucketInUse) {
  const Box box{100, 100, 300, 80};
  const OpDetail detail = DescribeOp(MadeScene(), 1, box, false);
  ASSERT_EQ(detail.bars.size(), 3u);
  EXPECT_FLOAT_EQ(detail.bars[0].box.height, 80);
  EXPECT_FLOAT_EQ(detail.bars[1].box.height, 0);
  EXPECT_FLOAT_EQ(detail.bars[2].box.height, 8);
  EXPECT_EQ(detail.from, "16.8ms");
  EXPECT_GT(DescribeOp(MadeScene(), 1, box, true).bars[2].box.height, 25) << "a logarithm shows what is rare";
  EXPECT_TRUE(DescribeOp(MadeScene(), 0, box, false).bars.empty());
  EXPECT_TRUE(DescribeOp(MadeScene(), 99, box, false).title.empty());
}

TEST(MachineTable, TellsWhereTheBudgetComesFromAndWhoRunsWhere) {
  Scene scene = MadeScene();
  MachineLimits limits;
  limits.cpus = 16;
  limits.cores = {{2, "cgroup /pods/a: cpu.max 200000 100000"}, {16, "affinity mask"}};
  limits.memory = {{Bytes{8LL << 30}, Bytes{1LL << 30}, "cgroup /pods/a: memory.max"}};
  limits.quotas = {{"cgroup /pods/a", {2, ""}, {}, Fraction{0.5}}};
  scene.now.machine = std::make_shared<const MachineLimits>(limits);
  scene.machine_now = MachineSeen{.cores = {{3, Fraction{0.98}, {"decode/0", "read/0"}}},
                                  .waits_for_core = Fraction{0.4},
                                  .waits_for_io = Fraction{0}};
  scene.machine_now->gpus = {{"H100", Fraction{0.5}, Fraction{0.9}, Bytes{4LL << 30}, Bytes{80LL << 30}}};
  const std::string text = TableText(MakeTable(Tab::kMachine, scene));
  constexpr const char* kThrottled =
      "throttled now\tthrottled by the cgroup quota: 2.0 of 16 cores, in 50% of its periods (cgroup "
      "/pods/a)\n";
  for (const char* row :
       {"core bound\t2 cores: cgroup /pods/a: cpu.max 200000 100000\n",
        "core bound\t16 cores: affinity mask\n", kThrottled,
        "memory bound\t8.00 GiB, 1.00 GiB of it left: cgroup /pods/a: memory.max\n",
        "pressure\tsome of its work waits for a core 40% of the time, for memory \u2013, for I/O 0%\n",
        "CPU 3\t98% by this run: decode/0, read/0\n",
        "GPU 0\tH100: busy 50% since it is watched, 90% at most; 4.00 GiB of 80.0 GiB of memory at most\n"})
    EXPECT_THAT(text, HasSubstr(row));
}

}  // namespace
}  // namespace sluice::ui
