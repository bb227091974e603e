// Lease: who may change settings through the control socket: one at a time, for a while, and longer with each
// use. Pure: time and tokens are passed in. One thread.
#pragma once
#include <optional>
#include <string>

#include "sluice/base/units.h"
#include "sluice/exporters/control_report.h"

namespace sluice::app {

class Lease {
 public:
  // Whoever has it knows `token`. REQUIRES: nobody has it at `now`, or only this token.
  void Grant(std::string token, std::string name, Nanos length, MonoTime now);
  // From now on, for as long as it was granted. REQUIRES: somebody has it.
  void Renew(MonoTime now) { until_ = now + length_; }
  // Nothing happens where the token is another one.
  void End(const std::string& token);

  [[nodiscard]] bool IsHeldBy(const std::string& token, MonoTime now) const;
  // nullopt: nobody.
  [[nodiscard]] std::optional<exporters::LeaseHolder> HolderAt(MonoTime now) const;

 private:
  std::string token_, name_;  // empty: nobody has it
  Nanos length_{0};
  MonoTime until_{0};
};

}  // namespace sluice::app
