// CpuSet: CPUs by the kernel's numbers, and how the kernel writes them ("0-3,8"). A plain value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class CpuSet {
 public:
  static constexpr int kMost = 1 << 16;  // no kernel has more

  CpuSet() = default;
  static CpuSet Range(int first, int last);  // both included

  void Add(int cpu);  // REQUIRES 0 <= cpu < kMost
  [[nodiscard]] bool Has(int cpu) const;
  [[nodiscard]] int Count() const;
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] int First() const;  // -1: it is empty
  [[nodiscard]] std::vector<int> Cpus() const;
  [[nodiscard]] bool Within(const CpuSet& other) const { return (*this & other) == *this; }
  [[nodiscard]] bool Meets(const CpuSet& other) const { return !(*this & other).empty(); }

  friend CpuSet operator&(const CpuSet& a, const CpuSet& b);
  friend CpuSet operator|(const CpuSet& a, const CpuSet& b);
  friend CpuSet operator-(const CpuSet& a, const CpuSet& b);
  friend bool operator==(const CpuSet&, const CpuSet&) = default;

 private:
  void Trim();

  std::vector<std::uint64_t> words_;  // the last one is not zero
};

// nullopt: `text` is no such list. Empty text is an empty set: a node without CPUs.
[[nodiscard]] std::optional<CpuSet> ParseCpuList(std::string_view text);
// "0-3,8"; "none" where it is empty.
[[nodiscard]] std::string CpuListText(const CpuSet& cpus);

}  // namespace sluice
