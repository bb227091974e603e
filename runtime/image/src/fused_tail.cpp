#include "fused_tail.h"

namespace sluice::image {
namespace {

Affine AffineOf(const Normalize* normalize) {
  Affine affine;
  for (std::size_t c = 0; c < affine.scale.size(); ++c) {
    const double deviation = normalize != nullptr ? static_cast<double>(normalize->std[c]) : 1.0;
    const double mean = normalize != nullptr ? static_cast<double>(normalize->mean[c]) : 0.0;
    affine.scale[c] = static_cast<float>(1.0 / (255.0 * deviation));
    affine.offset[c] = static_cast<float>(-mean / deviation);
  }
  return affine;
}

// True once: a second transform of the same sort is left to the unfused path.
bool TakeOnce(bool& taken) {
  const bool first = !taken;
  taken = true;
  return first;
}

}  // namespace

std::optional<FusedTail> MatchTail(const std::vector<Transform>& transforms, std::size_t from) {
  FusedTail tail;
  const Normalize* normalize = nullptr;
  bool to_float = false, to_chw = false;
  for (std::size_t i = from; i < transforms.size(); ++i) {
    const Transform& transform = transforms[i];
    if (const auto* flip = std::get_if<RandomHorizontalFlip>(&transform); flip && !tail.flip) {
      tail.flip = *flip;
      tail.flip_position = i;
    } else if (const auto* found = std::get_if<Normalize>(&transform); found && normalize == nullptr) {
      normalize = found;
    } else if (std::holds_alternative<ToFloat>(transform) && normalize == nullptr) {
      to_float = true;
    } else if (!std::holds_alternative<HwcToChw>(transform) || !TakeOnce(to_chw)) {
      return std::nullopt;
    }
  }
  if (!to_chw || (!to_float && normalize == nullptr)) return std::nullopt;
  tail.affine = AffineOf(normalize);
  return tail;
}

}  // namespace sluice::image
