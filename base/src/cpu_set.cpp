#include "sluice/base/cpu_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "sluice/base/check.h"

namespace sluice {
namespace {

constexpr int kBits = 64;

std::size_t WordOf(int cpu) {
  return static_cast<std::size_t>(cpu / kBits);
}
std::uint64_t BitOf(int cpu) {
  return std::uint64_t{1} << (cpu % kBits);
}

std::string_view WithoutBlanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<int> ParseCpu(std::string_view text) {
  int cpu = -1;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return cpu >= 0 && cpu < CpuSet::kMost ? std::optional(cpu) : std::nullopt;
}

bool AddRange(CpuSet& cpus, std::string_view range) {
  const auto dash = range.find('-');
  const auto first = ParseCpu(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : ParseCpu(range.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  cpus = cpus | CpuSet::Range(*first, *last);
  return true;
}

}  // namespace

CpuSet CpuSet::Range(int first, int last) {
  CpuSet cpus;
  for (int cpu = last; cpu >= first; --cpu) cpus.Add(cpu);
  return cpus;
}

void CpuSet::Add(int cpu) {
  SLUICE_CHECK(cpu >= 0 && cpu < kMost);
  if (WordOf(cpu) >= words_.size()) words_.resize(WordOf(cpu) + 1);
  words_[WordOf(cpu)] |= BitOf(cpu);
}

bool CpuSet::Has(int cpu) const {
  return cpu >= 0 && WordOf(cpu) < words_.size() && (words_[WordOf(cpu)] & BitOf(cpu)) != 0;
}

int CpuSet::Count() const {
  int count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

int CpuSet::First() const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] != 0) return static_cast<int>(i) * kBits + std::countr_zero(words_[i]);
  }
  return -1;
}

std::vector<int> CpuSet::Cpus() const {
  std::vector<int> cpus;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
      cpus.push_back(static_cast<int>(i) * kBits + std::countr_zero(rest));
  }
  return cpus;
}

void CpuSet::Trim() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

CpuSet operator&(const CpuSet& a, const CpuSet& b) {
  CpuSet both;
  both.words_.resize(std::min(a.words_.size(), b.words_.size()));
  for (std::size_t i = 0; i < both.words_.size(); ++i) both.words_[i] = a.words_[i] & b.words_[i];
  both.Trim();
  return both;
}

CpuSet operator|(const CpuSet& a, const CpuSet& b) {
  CpuSet either = a.words_.size() < b.words_.size() ? b : a;
  const CpuSet& less = a.words_.size() < b.words_.size() ? a : b;
  for (std::size_t i = 0; i < less.words_.size(); ++i) either.words_[i] |= less.words_[i];
  return either;
}

CpuSet operator-(const CpuSet& a, const CpuSet& b) {
  CpuSet rest = a;
  for (std::size_t i = 0; i < std::min(a.words_.size(), b.words_.size()); ++i) rest.words_[i] &= ~b.words_[i];
  rest.Trim();
  return rest;
}

std::optional<CpuSet> ParseCpuList(std::string_view text) {
  text = WithoutBlanks(text);
  CpuSet cpus;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    if (!AddRange(cpus, text.substr(0, end))) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return cpus;
}

std::string CpuListText(const CpuSet& cpus) {
  if (cpus.empty()) return "none";
  const std::vector<int> numbers = cpus.Cpus();
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t first = i;
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1) ++i;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[first]);
    if (i > first) text += fmt::format("-{}", numbers[i]);
  }
  return text;
}

}  // namespace sluice
