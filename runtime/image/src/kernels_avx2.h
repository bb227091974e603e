// The kernels for x86 processors with AVX2 and FMA. Internal to kernels.
#pragma once
#include "kernels.h"

namespace sluice::image {

// Null where the processor, or the architecture, has no AVX2.
[[nodiscard]] const Kernels* Avx2Kernels();

}  // namespace sluice::image
