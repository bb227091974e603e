#include "mindspore/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "mindspore/profile_json.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr std::size_t kShown = 60;                                        // bytes of a wrong line
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // the writer's type

struct TraceLine {
  std::int64_t type = 0, extra = 0, batch = 0, value = 0;
  std::optional<std::int64_t> time{};
};

// Four or five whole numbers with blanks between them.
std::optional<TraceLine> ParseLine(std::string_view text) {
  std::array<std::int64_t, 5> numbers{};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == '\r') {
      ++at;
      continue;
    }
    if (count == numbers.size()) return std::nullopt;
    const auto [after, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || (after != end && *after != ' ' && *after != '\r')) return std::nullopt;
    ++count;
    at = after;
  }
  if (count < 4) return std::nullopt;
  TraceLine line{numbers[0], numbers[1], numbers[2], numbers[3], {}};
  if (count == 5) line.time = numbers[4];
  return line;
}

// What is wrong with what it says; null: nothing.
const char* Wrong(const TraceLine& line) {
  if (line.type != 0 && line.type != 1) return "its first number, the type, is neither 0 nor 1";
  if (line.type == 0 && (line.extra < 0 || line.extra > 2))
    return "its second number, which time it is, is not 0, 1 or 2";
  if (line.type == 1 && (line.extra < 0 || line.extra > kMost))
    return "its second number, the capacity, is out of range";
  if (line.batch < 1 || line.batch > kMost) return "its third number, the batch, is not from 1 on";
  if (line.value > kMost || line.value < -kMost) return "its fourth number, the value, is out of range";
  if (line.type == 1 && line.value < 0) return "its fourth number, the depth, is negative";
  if (line.time && (*line.time < 0 || *line.time > kLatestMoment))
    return "its fifth number, the time, is out of range";
  return nullptr;
}

// The time to get a batch is a difference of roundings, and may be -1.
void Put(const TraceLine& line, TracedBatch& batch) {
  const std::int64_t time = std::max<std::int64_t>(line.value, 0);
  if (line.type == 1) {
    batch.depth = line.value;
    batch.capacity = line.extra;
  } else if (line.extra == 0) {
    batch.get = time;
  } else if (line.extra == 1) {
    batch.push = time;
  } else {
    batch.whole = time;
  }
  if (line.time) batch.at = *line.time;
}

std::unexpected<Error> WrongLine(const std::string& path, std::size_t number, std::string_view line,
                                 std::string_view what) {
  return Fail(fmt::format("{}, line {}: {} ('{}'); {}", path, number, what,
                          Printable(std::string(Prefix(line, kShown)), true), kTakeAnother));
}

// Without moments, those of a device queue follow from what each batch took, one right behind the other.
Result<void> MakeMoments(const std::string& path, TraceFile& trace) {
  std::int64_t at = 0;
  for (TracedBatch& batch : trace.batches) {
    if (trace.kind == TraceKind::kIterator || !batch.whole) {
      return Fail(path +
                  " does not say when batches were taken: its lines have four numbers, as old versions of "
                  "MindSpore wrote "
                  "them; profile with a later one, or take the file away to import the rest");
    }
    batch.at = at += *batch.whole;
  }
  return {};
}

Result<void> CheckMoments(const std::string& path, const TraceFile& trace) {
  const auto falls = std::ranges::adjacent_find(trace.batches, std::greater<>(), &TracedBatch::at);
  if (falls != trace.batches.end()) {
    return Fail(fmt::format("{}: the time of batch {} is before that of the one before it; {}", path,
                            falls - trace.batches.begin() + 2, kTakeAnother));
  }
  if (trace.batches.back().at - trace.batches.front().at > kLongestProfile)
    return Fail(fmt::format("{}: its times span more than a year; {}", path, kTakeAnother));
  return {};
}

}  // namespace

std::int64_t BeginOf(const TraceFile& trace) {
  const TracedBatch& first = trace.batches.front();
  const std::int64_t took = first.whole ? *first.whole : first.get.value_or(0);
  return std::max<std::int64_t>(first.at - took, 0);
}

Result<TraceFile> ParseTraceFile(const ProfileFile& file, TraceKind kind) {
  TraceFile trace{.kind = kind};
  std::string_view left = file.text;
  std::int64_t batch = 0;
  bool moments = true;
  for (std::size_t number = 1; !left.empty(); ++number) {
    const std::size_t end = left.find('\n');
    const std::string_view text = left.substr(0, end);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    if (end == std::string_view::npos) {
      trace.cut_off = true;  // and a number in it may be half of one
      break;
    }
    if (text.find_first_not_of(" \r") == std::string_view::npos) continue;
    const auto line = ParseLine(text);
    if (!line) return WrongLine(file.path, number, text, "is not four or five whole numbers");
    if (const char* wrong = Wrong(*line)) return WrongLine(file.path, number, text, wrong);
    moments = moments && line->time;
    if (line->batch != batch || trace.batches.empty()) trace.batches.emplace_back();
    batch = line->batch;
    Put(*line, trace.batches.back());
  }
  if (trace.batches.empty()) return Fail(fmt::format("{} holds no batch; {}", file.path, kTakeAnother));
  const auto made = moments ? Result<void>() : MakeMoments(file.path, trace);
  if (!made) return std::unexpected(made.error());
  if (auto checked = CheckMoments(file.path, trace); !checked) return std::unexpected(checked.error());
  return trace;
}

}  // namespace sluice::exporters
