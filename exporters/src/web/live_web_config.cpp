#include "web/live_web_config.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace sluice::exporters {

std::optional<LiveWebConfig::Stamp> LiveWebConfig::StampOf(const std::string& path) {
  struct stat at{};
  // A pipe, such as a shell's <(...), can be read only once.
  if (stat(path.c_str(), &at) != 0 || !S_ISREG(at.st_mode)) return std::nullopt;
  return Stamp{.device = at.st_dev,
               .file = at.st_ino,
               .size = at.st_size,
               .written = {at.st_mtim.tv_sec, at.st_mtim.tv_nsec},
               .changed = {at.st_ctim.tv_sec, at.st_ctim.tv_nsec}};
}

// Before the file is read, so that what is written meanwhile is seen the next time.
void LiveWebConfig::Watch(const std::string& path) {
  if (!path.empty()) seen_[path] = StampOf(path);
}

Result<std::unique_ptr<LiveWebConfig::Rules>> LiveWebConfig::ReadRules() {
  auto rules = std::make_unique<Rules>();
  seen_.clear();
  Watch(path_);
  if (!path_.empty()) {
    auto config = ReadWebConfig(path_);
    if (!config) return std::unexpected(config.error());
    rules->config = std::move(*config);
  }
  if (const auto met = demand_(rules->config); !met) return std::unexpected(met.error());
  if (const auto& tls = rules->config.tls) {
    for (const std::string& file : {tls->cert_file, tls->key_file, tls->client_ca_file}) Watch(file);
    auto context = TlsContext::Make(*tls);
    if (!context) return std::unexpected(context.error());
    rules->tls = std::move(*context);
  }
  if (!rules->config.users.empty()) rules->auth.emplace(rules->config.users);
  return rules;
}

Result<LiveWebConfig> LiveWebConfig::Read(const std::string& path, Demand demand) {
  LiveWebConfig live(path, std::move(demand));
  auto rules = live.ReadRules();
  if (!rules) return std::unexpected(rules.error());
  live.rules_ = std::move(*rules);
  return live;
}

// Of an empty one nothing is known yet but that it is being written.
bool LiveWebConfig::IsBeingWritten() const {
  const auto now = StampOf(path_);
  return now && now->size == 0;
}

bool LiveWebConfig::HasChanged() const {
  return std::ranges::any_of(seen_, [](const auto& seen) { return StampOf(seen.first) != seen.second; });
}

std::vector<std::string> LiveWebConfig::LookAgain() {
  if (IsBeingWritten() || (complaint_.empty() && !HasChanged())) return {};
  auto rules = ReadRules();
  if (rules && (*rules)->tls.has_value() != rules_->tls.has_value())
    rules = Fail(path_ + ": whether TLS is spoken is settled at the start; start anew for that");
  const std::string before = std::exchange(complaint_, rules ? "" : rules.error().message);
  if (!rules && complaint_ == before) return {};
  if (!rules) return {complaint_ + "; until that is mended, what held before goes on"};
  rules_ = std::move(*rules);
  return rules_->config.warnings;
}

}  // namespace sluice::exporters
