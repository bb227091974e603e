// TopKeys: what a viewer types at `sluice top` to change the run: a key, or a line behind `k` that names a
// knob and its value. Knows no terminal and no socket. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/ui/scene.h"

namespace sluice::app {

class TopKeys {
 public:
  // Bytes of keys. Returns what they ask for. `scene` has the knobs, and what is known of the steering.
  [[nodiscard]] std::vector<ui::Wish> Press(std::string_view bytes, const ui::Scene& scene);
  [[nodiscard]] bool leaving() const { return leaving_; }
  // Two lines for below the table.
  [[nodiscard]] std::vector<std::string> Lines(const ui::Scene& scene) const;

 private:
  // nullopt: nothing.
  [[nodiscard]] std::optional<ui::Wish> PressOne(std::string_view key, const ui::Scene& scene);
  [[nodiscard]] std::optional<ui::Wish> Type(std::string_view key, const ui::Scene& scene);
  [[nodiscard]] std::optional<ui::Wish> Enter(const ui::Scene& scene);
  void Complete(const ui::Scene& scene);

  std::optional<std::string> line_;  // that is being typed
  std::string wrong_;                // with it
  std::optional<ui::Wish> foretold_;
  bool leaving_ = false;
};

}  // namespace sluice::app
