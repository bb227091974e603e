#include "steer/line_stream.h"

#include <algorithm>
#include <charconv>

#include "steer/control_call.h"

namespace sluice::app {
namespace {

constexpr std::size_t kLongestHead = 16 << 10, kLongestLine = 16 << 20, kLongestChunk = 64 << 20;  // bytes
constexpr std::size_t kLongestSize = 16;                                                           // digits
constexpr std::string_view kEndOfHead = "\r\n\r\n", kBreak = "\r\n", kGood = "HTTP/1.1 200 ";

std::unexpected<Error> NoStream() {
  return Fail("what answers is no control socket of Sluice's");
}

}  // namespace

Result<std::vector<std::string>> LineStream::Take(std::string_view bytes) {
  in_ += bytes;
  if (part_ == Part::kHead) {
    if (auto head = TakeHead(); !head) return std::unexpected(head.error());
    if (part_ == Part::kHead) return std::vector<std::string>();
  }
  for (;;) {
    const auto more = TakeSome();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
  }
  std::vector<std::string> lines;
  std::size_t from = 0;
  for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n', from)) {
    lines.push_back(line_.substr(from, end - from));
    from = end + 1;
  }
  line_.erase(0, from);
  if (line_.size() > kLongestLine) return Fail("a line of the answer has no end");
  return lines;
}

// A refusal has a body that tells why.
Result<void> LineStream::TakeHead() {
  const std::size_t end = in_.find(kEndOfHead);
  if (end == std::string::npos && in_.size() <= kLongestHead) return {};
  if (end == std::string::npos) return NoStream();
  if (!in_.starts_with(kGood)) {
    const auto refusal = ReadReply(in_);
    if (!refusal && in_.size() <= kLongestHead) return {};  // the rest of its body is to come
    return refusal ? Fail(RefusalIn(*refusal)) : std::unexpected(refusal.error());
  }
  in_.erase(0, end + kEndOfHead.size());
  part_ = Part::kSize;
  return {};
}

Result<bool> LineStream::TakeSome() {
  if (part_ == Part::kSize) return TakeSize();
  if (part_ == Part::kBehindData) return TakeBehind();
  const std::size_t n = std::min(left_, in_.size());
  line_.append(in_, 0, n);
  in_.erase(0, n);
  left_ -= n;
  if (left_ == 0) part_ = Part::kBehindData;
  return left_ == 0;
}

Result<bool> LineStream::TakeSize() {
  const std::size_t end = in_.find(kBreak);
  if (end == std::string::npos && in_.size() <= kLongestSize) return false;
  const auto [behind, error] = std::from_chars(in_.data(), in_.data() + std::min(end, in_.size()), left_, 16);
  if (end == std::string::npos || error != std::errc() || behind != in_.data() + end || left_ > kLongestChunk)
    return NoStream();
  in_.erase(0, end + kBreak.size());
  part_ = Part::kData;
  return true;
}

Result<bool> LineStream::TakeBehind() {
  if (in_.size() < kBreak.size()) return false;
  if (!in_.starts_with(kBreak)) return NoStream();
  in_.erase(0, kBreak.size());
  part_ = Part::kSize;
  return true;
}

}  // namespace sluice::app
