#include "web/http_request.h"

#include <gmock/gmock.h>

namespace sluice::exporters {
namespace {

TEST(HttpRequest, IsReadWithItsHeaders) {
  const auto request =
      ParseHttpRequest("GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nACCEPT:\t text/plain \r\n\r\n");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/metrics");
  EXPECT_EQ(request->Header("accept"), "text/plain");
  EXPECT_EQ(request->Header("range"), "");
}

TEST(HttpRequest, JoinsAHeaderThatComesInSeveralLines) {
  const auto request = ParseHttpRequest("GET / HTTP/1.0\r\nAccept: a\r\nX: y\r\naccept: b\r\n\r\n");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->Header("accept"), "a,b");
}

TEST(HttpRequest, HasThePathOfAProxysRequest) {
  for (const std::string target :
       {"http://host:1/metrics", "https://host/metrics?a", "/metrics?http://host/"})
    EXPECT_EQ(ParseHttpRequest("GET " + target + " HTTP/1.1\r\n\r\n")->path, "/metrics") << target;
  EXPECT_EQ(ParseHttpRequest("GET http://host HTTP/1.1\r\n\r\n")->path, "/");
}

class NoRequest : public testing::TestWithParam<const char*> {};

TEST_P(NoRequest, IsTakenForOne) {
  EXPECT_FALSE(ParseHttpRequest(std::string(GetParam()) + "\r\n\r\n").has_value());
}

INSTANTIATE_TEST_SUITE_P(Heads, NoRequest,
                         testing::Values("", "nonsense", "GET /", "GET / HTTP/2.0", "GET  HTTP/1.1",
                                         "get / HTTP/1.1", "GET /a b HTTP/1.1", "GET /\x01 HTTP/1.1",
                                         "PRI * HTTP/2.0", "GET / HTTP/1.1\r\nno colon",
                                         "GET / HTTP/1.1\r\n: empty", "GET / HTTP/1.1\r\nA: x\x01",
                                         "GET / HTTP/1.1\r\nA : x", "GET / HTTP/1.1\r\nA: x\r\n folded",
                                         "GET / HTTP/1.1\nA: x"));

TEST(HttpRequest, IsCompleteWithTheEmptyLine) {
  EXPECT_EQ(HeadLength("GET / HTTP/1.1\r\nA: b\r\n"), std::nullopt);
  EXPECT_EQ(HeadLength("GET / HTTP/1.1\r\n\r\nbody"), 18u);
}

TEST(HttpRequest, IsSeenAtItsFirstByteNotToBeOne) {
  EXPECT_TRUE(CouldBeHead(""));
  EXPECT_TRUE(CouldBeHead("G"));
  EXPECT_FALSE(CouldBeHead("\x16\x03\x01"));  // TLS
  EXPECT_FALSE(CouldBeHead("\r\n"));
}

}  // namespace
}  // namespace sluice::exporters
