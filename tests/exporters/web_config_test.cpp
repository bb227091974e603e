#include "web/web_config.h"

#include <gmock/gmock.h>

namespace sluice::exporters {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::string kHash = "$2y$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234";

Result<WebConfig> Parse(const std::string& text) {
  return ParseWebConfig(text, SLUICE_DOCS "/web.yml");
}

std::string Complaint(const std::string& text) {
  const auto config = Parse(text);
  return config ? "no complaint" : config.error().message;
}

TEST(WebConfig, IsReadAsTheToolkitHasIt) {
  const auto config = Parse(
      "tls_server_config:\n"
      "  cert_file: metrics.md\n"
      "  key_file: verdicts.md\n"
      "  client_auth_type: RequireAndVerifyClientCert\n"
      "  client_ca_file: metrics.md\n"
      "  min_version: TLS13\n"
      "basic_auth_users:\n"
      "  alice: " +
      kHash +
      "\n"
      "http_server_config:\n"
      "  http2: true\n"
      "  headers:\n"
      "    X-Frame-Options: deny\n");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls->cert_file, SLUICE_DOCS "/metrics.md");
  EXPECT_EQ(config->tls->key_file, SLUICE_DOCS "/verdicts.md");
  EXPECT_EQ(config->tls->client_auth, ClientAuth::kRequireAndVerify);
  EXPECT_EQ(config->tls->min_version, TlsVersion::k13);
  EXPECT_THAT(config->users, ElementsAre(Pair("alice", kHash)));
  EXPECT_THAT(config->headers, ElementsAre(Pair("X-Frame-Options", "deny")));
  EXPECT_THAT(config->warnings, IsEmpty());
  EXPECT_TRUE(AsksWhoTheyAre(*config));
}

TEST(WebConfig, MayBeEmptyAndAsksNobodyThen) {
  for (const char* text : {"", "# nothing\n", "tls_server_config:\nbasic_auth_users: {}\n"}) {
    const auto config = Parse(text);
    ASSERT_TRUE(config.has_value()) << config.error().message;
    EXPECT_FALSE(AsksWhoTheyAre(*config));
  }
}

TEST(WebConfig, DoesNotAskWhereOnlyTheServerShowsACertificate) {
  const auto config = Parse("tls_server_config: {cert_file: metrics.md, key_file: metrics.md}\n");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_FALSE(AsksWhoTheyAre(*config));
}

TEST(WebConfig, WarnsOfAKeyThatItDoesNotKnow) {
  const auto config = Parse("rate_limit:\n  burst: 5\nhttp_server_config:\n  speed: 9\n");
  ASSERT_TRUE(config.has_value());
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("web.yml:1: rate_limit is not known and has no effect"),
                                            HasSubstr("web.yml:4: http_server_config.speed is not known")));
}

struct Wrong {
  const char* text;
  const char* complaint;
};

class WrongConfig : public testing::TestWithParam<Wrong> {};

TEST_P(WrongConfig, IsRefusedWithLineKeyAndRemedy) {
  EXPECT_THAT(Complaint(GetParam().text), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongConfig,
    testing::Values(
        Wrong{"a: [", "web.yml:1: no YAML"}, Wrong{"- list\n", "web.yml:1: the file must be a table"},
        Wrong{"basic_auth_users:\n  bob: secret\n",
              "web.yml:2: basic_auth_users: the password of 'bob' is no bcrypt"},
        Wrong{"basic_auth_users: bob\n", "web.yml:1: basic_auth_users must be a table"},
        Wrong{"tls_server_config:\n  key_file: metrics.md\n", "lacks cert_file"},
        Wrong{"tls_server_config:\n  cert_file: metrics.md\n", "lacks key_file"},
        Wrong{"tls_server_config:\n  cert_file: nowhere.pem\n", "web.yml:2: cert_file: "},
        Wrong{"tls_server_config:\n  min_version: SSL3\n", "web.yml:2: min_version: 'SSL3' is none of TLS10"},
        Wrong{"tls_server_config:\n  max_version: TLS11\n",
              "web.yml:2: max_version is older than min_version"},
        Wrong{"tls_server_config:\n  client_auth_type: Some\n",
              "web.yml:2: client_auth_type: 'Some' is none of"},
        Wrong{"tls_server_config:\n  cipher_suites: [A]\n", "web.yml:2: cipher_suites is not supported"},
        Wrong{"tls_server_config: {cert_file: metrics.md, key_file: metrics.md,\n client_ca_file: "
              "metrics.md}\n",
              "web.yml:2: client_ca_file has no effect"},
        Wrong{"tls_server_config: {cert_file: metrics.md, key_file: metrics.md,\n"
              " client_auth_type: VerifyClientCertIfGiven}\n",
              "web.yml:2: client_auth_type verifies certificates"},
        Wrong{"http_server_config:\n  headers:\n    Server: x\n", "web.yml:3: header 'Server' cannot be set"},
        Wrong{"http_server_config:\n  headers:\n    X-Frame-Options: \"a\\r\\nB: c\"\n",
              "web.yml:3: header"}));

TEST(WebConfig, NamesAFileThatIsNotThere) {
  EXPECT_THAT(ReadWebConfig("/nowhere/web.yml").error().message, HasSubstr("/nowhere/web.yml: No such file"));
}

}  // namespace
}  // namespace sluice::exporters
