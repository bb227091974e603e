#include "metrics/metrics_pages.h"

#include <gmock/gmock.h>

#include "exporters/command.h"

namespace sluice::exporters {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

const Exposition kLatest = Expose({"small", "run", "0"}, {}, {});
const auto kServed = std::make_shared<ServedExposition>(kLatest);

std::string Text() {
  return MetricsText(kLatest, MetricsFormat::kText);
}

HttpAnswer Ask(const std::string& method, const std::string& path, const std::string& name = "",
               const std::string& value = "", const std::shared_ptr<ServedExposition>& latest = kServed) {
  return AnswerTo({method, path, {{name, value}}}, {.latest = latest, .targets = "[1]"});
}

TEST(MetricsPages, GiveTheFormatThatIsAskedFor) {
  EXPECT_EQ(Ask("GET", "/metrics").body, Text());
  EXPECT_EQ(Ask("GET", "/metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
  const HttpAnswer open = Ask("GET", "/metrics", "accept", "application/openmetrics-text");
  EXPECT_EQ(open.body, MetricsText(kLatest, MetricsFormat::kOpenMetrics));
  EXPECT_EQ(open.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST(MetricsPages, AreCompressedForThoseWhoWantIt) {
  const HttpAnswer zipped = Ask("GET", "/metrics", "accept-encoding", "gzip");
  EXPECT_THAT(zipped.headers, Contains(Pair("Content-Encoding", "gzip")));
  const CommandResult text = RunCommand("gzip -dc", zipped.body);
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.output, Text());
  EXPECT_THAT(Ask("GET", "/metrics").headers, testing::Not(Contains(Pair("Content-Encoding", "gzip"))));
  const HttpAnswer open =
      AnswerTo({"GET", "/metrics", {{"accept", "application/openmetrics-text"}, {"accept-encoding", "gzip"}}},
               {.latest = kServed});
  EXPECT_EQ(RunCommand("gzip -dc", open.body).output, MetricsText(kLatest, MetricsFormat::kOpenMetrics));
}

TEST(MetricsPages, SayWhetherThereIsSomethingToScrape) {
  EXPECT_EQ(Ask("GET", "/-/healthy", "", "", nullptr).status, 200);
  for (const char* path : {"/-/ready", "/metrics"}) {
    EXPECT_EQ(Ask("GET", path, "", "", nullptr).status, 503) << path;
    EXPECT_EQ(Ask("GET", path).status, 200) << path;
  }
}

TEST(MetricsPages, TellServiceDiscoveryOfTheServer) {
  EXPECT_EQ(Ask("GET", "/-/sd").body, "[1]");
  EXPECT_EQ(Ask("GET", "/-/sd").content_type, "application/json");
}

TEST(MetricsPages, StartWithLinksToTheOthers) {
  const HttpAnswer start = Ask("GET", "/");
  EXPECT_EQ(start.content_type, "text/html; charset=utf-8");
  for (const std::string path : {"/metrics", "/-/healthy", "/-/ready"})
    EXPECT_THAT(start.body, HasSubstr("href=\"" + path + "\""));
}

TEST(MetricsPages, TakeNoOrders) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
    EXPECT_EQ(Ask(method, "/metrics").status, 405) << method;
    EXPECT_THAT(Ask(method, "/").headers, Contains(Pair("Allow", "GET, HEAD"))) << method;
  }
  EXPECT_EQ(Ask("HEAD", "/metrics").status, 200);
}

TEST(MetricsPages, AreNoOthers) {
  for (const char* path :
       {"/metrics/", "/metrics/more", "/metricsX", "/../etc/passwd", "/-/", "/%6detrics", "*"})
    EXPECT_EQ(Ask("GET", path).status, 404) << path;
}

}  // namespace
}  // namespace sluice::exporters
