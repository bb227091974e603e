#include "sluice/toml/toml_times.h"

#include <array>

namespace sluice::toml {
namespace {

Result<void> DistributionKind(const TomlValue& v, Distribution& d) {
  using Kind = Distribution::Kind;
  constexpr auto kWords = std::to_array<std::pair<std::string_view, Kind>>(
      {{"fixed", Kind::kFixed}, {"lognormal", Kind::kLognormal}, {"exponential", Kind::kExponential}});
  return v.ToOneOf(kWords, d.kind);
}

constexpr auto kDistribution = std::to_array<Field<Distribution>>({
    {"dist", DistributionKind, true},
    {"mean", [](const TomlValue& v, Distribution& d) { return v.To(d.mean); }, true},
    {"cv", [](const TomlValue& v, Distribution& d) { return v.To(d.cv); }},
});

constexpr auto kContention = std::to_array<Field<Contention>>({
    {"sigma", [](const TomlValue& v, Contention& c) { return v.To(c.sigma); }},
    {"kappa", [](const TomlValue& v, Contention& c) { return v.To(c.kappa); }},
    {"table", [](const TomlValue& v, Contention& c) { return v.To(c.table); }},
});

}  // namespace

Result<void> ReadDistribution(const TomlValue& value, Distribution& out) {
  const ::toml::table* table = value.node().as_table();
  if (table == nullptr && !value.node().is_string()) {
    return value.Refuse("a duration with its unit, such as \"2ms\", or a table {dist = ..., mean = ...}");
  }
  if (table == nullptr) return value.To(out.mean);
  const Place inside{value.place().file, value.place().where + ": " + std::string(value.key())};
  auto read = ReadFields(*table, inside, kDistribution, out);
  if (read && out.kind == Distribution::Kind::kLognormal && !table->contains("cv")) {
    return FailAt(inside, *table, "the key 'cv' is missing; a lognormal distribution needs it");
  }
  return read;
}

Result<void> ReadContention(const TomlValue& value, Contention& out) {
  const ::toml::table* table = value.node().as_table();
  if (table == nullptr) return value.Refuse("a table, such as {sigma = 0.1, kappa = 0.01}");
  const Place inside{value.place().file, value.place().where + ": contention"};
  return ReadFields(*table, inside, kContention, out);
}

std::vector<std::string> DistributionKeys() {
  return KeysOf<Distribution>(kDistribution);
}

std::vector<std::string> ContentionKeys() {
  return KeysOf<Contention>(kContention);
}

}  // namespace sluice::toml
