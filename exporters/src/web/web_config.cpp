#include "web/web_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace sluice::exporters {
namespace {

using Words = std::initializer_list<std::string_view>;

constexpr std::array<std::string_view, 5> kClientAuths = {"NoClientCert", "RequestClientCert",
                                                          "RequireAnyClientCert", "VerifyClientCertIfGiven",
                                                          "RequireAndVerifyClientCert"};
constexpr std::array<std::string_view, 4> kTlsVersions = {"TLS10", "TLS11", "TLS12", "TLS13"};
// As in the exporter-toolkit.
constexpr std::array<std::string_view, 5> kHeaders = {"Content-Security-Policy", "X-Frame-Options",
                                                      "X-Content-Type-Options", "X-XSS-Protection",
                                                      "Strict-Transport-Security"};
// What makes a server stricter, and is not done here.
constexpr std::array<std::string_view, 3> kUnsupported = {"cipher_suites", "curve_preferences",
                                                          "client_allowed_sans"};

std::string Listed(const auto& words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

// Reads one file, and stops at the first thing that is wrong with it.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}
  Result<WebConfig> Read(const std::string& text);

 private:
  void ReadTop(const YAML::Node& top);
  void ReadTls(const YAML::Node& tls);
  void ReadVersions(const YAML::Node& tls, TlsConfig& to);
  void CheckTls(const YAML::Node& tls, const TlsConfig& config);
  void ReadHttp(const YAML::Node& http);
  void ReadUsers(const YAML::Node& users);
  // Whether it is a table; absent and empty ones are none.
  bool IsTable(const YAML::Node& node, std::string_view key);
  // Warns of keys that are not in `known`.
  void CheckKeys(const YAML::Node& table, std::string_view name, Words known);
  std::string Text(const YAML::Node& table, const char* key);
  std::string File(const YAML::Node& table, const char* key);
  template <typename Enum>
  Enum OneOf(const YAML::Node& table, const char* key, const auto& words, Enum otherwise);
  void Wrong(const YAML::Node& node, const std::string& what);
  [[nodiscard]] std::string Where(const YAML::Mark& mark) const;

  const std::string path_;
  WebConfig config_;
  std::optional<Error> error_;
};

std::string Reader::Where(const YAML::Mark& mark) const {
  return mark.is_null() ? path_ : fmt::format("{}:{}", path_, mark.line + 1);
}

void Reader::Wrong(const YAML::Node& node, const std::string& what) {
  if (!error_) error_ = Error{Where(node.Mark()) + ": " + what};
}

bool Reader::IsTable(const YAML::Node& node, std::string_view key) {
  if (!node.IsDefined() || node.IsNull()) return false;
  if (!node.IsMap())
    Wrong(node, fmt::format("{} must be a table: 'key: value' lines below it, indented", key));
  return node.IsMap();
}

void Reader::CheckKeys(const YAML::Node& table, std::string_view name, Words known) {
  for (const auto& entry : table) {
    const std::string key = entry.first.as<std::string>("");
    if (std::ranges::find(kUnsupported, key) != kUnsupported.end())
      Wrong(entry.first, fmt::format("{} is not supported and would be ignored; remove it", key));
    if (std::ranges::find(known, key) != known.end()) continue;
    config_.warnings.push_back(fmt::format("{}: {}{} is not known and has no effect; there are: {}",
                                           Where(entry.first.Mark()), name, key, Listed(known)));
  }
}

std::string Reader::Text(const YAML::Node& table, const char* key) {
  const YAML::Node node = table[key];
  if (!node.IsDefined() || node.IsNull()) return "";
  if (!node.IsScalar()) Wrong(node, fmt::format("{} must be text", key));
  return node.IsScalar() ? node.Scalar() : "";
}

std::string Reader::File(const YAML::Node& table, const char* key) {
  const std::string name = Text(table, key);
  if (name.empty()) return "";
  const std::string file = std::filesystem::path(path_).parent_path() / name;
  if (!std::ifstream(file)) {
    Wrong(table[key],
          fmt::format("{}: {}: {}; paths start from this file's folder", key, file, std::strerror(errno)));
  }
  return file;
}

template <typename Enum>
Enum Reader::OneOf(const YAML::Node& table, const char* key, const auto& words, Enum otherwise) {
  const std::string word = Text(table, key);
  if (word.empty()) return otherwise;
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    Wrong(table[key], fmt::format("{}: '{}' is none of {}", key, word, Listed(words)));
  return found == words.end() ? otherwise : static_cast<Enum>(found - words.begin());
}

void Reader::ReadTls(const YAML::Node& tls) {
  if (!IsTable(tls, "tls_server_config")) return;
  CheckKeys(tls, "tls_server_config.",
            {"cert_file", "key_file", "client_ca_file", "client_auth_type", "min_version", "max_version",
             "prefer_server_cipher_suites"});
  TlsConfig config{.cert_file = File(tls, "cert_file"),
                   .key_file = File(tls, "key_file"),
                   .client_ca_file = File(tls, "client_ca_file")};
  config.client_auth = OneOf(tls, "client_auth_type", kClientAuths, config.client_auth);
  ReadVersions(tls, config);
  CheckTls(tls, config);
  config_.tls = std::move(config);
}

void Reader::ReadVersions(const YAML::Node& tls, TlsConfig& to) {
  to.min_version = OneOf(tls, "min_version", kTlsVersions, to.min_version);
  to.max_version = OneOf(tls, "max_version", kTlsVersions, to.max_version);
  if (to.min_version > to.max_version) Wrong(tls["max_version"], "max_version is older than min_version");
}

void Reader::CheckTls(const YAML::Node& tls, const TlsConfig& config) {
  if (config.cert_file.empty())
    Wrong(tls, "tls_server_config lacks cert_file, the server's certificate (PEM)");
  if (config.key_file.empty()) Wrong(tls, "tls_server_config lacks key_file, the certificate's key (PEM)");
  const bool verifies = config.client_auth >= ClientAuth::kVerifyIfGiven;
  if (verifies && config.client_ca_file.empty())
    Wrong(tls["client_auth_type"],
          "client_auth_type verifies certificates; client_ca_file must say by which");
  if (!verifies && !config.client_ca_file.empty())
    Wrong(tls["client_ca_file"],
          "client_ca_file has no effect; set client_auth_type: RequireAndVerifyClientCert");
}

void Reader::ReadHttp(const YAML::Node& http) {
  if (!IsTable(http, "http_server_config")) return;
  CheckKeys(http, "http_server_config.", {"headers", "http2"});
  if (!IsTable(http["headers"], "headers")) return;
  for (const auto& entry : http["headers"]) {
    const std::string name = entry.first.as<std::string>("");
    const std::string value = entry.second.IsScalar() ? entry.second.Scalar() : "";
    if (std::ranges::find(kHeaders, name) == kHeaders.end())
      Wrong(entry.first, fmt::format("header '{}' cannot be set; there are: {}", name, Listed(kHeaders)));
    if (value.find_first_of("\r\n") != std::string::npos)
      Wrong(entry.first, fmt::format("header '{}' has a line break in it", name));
    config_.headers.emplace_back(name, value);
  }
}

// "$2y$10$" and 53 characters.
bool IsBcrypt(std::string_view hash) {
  return hash.size() == 60 && hash.starts_with("$2") &&
         std::string_view("aby").find(hash[2]) != std::string_view::npos;
}

void Reader::ReadUsers(const YAML::Node& users) {
  if (!IsTable(users, "basic_auth_users")) return;
  for (const auto& entry : users) {
    const std::string name = entry.first.as<std::string>("");
    const std::string hash = entry.second.IsScalar() ? entry.second.Scalar() : "";
    if (!IsBcrypt(hash))
      Wrong(entry.first,
            fmt::format("basic_auth_users: the password of '{}' is no bcrypt hash; make one with: "
                        "htpasswd -nBC 10 {}",
                        name, name));
    config_.users[name] = hash;
  }
}

void Reader::ReadTop(const YAML::Node& top) {
  if (!IsTable(top, "the file")) return;
  CheckKeys(top, "", {"tls_server_config", "http_server_config", "basic_auth_users"});
  ReadTls(top["tls_server_config"]);
  ReadHttp(top["http_server_config"]);
  ReadUsers(top["basic_auth_users"]);
}

Result<WebConfig> Reader::Read(const std::string& text) {
  try {
    const YAML::Node top = YAML::Load(text);
    ReadTop(top);
  } catch (const YAML::Exception& wrong) {
    return Fail(fmt::format("{}: no YAML: {}", Where(wrong.mark), wrong.msg));
  }
  if (error_) return std::unexpected(*error_);
  return std::move(config_);
}

}  // namespace

Result<WebConfig> ParseWebConfig(const std::string& text, const std::string& path) {
  return Reader(path).Read(text);
}

Result<WebConfig> ReadWebConfig(const std::string& path) {
  const std::ifstream file(path);
  if (!file) return Fail(fmt::format("{}: {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (!text) return Fail(fmt::format("{}: cannot be read; is it a file?", path));
  return ParseWebConfig(text.str(), path);
}

bool AsksWhoTheyAre(const WebConfig& config) {
  return !config.users.empty() || (config.tls && config.tls->client_auth == ClientAuth::kRequireAndVerify);
}

}  // namespace sluice::exporters
