// RowRng: the random draws of one transform for one row; the same for the fused and the unfused path.
#pragma once
#include <cstddef>

#include "sluice/base/rng.h"
#include "sluice/image/row_program.h"

namespace sluice::image {

[[nodiscard]] inline Rng RowRng(const RowSeed& seed, std::size_t position) {
  return Rng(seed.seed, seed.epoch, seed.index, seed.salt * 64 + position);
}

}  // namespace sluice::image
