// LiveWebConfig: who may read the metrics, as a file says now. Its files are looked at for each request, as
// the exporter-toolkit does, and read again when one of them has changed: the file itself, and certificates
// and keys that it names. What cannot be kept to changes nothing: what held before goes on. So does an empty
// file: it is one that is being written. One thread at a time.
#pragma once
#include <sys/types.h>

#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/error.h"
#include "web/basic_auth.h"
#include "web/tls_context.h"
#include "web/web_config.h"

namespace sluice::exporters {

class LiveWebConfig {
 public:
  // What a config has to be besides readable. Errors are for its user.
  using Demand = std::function<Result<void>(const WebConfig&)>;

  // `path` empty: there is no file, and nothing is asked of anybody.
  [[nodiscard]] static Result<LiveWebConfig> Read(const std::string& path, Demand demand);

  // To be called before the others are asked. Returns what its user should know of a change: why it is not
  // kept to, or the warnings of the new config; mostly nothing. What is wrong is told once. Whether TLS is
  // spoken at all does not change.
  [[nodiscard]] std::vector<std::string> LookAgain();

  [[nodiscard]] const WebConfig& config() const { return rules_->config; }
  [[nodiscard]] BasicAuth* auth() const {
    auto& auth = rules_->auth;
    return auth ? &*auth : nullptr;
  }
  [[nodiscard]] const TlsContext* tls() const {
    const auto& tls = rules_->tls;
    return tls ? &*tls : nullptr;
  }

 private:
  struct Rules {
    WebConfig config;
    std::optional<BasicAuth> auth;
    std::optional<TlsContext> tls;
  };
  // What changes when a file is written or replaced.
  struct Stamp {
    dev_t device;
    ino_t file;
    off_t size;
    std::pair<time_t, long> written, changed;
    bool operator==(const Stamp&) const = default;
  };

  LiveWebConfig(std::string path, Demand demand) : path_(std::move(path)), demand_(std::move(demand)) {}
  [[nodiscard]] static std::optional<Stamp> StampOf(const std::string& path);
  [[nodiscard]] bool IsBeingWritten() const;
  [[nodiscard]] bool HasChanged() const;
  [[nodiscard]] Result<std::unique_ptr<Rules>> ReadRules();
  void Watch(const std::string& path);

  std::string path_;
  Demand demand_;
  std::unique_ptr<Rules> rules_ = std::make_unique<Rules>();
  std::string complaint_;  // why it is not kept to; it is read each time then, as a file may be lacking
  std::map<std::string, std::optional<Stamp>> seen_;  // nullopt: there was no such file
};

}  // namespace sluice::exporters
