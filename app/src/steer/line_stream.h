// LineStream: the lines of an answer of HTTP/1.1 that comes in chunks and has no end. Pure; its bytes are
// untrusted. One thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::app {

class LineStream {
 public:
  // The lines that are whole by these bytes, without their breaks. An error where it is no such answer, or
  // one that refuses: then with what it says.
  [[nodiscard]] Result<std::vector<std::string>> Take(std::string_view bytes);

 private:
  enum class Part { kHead, kSize, kData, kBehindData };

  [[nodiscard]] Result<void> TakeHead();
  // False: more bytes are needed.
  [[nodiscard]] Result<bool> TakeSome();
  [[nodiscard]] Result<bool> TakeSize();
  [[nodiscard]] Result<bool> TakeBehind();

  Part part_ = Part::kHead;
  std::string in_;        // not taken yet
  std::string line_;      // begun
  std::size_t left_ = 0;  // of a chunk
};

}  // namespace sluice::app
