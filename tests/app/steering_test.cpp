#include "control/steering.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "app/steered_run.h"

namespace sluice::app {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SteeringTest : public testing::Test {
 protected:
  // What comes back; its status is in status_.
  Json Ask(const std::string& method, const std::string& path, const std::string& body = "") {
    const auto answer = run_.steering.Handle({1, method, path, lease_, body}, now_);
    status_ = answer.status;
    return Json::parse(answer.json, nullptr, false);
  }
  Json Post(const std::string& what, const std::string& body = "{}") {
    return Ask("POST", "/v1/pipelines/0/" + what, body);
  }
  // Of all decisions.
  [[nodiscard]] std::vector<std::string> Reasons() const {
    std::vector<std::string> reasons;
    for (const auto& entry : run_.agent.decisions().entries()) reasons.push_back(entry.decision.because);
    return reasons;
  }
  // From now on requests come with it.
  void TakeLease(const std::string& name = "alice") {
    lease_.clear();
    lease_ = Ask("POST", "/v1/lease", R"({"name": ")" + name + R"("})")["lease"];
  }

  SteeredRun run_;
  std::string lease_;
  MonoTime now_ = kRunStart;
  int status_ = 0;
};

TEST_F(SteeringTest, AChangeIsADecisionOfTheLapByTheUser) {
  TakeLease();
  const Json changed = Post("knobs", R"({"set": {"decode.workers": 4}, "because": "to see"})");
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(changed["knobs"][0]["requested"], 4);
  EXPECT_EQ(changed["decision"]["author"], "user");
  ASSERT_EQ(run_.plant.acted.size(), 1U);
  EXPECT_THAT(run_.plant.acted[0].changes, ElementsAre(KnobChange{kDecodeWorkers, 1, 4}));
  const auto& logged = run_.agent.decisions().entries();
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].decision.author, Author::kUser);
  EXPECT_EQ(logged[0].decision.because, "alice (control socket) sets decode.workers 1 → 4: to see");
  EXPECT_EQ(logged[0].fate, Fate::kKept);
}

TEST_F(SteeringTest, AForecastNeedsNoLeaseAndChangesNothing) {
  EXPECT_THAT(Post("forecast", R"({"set": {"decode.workers": 4}})")["error"], HasSubstr("too little"));
  EXPECT_EQ(status_, 409);
  run_.controller.forecast = Forecast{
      .now = {Rate{10}, 1.5, Bytes{100}}, .then = {Rate{25}, 3.5, Bytes{400}}, .limit = Limit::kOp, .op = 0};
  const Json told = Post("forecast", R"({"set": {"decode.workers": 4}})");
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(told["changes"], Json::parse(R"([{"knob": "decode.workers", "from": 1, "to": 4}])"));
  EXPECT_EQ(told["then"], Json::parse(R"({"items_per_second": 25.0, "cores": 3.5, "bytes": 400})"));
  EXPECT_EQ(told["now"]["items_per_second"], 10.0);
  EXPECT_EQ(told["gain_fraction"], 1.5);
  EXPECT_EQ(told["limit"], "op");
  EXPECT_EQ(told["op"], "decode");
  EXPECT_EQ(told["core_budget"], 4.0);
  EXPECT_EQ(told["memory_budget_bytes"], (512_MiB).count);
  EXPECT_THAT(Post("forecast", R"({"set": {"decode.workers": 99}})")["error"], HasSubstr("out of range"));
  EXPECT_EQ(status_, 422);
  EXPECT_THAT(run_.plant.acted, IsEmpty());
  EXPECT_THAT(Reasons(), IsEmpty());
}

TEST_F(SteeringTest, WhatIsOutOfRangeReachesNobody) {
  TakeLease();
  const Json refused = Post("knobs", R"({"set": {"decode.workers": 99}, "pin": true})");
  EXPECT_EQ(status_, 422);
  EXPECT_THAT(refused["error"], "set.decode.workers: 99 is out of range; give 1 to 16");
  EXPECT_THAT(run_.plant.acted, IsEmpty());
  EXPECT_THAT(run_.holders, IsEmpty());
}

TEST_F(SteeringTest, OneAtATimeChangesAndEverybodyReads) {
  EXPECT_THAT(Post("knobs", R"({"set": {"decode.workers": 4}})")["error"], HasSubstr("take the lease first"));
  EXPECT_EQ(status_, 423);
  TakeLease();
  lease_ = "guessed";
  for (const char* what : {"knobs", "pin", "unpin", "bounds", "hold", "resume", "undo"}) {
    const Json refused = Post(what);
    EXPECT_EQ(status_, 423) << what;
    EXPECT_EQ(refused["holder"], "alice") << what;
  }
  EXPECT_EQ(Ask("POST", "/v1/lease", R"({"name": "bob"})")["holder"], "alice");
  EXPECT_EQ(status_, 423);
  Ask("DELETE", "/v1/lease");
  EXPECT_EQ(status_, 423);
  EXPECT_EQ(Ask("GET", "/v1")["lease"]["holder"], "alice");
  EXPECT_EQ(Ask("GET", "/v1/pipelines/0")["lease"]["holder"], "alice");
  EXPECT_EQ(status_, 200);
  EXPECT_THAT(run_.plant.acted, IsEmpty());
}

TEST_F(SteeringTest, ALeaseEndsByTimeByItsHolderAndWithItsStream) {
  TakeLease();
  now_ += std::chrono::seconds(29);
  Post("hold");
  EXPECT_EQ(status_, 200) << "and lasts longer by it";
  now_ += std::chrono::seconds(29);
  Post("resume");
  EXPECT_EQ(status_, 200);
  now_ += std::chrono::seconds(30);
  Post("hold");
  EXPECT_EQ(status_, 423);
  TakeLease("bob");
  EXPECT_EQ(status_, 200);
  Ask("DELETE", "/v1/lease");
  EXPECT_EQ(status_, 200);
  TakeLease("carol");
  EXPECT_EQ(status_, 200);
  run_.steering.EndLease(lease_);
  EXPECT_TRUE(Ask("GET", "/v1")["lease"].is_null());
}

TEST_F(SteeringTest, ALeaseIsRenewedByItsHolder) {
  TakeLease();
  const std::string before = lease_;
  now_ += std::chrono::seconds(20);
  const Json again = Ask("POST", "/v1/lease", R"({"name": "alice", "seconds": 60})");
  EXPECT_EQ(again["lease"], before);
  EXPECT_EQ(again["seconds_left"], 60);
}

TEST_F(SteeringTest, UndoTakesBackOwnChangesTheNewestFirst) {
  TakeLease();
  Post("knobs", R"({"set": {"decode.workers": 4}})");
  run_.plant.SetWorkers(4, 4);
  run_.agent.Step();
  Post("knobs", R"({"set": {"decode.workers": 8}})");
  run_.plant.SetWorkers(8, 8);
  run_.agent.Step();
  run_.agent.Step();
  const Json undone = Post("undo");
  EXPECT_EQ(undone["decision"]["changes"],
            Json::parse(R"([{"knob": "decode.workers", "from": 8, "to": 4}])"));
  EXPECT_THAT(undone["decision"]["because"], HasSubstr("alice (control socket) undoes decision"));
  run_.plant.SetWorkers(4, 4);
  run_.agent.Step();
  run_.agent.Step();
  Post("undo");
  EXPECT_THAT(run_.plant.acted.back().changes, ElementsAre(KnobChange{kDecodeWorkers, 4, 1}));
  EXPECT_THAT(Post("undo")["error"], HasSubstr("alice has made no change"));
  EXPECT_EQ(status_, 409);
  EXPECT_EQ(run_.plant.acted.size(), 4U);
}

TEST_F(SteeringTest, NobodyUndoesWhatOthersHaveChanged) {
  TakeLease();
  Post("knobs", R"({"set": {"decode.workers": 4}})");
  Ask("DELETE", "/v1/lease");
  TakeLease("bob");
  Post("undo");
  EXPECT_EQ(status_, 409);
  Ask("DELETE", "/v1/lease");
  TakeLease("alice");
  Post("undo");
  EXPECT_EQ(status_, 200) << "a lease that ended in between is no reason";
}

TEST_F(SteeringTest, PinsAndUnpins) {
  TakeLease();
  EXPECT_EQ(Post("pin", R"({"knobs": ["decode.workers"]})")["knobs"][0]["holder"], "user");
  EXPECT_EQ(Post("unpin", R"({"knobs": ["decode.workers"]})")["knobs"][0]["holder"], "auto");
  EXPECT_EQ(Post("knobs", R"({"set": {"decode.workers": 1}, "pin": true})")["decision"], nullptr);
  EXPECT_THAT(run_.holders, ElementsAre(Holder::kUser, Holder::kAuto, Holder::kUser));
  EXPECT_THAT(run_.plant.acted, IsEmpty()) << "a pin alone changes nothing";
  EXPECT_THAT(Reasons(), ElementsAre("alice (control socket) pins decode.workers",
                                     "alice (control socket) unpins decode.workers",
                                     "alice (control socket) pins decode.workers"));
}

TEST_F(SteeringTest, BoundsKeepTheTunerInAndBringInsideWhatIsOutside) {
  TakeLease();
  const Json bounded = Post("bounds", R"({"bounds": {"decode.workers": {"min": 2, "max": 8}}})");
  EXPECT_EQ(status_, 200);
  EXPECT_EQ(bounded["knobs"][0]["bounds"], Json::parse(R"({"min": 2, "max": 8})"));
  EXPECT_EQ(bounded["knobs"][0]["max"], 16) << "the run's own range";
  EXPECT_EQ(bounded["knobs"][0]["requested"], 2);
  ASSERT_EQ(run_.plant.acted.size(), 1U);
  EXPECT_THAT(run_.plant.acted[0].changes, ElementsAre(KnobChange{kDecodeWorkers, 1, 2}));
  EXPECT_THAT(Reasons(), ElementsAre("alice (control socket) bounds decode.workers to 2..8"));
  EXPECT_THAT(run_.bounds.all(), ElementsAre(exporters::KnobBound{kDecodeWorkers, 2, 8}));
  EXPECT_THAT(Post("knobs", R"({"set": {"decode.workers": 9}})")["error"],
              "set.decode.workers: 9 is out of range; give 2 to 8; POST bounds gives other bounds");
  EXPECT_EQ(status_, 422);
  run_.plant.SetWorkers(1, 2), run_.agent.Step(), run_.agent.Step();
  Post("undo");
  EXPECT_EQ(run_.plant.acted.size(), 1U) << "1 is ruled out";
  EXPECT_TRUE(Post("bounds", R"({"bounds": {"decode.workers": null}})")["knobs"][0]["bounds"].is_null());
  EXPECT_THAT(run_.bounds.all(), IsEmpty());
}

TEST_F(SteeringTest, ATunerHoldsUntilItIsToldToGoOn) {
  TakeLease();
  EXPECT_EQ(Post("hold")["held_by"], "alice");
  EXPECT_TRUE(run_.agent.held());
  EXPECT_EQ(Ask("GET", "/v1/pipelines/0")["held_by"], "alice");
  EXPECT_TRUE(Post("resume")["held_by"].is_null());
  EXPECT_FALSE(run_.agent.held());
  EXPECT_THAT(Reasons(), ElementsAre("alice (control socket) holds the tuner",
                                     "alice (control socket) lets the tuner go on"));
}

TEST_F(SteeringTest, APipelineThatHasEndedIsOnlyToBeRead) {
  TakeLease();
  run_.over = true;
  Post("knobs", R"({"set": {"decode.workers": 4}})");
  EXPECT_EQ(status_, 409);
  EXPECT_EQ(Ask("GET", "/v1/pipelines/0")["over"], true);
}

TEST_F(SteeringTest, SaysWhichPathsAndVersionsThereAre) {
  EXPECT_EQ(Ask("GET", "/")["versions"], Json::parse("[1]"));
  EXPECT_EQ(Ask("GET", "/v1")["pipelines"][0]["name"], "train");
  EXPECT_EQ(Ask("GET", "/v2/pipelines/0")["versions"], Json::parse("[1]"));
  EXPECT_EQ(status_, 404);
  for (const char* path :
       {"/v1/x", "/v1/pipelines/", "/v1/pipelines/1", "/v1/pipelines/-1", "/v1/pipelines/0x",
        "/v1/pipelines/99999999999999999999", "/v1/pipelines/0/", "/v1/pipelines/0/knob"}) {
    EXPECT_TRUE(Ask("GET", path)["error"].is_string()) << path;
    EXPECT_EQ(status_, 404) << path;
  }
  EXPECT_THAT(Ask("POST", "/v1/pipelines/0")["error"], HasSubstr("use GET"));
  EXPECT_EQ(status_, 405);
  Ask("GET", "/v1/pipelines/0/undo");
  EXPECT_EQ(status_, 405);
  Ask("GET", "/v1/lease");
  EXPECT_EQ(status_, 405);
}

TEST_F(SteeringTest, AStreamIsOfOnePipeline) {
  const auto answer = run_.steering.Handle({1, "GET", "/v1/pipelines/0/stream", "", ""}, now_);
  EXPECT_EQ(answer.stream, std::optional<std::size_t>(0));
}

}  // namespace
}  // namespace sluice::app
