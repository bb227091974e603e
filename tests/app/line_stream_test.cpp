#include "steer/line_stream.h"

#include <gmock/gmock.h>

namespace sluice::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string WhyNot(std::string_view bytes) {
  LineStream stream;
  const auto lines = stream.Take(bytes);
  return lines ? "taken" : lines.error().message;
}

TEST(LineStream, LinesComeByTheByteAndAcrossChunks) {
  LineStream stream;
  std::vector<std::string> all;
  const std::string bytes = std::string(kHead) + "4\r\n{}\n{\r\nA\r\n\"a\": 1}\n\n\n\r\n2\r\n{x\r\n";
  for (const char byte : bytes) {
    const auto lines = stream.Take({&byte, 1});
    ASSERT_TRUE(lines) << lines.error().message;
    all.insert(all.end(), lines->begin(), lines->end());
  }
  EXPECT_THAT(all, ElementsAre("{}", "{\"a\": 1}", "", ""));
  EXPECT_THAT(*stream.Take("1\r\n\n\r\n"), ElementsAre("{x"));
}

TEST(LineStream, ARefusalIsToldInItsOwnWords) {
  const std::string body = R"({"error": "show the token"})";
  const std::string refusal =
      "HTTP/1.1 401 Unauthorized\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  EXPECT_EQ(WhyNot(refusal), "show the token");
  EXPECT_EQ(WhyNot(refusal.substr(0, refusal.size() - 1)), "taken") << "the rest is to come";
  EXPECT_EQ(WhyNot("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n{}"), "it is refused (503)");
}

TEST(LineStream, WhatIsNoStreamIsSaidToBeNone) {
  const std::string head(kHead);
  EXPECT_THAT(WhyNot(std::string(20000, 'x')), HasSubstr("no control socket"));
  EXPECT_THAT(WhyNot(head + "xyz\r\n"), HasSubstr("no control socket"));
  EXPECT_THAT(WhyNot(head + "fffffffffffffffff\r\n"), HasSubstr("no control socket"));
  EXPECT_THAT(WhyNot(head + "7fffffff\r\n"), HasSubstr("no control socket"));
  EXPECT_THAT(WhyNot(head + "2\r\n{}{}"), HasSubstr("no control socket"));
}

}  // namespace
}  // namespace sluice::app
