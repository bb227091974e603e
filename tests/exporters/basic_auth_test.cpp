#include "web/basic_auth.h"

#include <crypt.h>
#include <gmock/gmock.h>
#include <openssl/evp.h>

namespace sluice::exporters {
namespace {

using enum BasicAuth::Verdict;
using std::chrono::seconds;

std::string Hash(const std::string& password) {
  const std::string salt = "$2b$04$abcdefghijklmnopqrstuu";  // the cheapest there is
  crypt_data data{};
  return crypt_r(password.c_str(), salt.c_str(), &data);
}

std::string Basic(const std::string& pair) {
  std::string base64(4 * ((pair.size() + 2) / 3) + 1, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()),
                  reinterpret_cast<const unsigned char*>(pair.data()), static_cast<int>(pair.size()));
  base64.pop_back();
  return "Basic " + base64;
}

BasicAuth AliceAndBob() {
  return BasicAuth({{"alice", Hash("wonderland")}, {"bob", Hash("build:er")}});
}

TEST(BasicAuth, KnowsUsersByTheirPasswords) {
  BasicAuth auth = AliceAndBob();
  EXPECT_EQ(auth.Judge(Basic("alice:wonderland"), seconds(1)), kRight);
  EXPECT_EQ(auth.Judge(Basic("bob:build:er"), seconds(1)), kRight);
  EXPECT_EQ(auth.Judge("bAsIc" + Basic("alice:wonderland").substr(5), seconds(1)), kRight);
}

TEST(BasicAuth, RefusesEverybodyElse) {
  BasicAuth auth = AliceAndBob();
  MonoTime now = seconds(1);
  const std::string nul("alice:wonderland\0x", 18);
  for (const std::string& header :
       {std::string(), Basic("alice:"), Basic("alice:Wonderland"), Basic("bob:wonderland"),
        Basic("eve:wonderland"), Basic("alice"), Basic(""), Basic(":"), Basic(nul), std::string("Bearer x"),
        std::string("Basic"), std::string("Basic !!!!"), std::string("Basic YWxpY2U"),
        Basic("alice:" + std::string(5000, 'x'))}) {
    now += seconds(2);
    EXPECT_EQ(auth.Judge(header, now), kWrong) << header;
  }
}

TEST(BasicAuth, SpendsNoMoreThanAFewHashesASecond) {
  BasicAuth auth = AliceAndBob();
  int tried = 0;
  while (auth.Judge(Basic("alice:guess" + std::to_string(tried)), seconds(1)) == kWrong)
    ASSERT_LT(++tried, 100);
  EXPECT_EQ(auth.Judge(Basic("bob:build:er"), seconds(1)), kTryLater);
  EXPECT_EQ(auth.Judge(Basic("bob:build:er"), seconds(2)), kRight);
}

// Prometheus' own scrapes go on while somebody guesses.
TEST(BasicAuth, RemembersWhoWasRight) {
  BasicAuth auth = AliceAndBob();
  EXPECT_EQ(auth.Judge(Basic("alice:wonderland"), seconds(1)), kRight);
  for (int i = 0; i < 10; ++i) static_cast<void>(auth.Judge(Basic("alice:x"), seconds(1)));
  EXPECT_EQ(auth.Judge(Basic("alice:x"), seconds(1)), kTryLater);
  EXPECT_EQ(auth.Judge(Basic("alice:wonderland"), seconds(1)), kRight);
}

}  // namespace
}  // namespace sluice::exporters
