#include "web/web_listener.h"

#include <gmock/gmock.h>
#include <poll.h>

#include <filesystem>
#include <thread>

#include "exporters/raw_client.h"

namespace sluice::exporters {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kAsk = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

std::unique_ptr<WebListener> Listen(const WebLimits& limits = {.patience = std::chrono::minutes(10)},
                                    const std::string& body = "hello\n") {
  const auto handler = [body](const HttpRequest& request) {
    return HttpAnswer{.body = request.path + " " + body};
  };
  auto listener = WebListener::Start(*ParseMetricsAddress("127.0.0.1:0"), handler, limits);
  EXPECT_TRUE(listener.has_value());
  return std::move(*listener);
}

std::size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(WebListener, AnswersAndCloses) {
  const auto listener = Listen();
  const std::string answer = RawClient(listener->port()).Ask(kAsk);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 15\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n/metrics hello\n"));
}

TEST(WebListener, TellsTheLengthForHeadAndNoMore) {
  const auto listener = Listen();
  const std::string answer = RawClient(listener->port()).Ask("HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("\r\nContent-Length: 15\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST(WebListener, AnswersARequestThatComesByteByByte) {
  const auto listener = Listen();
  RawClient client(listener->port());
  for (const char c : std::string_view(kAsk)) ASSERT_TRUE(client.Send({&c, 1}));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST(WebListener, SendsTheWholeOfALongAnswerToAClientThatReadsLate) {
  const auto listener = Listen({}, std::string(20'000'000, 'x'));
  RawClient late(listener->port());
  ASSERT_TRUE(late.Send(kAsk));
  EXPECT_THAT(RawClient(listener->port()).Ask("HEAD / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(late.ReadAll(), EndsWith(std::string(20'000'000, 'x')));
}

// Many clients send everything before they read: a connection that is reset meanwhile is all that they see.
TEST(WebListener, AnswersARequestWithABodyThatNobodyReads) {
  const auto listener = Listen();
  RawClient client(listener->port());
  EXPECT_TRUE(client.Send("POST / HTTP/1.1\r\n\r\n" + std::string(6'000'000, 'b')));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 200"));
}

TEST(WebListener, RefusesWhatIsNoRequest) {
  const auto listener = Listen();
  for (const std::string bytes :
       {"\x16\x03\x01 TLS", "\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nbroken\r\n\r\n"})
    EXPECT_THAT(RawClient(listener->port()).Ask(bytes), StartsWith("HTTP/1.1 400")) << bytes;
}

// It is refused at the limit, before the rest has come.
TEST(WebListener, RefusesAHeadThatIsTooLong) {
  const auto listener = Listen();
  RawClient client(listener->port());
  client.Send("GET / HTTP/1.1\r\nX: " + std::string(1 << 20, 'x'));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431"));
}

TEST(WebListener, AnswersWhileOthersHoldAllConnectionsOpen) {
  const auto listener = Listen({.clients = 4, .patience = std::chrono::minutes(10)});
  std::vector<RawClient> silent;
  for (int i = 0; i < 40; ++i) {
    silent.emplace_back(listener->port());
    silent.back().Send("GET ");
  }
  EXPECT_THAT(RawClient(listener->port()).Ask(kAsk), StartsWith("HTTP/1.1 200"));
}

TEST(WebListener, ClosesTheOldestThatHasNotAskedWhenAllPlacesAreTaken) {
  const auto listener = Listen({.clients = 2, .patience = std::chrono::minutes(10)});
  RawClient oldest(listener->port());
  RawClient middle(listener->port());
  RawClient newest(listener->port());
  EXPECT_EQ(oldest.ReadAll(), "");
  EXPECT_THAT(middle.Ask(kAsk), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(newest.Ask(kAsk), StartsWith("HTTP/1.1 200"));
}

TEST(WebListener, TakesNoMoreDescriptorsThanItHasPlaces) {
  const auto listener = Listen({.clients = 8, .patience = std::chrono::minutes(10)});
  const std::size_t before = OpenDescriptors();
  std::vector<RawClient> crowd;
  crowd.reserve(200);
  for (int i = 0; i < 200; ++i) crowd.emplace_back(listener->port());
  EXPECT_THAT(RawClient(listener->port()).Ask(kAsk), StartsWith("HTTP/1.1 200"));
  EXPECT_LE(OpenDescriptors(), before + 200 + 8 + 1);  // the crowd's ends, the places, and who is let in
}

// A client that sends a byte now and then is cut off although it is never silent: its time is for the whole.
TEST(WebListener, CutsOffAClientThatDrips) {
  const auto listener = Listen({.patience = std::chrono::milliseconds(50)});
  RawClient client(listener->port());
  client.Send("GET / HTTP/1.1\r\nX: ");
  while (client.Send("x")) poll(nullptr, 0, 1);
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(WebListener, CutsOffAClientThatTakesNoAnswer) {
  const auto listener = Listen({.patience = std::chrono::milliseconds(50)}, std::string(50'000'000, 'x'));
  const std::size_t before = OpenDescriptors();
  RawClient client(listener->port());
  client.Send(kAsk);
  client.ReadOne();  // it has been let in
  while (OpenDescriptors() > before + 1) poll(nullptr, 0, 1);
  EXPECT_LT(client.ReadAll().size(), 50'000'000u);
}

// The last scrape of a run comes just before its end.
TEST(WebListener, LetsAnAnswerThatIsUnderWayBeTakenAtTheEnd) {
  auto listener = Listen({}, std::string(8'000'000, 'x'));
  RawClient client(listener->port());
  client.Send(kAsk);
  client.ReadOne();
  const std::jthread end([&] { listener.reset(); });
  EXPECT_GE(client.ReadAll().size(), 8'000'000u);
}

TEST(WebListener, EndsWithConnectionsOpen) {
  auto listener = Listen();
  RawClient client(listener->port());
  client.Send("GET ");
  listener.reset();
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(WebListener, NamesABusyPortAndWhatToDo) {
  const auto first = Listen();
  const std::string address = "127.0.0.1:" + std::to_string(first->port());
  const auto second = WebListener::Start(*ParseMetricsAddress(address), {});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().message, HasSubstr(address + ": the port is in use; choose another"));
}

}  // namespace
}  // namespace sluice::exporters
