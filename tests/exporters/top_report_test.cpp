#include "sluice/exporters/top_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "exporters/example_run.h"
#include "sluice/base/machine_limits.h"

namespace sluice::exporters {
namespace {

TopReport Look() {
  const LiveView view = example::View();
  return {.program = "train.py: \"loader\"",
          .run_id = "r1",
          .pid = 4242,
          .version = "0.1.0",
          .run_start = view.start,
          .from = view.previous,
          .to = view.now,
          .verdict = view.verdict,
          .decisions = view.decisions};
}

TEST(TopJson, HasTheIntervalBetweenTheLooksAndTheRunsOwnDecisions) {
  const auto json = nlohmann::json::parse(TopJson(Look()));
  EXPECT_EQ(json["format"], "sluice-top-result");
  EXPECT_EQ(json["watched"]["program"], "train.py: \"loader\"");
  EXPECT_EQ(json["watched"]["pid"], 4242);
  EXPECT_TRUE(json["watched"]["rank"].is_null());
  EXPECT_NEAR(json["window"]["starved_fraction"].get<double>(), 0.62, 0.01);
  EXPECT_EQ(json["verdict"]["op"], "decode");
  EXPECT_EQ(json["ops"].size(), 5u);
  EXPECT_NEAR(json["ops"][2]["busy_fraction"].get<double>(), 0.985, 0.01);
  EXPECT_EQ(json["connectors"][4]["to"], nullptr);
  EXPECT_EQ(json["decisions"].size(), Look().decisions.entries().size());
}

TEST(TopJson, SaysWhyAKnobIsHeld) {
  TopReport look = Look();
  look.to.knobs[1].held = HeldBecause::kOrder;
  const auto json = nlohmann::json::parse(TopJson(look));
  EXPECT_EQ(json["settings"][1]["held"], "order");
  EXPECT_TRUE(json["settings"][0]["held"].is_null());
}

TEST(TopJson, HasNullAfterASingleLook) {
  TopReport look = Look();
  look.from = look.to;
  const auto json = nlohmann::json::parse(TopJson(look));
  EXPECT_TRUE(json["window"]["items_per_second"].is_null());
  EXPECT_TRUE(json["ops"][0]["busy_fraction"].is_null());
  EXPECT_GT(json["ops"][0]["items"], 0);
}

// A container in a pod, both with a quota; the pod's was set between the looks.
TopReport LookAtAPod() {
  MachineLimits first, second;
  first.quotas = {{.group = "cgroup /pod/c",
                   .bound = {2, "cgroup /pod/c: cpu.max 200000 100000"},
                   .use = QuotaUse{100, 50, std::chrono::seconds(10)},
                   .throttled_share = {}}};
  first.pressure = {.origin = "cgroup /pod/c",
                    .cpu = PressureTime{std::chrono::seconds(1), std::nullopt},
                    .memory = {},
                    .io = PressureTime{std::chrono::seconds(9), std::chrono::seconds(7)}};
  first.steal = std::chrono::seconds(100);
  second = first;
  second.cores = {first.quotas[0].bound, {16, "/sys/devices/system/cpu/online: 16 CPUs"}};
  second.memory = {{8_GiB, 1_GiB, "cgroup /pod/c: memory.max 8589934592"}};
  second.hints = {{std::nullopt, "SLURM_JOB_CPUS_PER_NODE=36,72"}};
  second.quotas[0].use = QuotaUse{140, 80, std::chrono::seconds(40)};
  second.quotas.push_back(
      {.group = "cgroup /pod", .bound = {4, ""}, .use = QuotaUse{9, 9, Nanos(9)}, .throttled_share = {}});
  second.pressure.cpu->some = std::chrono::seconds(4);
  second.pressure.io->full = std::chrono::seconds(6);
  second.steal = std::chrono::seconds(103);
  TopReport look = Look();
  look.from.machine = std::make_shared<const MachineLimits>(first);
  look.to.machine = std::make_shared<const MachineLimits>(second);
  return look;
}

TEST(TopJson, NamesWhatBoundsTheBudgetAndWhereItIsWritten) {
  const auto budget = nlohmann::json::parse(TopJson(LookAtAPod()))["budget"];
  EXPECT_EQ(budget["core_bounds"].size(), 2);
  EXPECT_EQ(budget["core_bounds"][0]["cores"], 2);
  EXPECT_EQ(budget["core_bounds"][0]["origin"], "cgroup /pod/c: cpu.max 200000 100000");
  EXPECT_EQ(budget["memory_bounds"][0]["left_bytes"], (1_GiB).count);
  EXPECT_TRUE(budget["shared_memory"].is_null());
  EXPECT_TRUE(budget["hints"][0]["cores"].is_null());
}

TEST(TopJson, ToldOfQuotasAndPressureIsWhatCameBetweenTheLooks) {
  const auto json = nlohmann::json::parse(TopJson(LookAtAPod()));
  const auto& own = json["throttling"][0];
  EXPECT_EQ(own["periods"], 40);
  EXPECT_EQ(own["throttled_periods"], 30);
  EXPECT_EQ(own["throttled_seconds"], 30);
  EXPECT_EQ(own["throttled_fraction"], 0.75);
  EXPECT_EQ(json["throttling"][1]["cores"], 4);
  EXPECT_TRUE(json["throttling"][1]["periods"].is_null()) << "its first look is missing";
  EXPECT_EQ(json["pressure"]["cpu"]["some_seconds"], 3);
  EXPECT_TRUE(json["pressure"]["cpu"]["full_seconds"].is_null());
  EXPECT_TRUE(json["pressure"]["memory"].is_null());
  EXPECT_TRUE(json["pressure"]["io"]["full_seconds"].is_null()) << "it fell: another counter";
  EXPECT_EQ(json["steal_seconds"], 3);
}

TEST(TopJson, IsADocumentWithNothingMeasured) {
  const auto json = nlohmann::json::parse(TopJson({}));
  EXPECT_TRUE(json["ops"].empty());
  EXPECT_EQ(json["verdict"]["limit"], "unknown");
  EXPECT_TRUE(json["budget"]["core_bounds"].empty() && json["throttling"].empty());
  EXPECT_TRUE(json["pressure"].is_null() && json["steal_seconds"].is_null());
}

}  // namespace
}  // namespace sluice::exporters
