#include "sluice/exporters/metrics_server.h"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>

#include "exporters/raw_client.h"
#include "sluice/base/clock.h"
#include "sluice/exporters/metrics_text.h"

namespace sluice::exporters {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string Ask(int port, const std::string& request) {
  return RawClient(port).Ask(request);
}

std::string Get(int port, const std::string& path) {
  return Ask(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

Exposition Told(const std::string& scenario) {
  return Expose({scenario, "run", "0"}, {}, {});
}

std::string Refusal(const std::string& address) {
  const auto server = MetricsServer::Start(address);
  return server ? "" : server.error().message;
}

TEST(MetricsServer, ServesWhatWasPublishedLast) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value()) << server.error().message;
  const int port = (*server)->port();
  EXPECT_GT(port, 0);
  EXPECT_EQ((*server)->url(), "http://127.0.0.1:" + std::to_string(port) + "/metrics");
  EXPECT_THAT(Get(port, "/metrics"), StartsWith("HTTP/1.1 503"));
  (*server)->Publish(Told("a"));
  (*server)->Publish(Told("b"));
  const std::string answer = Get(port, "/metrics");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n" + MetricsText(Told("b"), MetricsFormat::kText)));
}

TEST(MetricsServer, ServesOpenMetricsToThoseWhoAskForIt) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  (*server)->Publish(Told("a"));
  const std::string answer = Ask((*server)->port(),
                                 "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: "
                                 "application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n");
  EXPECT_THAT(answer,
              HasSubstr("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n" + MetricsText(Told("a"), MetricsFormat::kOpenMetrics)));
}

TEST(MetricsServer, TakesNoOrders) {
  const auto server = MetricsServer::Start("localhost:0");
  ASSERT_TRUE(server.has_value());
  (*server)->Publish(Told("a"));
  const int port = (*server)->port();
  for (const std::string method : {"POST", "PUT", "DELETE"}) {
    EXPECT_THAT(Ask(port, method + " /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
                StartsWith("HTTP/1.1 405"))
        << method;
  }
  EXPECT_THAT(Ask(port, "nonsense\r\n\r\n"), testing::Not(HasSubstr("sluice_run_info")));
  EXPECT_THAT(Get(port, "/metrics?x=1"), StartsWith("HTTP/1.1 200"));
}

TEST(MetricsServer, RefusesAnAddressThatOthersCanReach) {
  EXPECT_THAT(Refusal("0.0.0.0:0"), HasSubstr("127.0.0.1:0"));
  EXPECT_TRUE(MetricsServer::Start("0.0.0.0:0", SLUICE_DOCS "/web-config.yml").has_value());
}

TEST(MetricsServer, NamesABusyPortAndWhatToDo) {
  const auto first = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(first.has_value());
  const std::string address = "127.0.0.1:" + std::to_string((*first)->port());
  EXPECT_THAT(Refusal(address), HasSubstr(address + ": the port is in use; choose another"));
}

TEST(MetricsServer, WaitsAtTheEndOnlyForThoseWhoScrape) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  (*server)->Publish(Told("a"));
  (*server)->AwaitScrape(std::chrono::hours(1));  // nobody has come
  Get((*server)->port(), "/metrics");
  (*server)->Publish(Told("b"));
  (*server)->AwaitScrape(std::chrono::hours(1));  // once is no habit
  Get((*server)->port(), "/metrics");
  (*server)->AwaitScrape(std::chrono::hours(1));  // has what is there
}

TEST(MetricsServer, WaitsForEachPathThatIsScraped) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  const Snapshot now;
  const DecisionLog decisions;
  const std::vector<PipelineMetrics> pipelines = {{"a", 0, 70, &now, &decisions, nullptr},
                                                  {"b", 1, 71, &now, &decisions, nullptr}};
  const auto publish = [&] { (*server)->Publish(Expose({"a", "run", "0"}, {}, pipelines)); };
  publish();
  for (int time = 0; time < 2; ++time) {
    EXPECT_THAT(Get((*server)->port(), "/metrics/rank/0"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(Get((*server)->port(), "/metrics/rank/1"), StartsWith("HTTP/1.1 200"));
  }
  const MonoTime scraped = MonoNow();
  publish();
  const auto due = [&] { return (*server)->ScrapeDue(std::chrono::hours(1)).has_value(); };
  const auto too_late = [&] { return MonoNow() - scraped > std::chrono::seconds(1); };  // on a busy machine
  EXPECT_TRUE(due() || too_late());
  Get((*server)->port(), "/metrics/rank/0");
  EXPECT_TRUE(due() || too_late()) << "the other one has not been scraped";
  Get((*server)->port(), "/metrics/rank/1");
  EXPECT_FALSE(due());
  publish();
  (*server)->Publish(Told("without processes"));
  EXPECT_FALSE(due()) << "nobody can scrape what is not there any more";
}

TEST(MetricsServer, TellsServiceDiscoveryOfEachProcessWhenAsked) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ((*server)->Describe("run", true), "[]\n");
  const Snapshot now;
  const DecisionLog decisions;
  const PipelineMetrics pipeline{"a", 5, 70, &now, &decisions, nullptr};
  (*server)->Publish(Expose({"a", "run", "0"}, {}, {&pipeline, 1}));
  EXPECT_THAT((*server)->Describe("run", true), HasSubstr("\"/metrics/rank/5\""));
  EXPECT_THAT(Get((*server)->port(), "/-/sd"), HasSubstr("\"/metrics/rank/5\""));
}

TEST(MetricsServer, TellsServiceDiscoveryWhereItIs) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  const std::string targets = (*server)->Describe("4242-17f3");
  EXPECT_THAT(targets, HasSubstr("\"127.0.0.1:" + std::to_string((*server)->port()) + "\""));
  EXPECT_THAT(Get((*server)->port(), "/-/sd"), EndsWith("\r\n\r\n" + targets));
}

class BadAddress : public testing::TestWithParam<const char*> {};

TEST_P(BadAddress, IsRefusedWithAnExample) {
  EXPECT_THAT(Refusal(GetParam()), HasSubstr(std::string("'") + GetParam() + "'"));
  EXPECT_THAT(Refusal(GetParam()), HasSubstr("127.0.0.1:9464"));
}

INSTANTIATE_TEST_SUITE_P(Addresses, BadAddress,
                         testing::Values("", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                                         "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:80,443", "::1:9464",
                                         "example.org:9464", "127.0.0.1:9464s"));

TEST(MetricsServer, AnswersWhileTextIsReplaced) {
  const auto server = MetricsServer::Start("127.0.0.1:0");
  ASSERT_TRUE(server.has_value());
  const Exposition a = Told(std::string(50'000, 'a'));
  const Exposition b = Told(std::string(50'000, 'b'));
  const std::string a_text = MetricsText(a, MetricsFormat::kText);
  const std::string b_text = MetricsText(b, MetricsFormat::kText);
  (*server)->Publish(a);
  std::atomic<bool> stop = false;
  std::jthread publisher([&] {
    while (!stop) {
      (*server)->Publish(b);
      (*server)->Publish(a);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const std::string answer = Get((*server)->port(), "/metrics");
    EXPECT_TRUE(answer.ends_with(a_text) || answer.ends_with(b_text)) << "a scrape mixed two texts";
  }
  stop = true;
}

}  // namespace
}  // namespace sluice::exporters
