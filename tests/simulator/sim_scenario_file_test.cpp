#include "sluice/simulator/sim_scenario_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/scenarios.h"

namespace sluice::simulator::testing {
namespace {

constexpr const char* kWhole = R"(
name = "whole"
summary = "All of it."
seed = 7
epochs = 0
drain = true
pause = "2s"
duration = "90s"
memory = "1GB"
cores = 12.5

[source]
kind = "range"
count = 100
allocate = "10KB"

[[op]]
name = "fetch"
kind = "synthetic"
wait = {dist = "lognormal", mean = "5ms", cv = 0.5}
read = "1MB"
read_cv = 0.3
requests = 2
workers = 3
min_workers = 2
max_workers = 9
capacity = 4
min_capacity = 2
max_capacity = 40
shards = 5
ordered = false
pin_capacity = true

[[op]]
kind = "range"
name = "captions"
count = 100

[[op]]
name = "tokenize"
kind = "synthetic"
input = "captions"
burn = "1ms"
gil = true
contention = {sigma = 0.1, kappa = 0.01}

[[op]]
kind = "zip"
inputs = ["fetch", "tokenize"]
serial = true

[[op]]
kind = "batch"
size = 8
drop_remainder = true
pin_workers = true

[consumer]
step = {dist = "exponential", mean = "20ms"}
burn = "1ms"

[machine]
ranks = 2
nodes = 4
remote_penalty = 1.5
placement = true
memory = "8GB"
restart = "10s"
noise = 0.02
meter_noise = 0.1

[storage]
bandwidth = "500MB"
request_rate = 1000
parallelism = [0.5, 1]

[[event]]
at = "10s"
op = "tokenize"
cost = 2

[[event]]
at = "20s"
cores = 6
neighbour = 1
step = 0.5
memory = "500MB"
)";

TEST(SimScenarioFile, ReadsEveryKey) {
  const auto read = ParseSimScenario(kWhole, "whole.toml");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const SimScenario& s = *read;
  EXPECT_EQ(s.name, "whole");
  EXPECT_EQ(s.seed, 7u);
  EXPECT_EQ(s.epochs, 0u);
  EXPECT_TRUE(s.drain);
  EXPECT_EQ(s.pause, 2s);
  EXPECT_EQ(s.duration, 90s);
  EXPECT_EQ(s.memory, Bytes{1'000'000'000});
  EXPECT_EQ(s.machine.cores, 12.5);
  ASSERT_EQ(s.ops.size(), 6u);
  const SimOp& fetch = s.ops[1];
  EXPECT_EQ(fetch.wait, Lognormal(5ms, 0.5));
  EXPECT_EQ(fetch.read, Bytes{1'000'000});
  EXPECT_EQ(fetch.read_cv, 0.3);
  EXPECT_EQ(fetch.requests, 2);
  EXPECT_EQ(fetch.shards, 5);
  EXPECT_FALSE(fetch.ordered);
  EXPECT_TRUE(fetch.pin_capacity && !fetch.pin_workers);
  EXPECT_THAT((std::array{fetch.workers, fetch.min_workers, fetch.max_workers}),
              ::testing::ElementsAre(3, 2, 9));
  EXPECT_THAT((std::array{fetch.capacity, fetch.min_capacity, fetch.max_capacity}),
              ::testing::ElementsAre(4, 2, 40));
  EXPECT_TRUE(s.ops[3].gil);
  EXPECT_EQ(s.ops[3].contention, (Contention{0.1, 0.01, {}}));
  EXPECT_EQ(s.ops[4].name, "zip");
  EXPECT_THAT(s.ops[4].inputs, ::testing::ElementsAre(1, 3));
  EXPECT_TRUE(s.ops[4].serial);
  EXPECT_TRUE(s.ops[5].drop_remainder && s.ops[5].pin_workers);
  EXPECT_EQ(s.consumer.step, Exponential(20ms));
  EXPECT_EQ(s.consumer.burn, Fixed(1ms));
  EXPECT_EQ(s.machine.ranks, 2);
  EXPECT_EQ(s.machine.nodes, 4);
  EXPECT_TRUE(s.machine.placement);
  EXPECT_EQ(s.machine.restart, 10s);
  EXPECT_EQ(s.storage.bandwidth, Bytes{500'000'000});
  EXPECT_EQ(s.storage.request_rate, 1000);
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[0].op, 3u);
  EXPECT_EQ(s.events[1].neighbour, 1);
  EXPECT_EQ(s.events[1].memory, Bytes{500'000'000});
}

struct Refused {
  const char* from;
  const char* to;
  const char* message;
};

class RefusedFile : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedFile, NamesFileLineAndWhatWasMeant) {
  const auto& [from, to, message] = GetParam();
  std::string text = kWhole;
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string_view(from).size(), to);
  const auto read = ParseSimScenario(text, "f.toml");
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message, ::testing::HasSubstr(message));
}

INSTANTIATE_TEST_SUITE_P(
    Keys, RefusedFile,
    ::testing::Values(
        Refused{"seed = 7", "sead = 7", "f.toml:4: unknown key 'sead' (did you mean 'seed'?)"},
        Refused{"workers = 3", "worker = 3",
                "f.toml:24: [[op]] fetch: unknown key 'worker' (did you mean 'workers'?)"},
        Refused{"wait = {dist", "wait = {dits", "unknown key 'dits' (did you mean 'dist'?)"},
        Refused{"workers = 3", "workers = \"3\"", "f.toml:24: [[op]] fetch: workers: must be a whole number"},
        Refused{"workers = 3", "workers = 10", "f.toml:24: [[op]] fetch: workers: 10 is outside 2..9"},
        Refused{"\"synthetic\"", "\"synthetik\"", "unknown \"synthetik\" (did you mean 'synthetic'?)"},
        Refused{"input = \"captions\"", "input = \"caption\"", "did you mean 'captions'?"},
        Refused{"[\"fetch\", \"tokenize\"]", "\"fetch\"", "inputs: must be an array"},
        Refused{"[consumer]\nstep", "[consumer]\nstap",
                "[consumer]: unknown key 'stap' (did you mean 'step'?)"},
        Refused{"ranks = 2", "ranks = 0", "[machine]: ranks: 0 is outside"},
        Refused{"cores = 12.5", "cores = -1", "f.toml:10: cores: -1 is outside"},
        Refused{"request_rate", "request_rat", "did you mean 'request_rate'?"},
        Refused{"op = \"tokenize\"", "op = \"tokenise\"",
                "[[event]]: op: there is no such op (did you mean 'tokenize'?)"},
        Refused{"at = \"20s\"", "at = \"2s\"", "[[event]]: at: events must be in the order of time"},
        Refused{"count = 100\n\n[[op]]\nname = \"tokenize\"", "count = 90\n\n[[op]]\nname = \"tokenize\"",
                "[[op]] zip: inputs:"},
        Refused{"[source]", "[sorce]", "did you mean 'source'?"},
        Refused{"[[op]]\nkind = \"batch\"", "[op]\nkind = \"batch\"", "f.toml:"},
        Refused{"name = \"whole\"", "name = whole", "f.toml:2: column"}));

TEST(SimScenarioFile, ReadsLiveScenariosOfSyntheticOps) {
  for (const char* name : {"mixed", "contention", "serial", "captions"}) {
    const auto read = LoadSimScenario(std::string(SLUICE_SIM_SCENARIOS "/../") + name + ".toml");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->name, name);
  }
}

}  // namespace
}  // namespace sluice::simulator::testing
