#include "sluice/base/regime.h"

namespace sluice {

std::string_view RegimeName(Regime regime) {
  switch (regime) {
    case Regime::kUnknown:
      return "";
    case Regime::kComputes:
      return "computes";
    case Regime::kWaits:
      return "waits";
    case Regime::kContended:
      return "contended";
    case Regime::kStorage:
      return "storage";
    case Regime::kSerial:
      return "serial";
    case Regime::kSharded:
      return "sharded";
    case Regime::kLocked:
      return "locked";
  }
  return "";
}

}  // namespace sluice
