#include "control/lease.h"

#include <utility>

namespace sluice::app {

void Lease::Grant(std::string token, std::string name, Nanos length, MonoTime now) {
  token_ = std::move(token);
  name_ = std::move(name);
  length_ = length;
  Renew(now);
}

void Lease::End(const std::string& token) {
  if (token == token_) token_.clear();
}

bool Lease::IsHeldBy(const std::string& token, MonoTime now) const {
  return !token_.empty() && token == token_ && now < until_;
}

std::optional<exporters::LeaseHolder> Lease::HolderAt(MonoTime now) const {
  if (!IsHeldBy(token_, now)) return std::nullopt;
  return exporters::LeaseHolder{name_, until_ - now};
}

}  // namespace sluice::app
