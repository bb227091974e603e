// WebConfig: who may read the metrics, and how: the file that Prometheus' exporter-toolkit calls
// --web.config.file, in YAML. Immutable functions.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::exporters {

// In the order of the file format's own names, from NoClientCert to RequireAndVerifyClientCert.
enum class ClientAuth : std::uint8_t { kNone, kRequest, kRequireAny, kVerifyIfGiven, kRequireAndVerify };
enum class TlsVersion : std::uint8_t { k10, k11, k12, k13 };

struct TlsConfig {
  std::string cert_file, key_file, client_ca_file;  // as seen from the working directory
  ClientAuth client_auth = ClientAuth::kNone;
  TlsVersion min_version = TlsVersion::k12;
  TlsVersion max_version = TlsVersion::k13;
};

struct WebConfig {
  std::optional<TlsConfig> tls;
  std::map<std::string, std::string, std::less<>> users;     // with the bcrypt hash of the password
  std::vector<std::pair<std::string, std::string>> headers;  // to be sent with each answer
  std::vector<std::string> warnings;                         // keys that are not known
};

// `path` is for messages, and the folder that paths in the file start from. Errors name file, line, key and
// remedy. A key that would make the server stricter and is not supported is an error: it is never ignored.
[[nodiscard]] Result<WebConfig> ParseWebConfig(const std::string& text, const std::string& path);
[[nodiscard]] Result<WebConfig> ReadWebConfig(const std::string& path);

// Whether it keeps strangers out: by a password, or by a certificate that is verified.
[[nodiscard]] bool AsksWhoTheyAre(const WebConfig& config);

}  // namespace sluice::exporters
