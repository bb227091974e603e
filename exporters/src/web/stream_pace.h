// StreamPace: how many of the lines that come a viewer gets. All, while each has been taken when the next one
// comes; else every second, then every fourth and so on, and more again once it keeps up. Pure.
#pragma once
#include <cstdint>
#include <optional>

namespace sluice::exporters {

class StreamPace {
 public:
  // What the viewer is to be told before its next line.
  struct Notice {
    std::uint64_t every = 1;
    std::uint64_t skipped = 0;  // lines since the last notice
  };
  struct Step {
    bool send = false;
    std::optional<Notice> notice;
  };

  // For each line. `taken`: the viewer has the one before.
  [[nodiscard]] Step Offer(bool taken);

 private:
  void Change(std::uint64_t every);

  std::uint64_t every_ = 1;
  std::uint64_t since_ = 0;  // lines since one was sent
  std::uint64_t skipped_ = 0;
  int in_time_ = 0;    // lines in a row
  bool late_ = false;  // the viewer still has to take a line
  bool tell_ = false;
};

}  // namespace sluice::exporters
