#include "sluice/base/limit_words.h"

#include <array>

namespace sluice {
namespace {

struct Words {
  Limit limit;
  std::string_view name;
  std::string_view words;
  bool of_an_op;
};

constexpr std::array kWords = std::to_array<Words>({
    {Limit::kUnknown, "unknown", "not known yet", false},
    {Limit::kConsumer, "consumer", "the consumer", false},
    {Limit::kOp, "op", "op", true},
    {Limit::kSerialOp, "serial_op", "the serial op", true},
    {Limit::kCores, "cores", "the core budget", false},
    {Limit::kMemory, "memory", "the byte budget", false},
    {Limit::kStorage, "storage", "the storage", false},
    {Limit::kContention, "contention", "contention in", true},
});

const Words& WordsOf(Limit limit) {
  for (const Words& words : kWords) {
    if (words.limit == limit) return words;
  }
  return kWords[0];
}

}  // namespace

std::string_view LimitName(Limit limit) {
  return WordsOf(limit).name;
}

std::string LimitWords(Limit limit, std::string_view op) {
  const Words& words = WordsOf(limit);
  std::string text(words.words);
  if (words.of_an_op) text += " " + std::string(op.empty() ? "?" : op);
  return text;
}

}  // namespace sluice
