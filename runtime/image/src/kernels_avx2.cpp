#include "kernels_avx2.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define SLUICE_AVX2 __attribute__((target("avx2,fma")))
#define SLUICE_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

namespace sluice::image {
namespace {

SLUICE_AVX2_INLINE __m256 Load8(const std::uint8_t* bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))));
}

// Pixel k of the four in each half, as four floats.
SLUICE_AVX2_INLINE __m256 PixelOfHalves(__m256i pixels, int k) {
  const auto at = static_cast<char>(k * 4);
  const __m128i spread =
      _mm_setr_epi8(at, -1, -1, -1, static_cast<char>(at + 1), -1, -1, -1, static_cast<char>(at + 2), -1, -1,
                    -1, static_cast<char>(at + 3), -1, -1, -1);
  return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(pixels, _mm256_broadcastsi128_si256(spread)));
}

SLUICE_AVX2_INLINE __m256i LoadHalves(const std::uint8_t* low, const std::uint8_t* high) {
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low));
  const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

template <int kTaps>  // 1..4
SLUICE_AVX2_INLINE __m256 AddTaps(const std::uint8_t* a, const std::uint8_t* b, const float* weights,
                                  __m256 sum) {
  const __m256i pixels = LoadHalves(a, b);
  sum = _mm256_add_ps(sum, _mm256_mul_ps(PixelOfHalves(pixels, 0), _mm256_loadu_ps(weights)));
  if constexpr (kTaps > 1) {
    sum = _mm256_add_ps(sum, _mm256_mul_ps(PixelOfHalves(pixels, 1), _mm256_loadu_ps(weights + 8)));
  }
  if constexpr (kTaps > 2) {
    sum = _mm256_add_ps(sum, _mm256_mul_ps(PixelOfHalves(pixels, 2), _mm256_loadu_ps(weights + 16)));
  }
  if constexpr (kTaps > 3) {
    sum = _mm256_add_ps(sum, _mm256_mul_ps(PixelOfHalves(pixels, 3), _mm256_loadu_ps(weights + 24)));
  }
  return sum;
}

// `kRest`: taps after the whole fours, 1..4.
template <int kRest>
SLUICE_AVX2 void FilterSlots(const std::uint8_t* row, const PackedAxis& axis, float* out) {
  const int fours = (axis.taps - kRest) / 4;
  const float* weights = axis.weights.data();
  const int* first = axis.first.data();
  const auto slots = static_cast<std::ptrdiff_t>(axis.first.size());
  for (std::ptrdiff_t slot = 0; slot < slots; slot += 2) {
    const std::uint8_t* a = row + std::ptrdiff_t{first[slot]} * 4;
    const std::uint8_t* b = row + std::ptrdiff_t{first[slot + 1]} * 4;
    __m256 sum = _mm256_setzero_ps();
    for (int i = 0; i < fours; ++i, a += 16, b += 16, weights += 32) sum = AddTaps<4>(a, b, weights, sum);
    sum = AddTaps<kRest>(a, b, weights, sum);
    weights += std::ptrdiff_t{kRest} * 8;
    _mm256_storeu_ps(out + slot * 4, sum);
  }
}

SLUICE_AVX2 void FilterRow(const std::uint8_t* row, const PackedAxis& axis, float* filtered) {
  switch (axis.taps % 4) {
    case 1:
      return FilterSlots<1>(row, axis, filtered);
    case 2:
      return FilterSlots<2>(row, axis, filtered);
    case 3:
      return FilterSlots<3>(row, axis, filtered);
    default:
      return FilterSlots<4>(row, axis, filtered);
  }
}

struct Pixels8 {
  __m256 v[4];
};

SLUICE_AVX2_INLINE Pixels8 BlendBlock(const RowBlend& blend, std::ptrdiff_t at, int count) {
  Pixels8 sum;
  for (auto& v : sum.v) v = _mm256_setzero_ps();
  for (int k = 0; k < count; ++k) {
    const __m256 weight = _mm256_broadcast_ss(blend.weights + k);
    const float* row = blend.rows[k] + at;
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      sum.v[i] = _mm256_add_ps(sum.v[i], _mm256_mul_ps(weight, _mm256_loadu_ps(row + i * 8)));
    }
  }
  return sum;
}

struct Rgb8 {
  __m256 channel[3];
};

SLUICE_AVX2_INLINE Rgb8 ToPlanes(const Pixels8& pixels) {
  const __m256 rg01 = _mm256_unpacklo_ps(pixels.v[0], pixels.v[1]);
  const __m256 rg23 = _mm256_unpacklo_ps(pixels.v[2], pixels.v[3]);
  const __m256 bx01 = _mm256_unpackhi_ps(pixels.v[0], pixels.v[1]);
  const __m256 bx23 = _mm256_unpackhi_ps(pixels.v[2], pixels.v[3]);
  return {{_mm256_shuffle_ps(rg01, rg23, 0x44), _mm256_shuffle_ps(rg01, rg23, 0xee),
           _mm256_shuffle_ps(bx01, bx23, 0x44)}};
}

struct AffineLanes {
  __m256 scale[3], offset[3];
};

SLUICE_AVX2_INLINE AffineLanes Broadcast(const Affine& affine) {
  AffineLanes lanes;
  for (std::size_t c = 0; c < 3; ++c) {
    lanes.scale[c] = _mm256_broadcast_ss(&affine.scale[c]);
    lanes.offset[c] = _mm256_broadcast_ss(&affine.offset[c]);
  }
  return lanes;
}

SLUICE_AVX2_INLINE __m256 Finish(__m256 value, const AffineLanes& affine, int c) {
  const __m256 level = _mm256_round_ps(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm256_fmadd_ps(level, affine.scale[c], affine.offset[c]);
}

SLUICE_AVX2_INLINE __m256i FirstLanes(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

SLUICE_AVX2_INLINE void BlendWith(const RowBlend& blend, int count, const Affine& affine,
                                  const PlanesOut& out) {
  const AffineLanes lanes = Broadcast(affine);
  int x = 0;
  for (; x + kBlock <= out.width; x += kBlock) {
    const Rgb8 rgb = ToPlanes(BlendBlock(blend, std::ptrdiff_t{x} * 4, count));
    for (int c = 0; c < 3; ++c) {
      _mm256_storeu_ps(out.first + c * out.stride + x, Finish(rgb.channel[c], lanes, c));
    }
  }
  if (x == out.width) return;
  const __m256i mask = FirstLanes(out.width - x);
  const Rgb8 rgb = ToPlanes(BlendBlock(blend, std::ptrdiff_t{x} * 4, count));
  for (int c = 0; c < 3; ++c) {
    _mm256_maskstore_ps(out.first + c * out.stride + x, mask, Finish(rgb.channel[c], lanes, c));
  }
}

SLUICE_AVX2 void BlendRows(const RowBlend& blend, const Affine& affine, const PlanesOut& out) {
  if (blend.count == 2) return BlendWith(blend, 2, affine, out);
  BlendWith(blend, blend.count, affine, out);
}

SLUICE_AVX2_INLINE __m256 LoadMirrored8(const std::uint8_t* bytes) {
  const __m128i reverse = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m128i loaded = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_shuffle_epi8(loaded, reverse)));
}

// `mirrored` and `width` are parameters so that a constant unrolls.
SLUICE_AVX2_INLINE void ConvertRows(const PlaneWindow& window, bool mirrored, int width, float scale,
                                    float offset, float* out) {
  const __m256 scales = _mm256_set1_ps(scale), offsets = _mm256_set1_ps(offset);
  const std::uint8_t* row = window.first;
  for (int y = 0; y < window.height; ++y, row += window.stride, out += width) {
    int x = 0;
    for (; x + kBlock <= width; x += kBlock) {
      const __m256 values = mirrored ? LoadMirrored8(row + width - kBlock - x) : Load8(row + x);
      _mm256_storeu_ps(out + x, _mm256_fmadd_ps(values, scales, offsets));
    }
    for (; x < width; ++x) {
      out[x] = static_cast<float>(row[mirrored ? width - 1 - x : x]) * scale + offset;
    }
  }
}

SLUICE_AVX2 void ConvertPlane(const PlaneWindow& window, float scale, float offset, float* out) {
  constexpr int kCifarWidth = 32;
  const bool cifar = window.width == kCifarWidth;
  if (cifar && window.mirrored) return ConvertRows(window, true, kCifarWidth, scale, offset, out);
  if (cifar) return ConvertRows(window, false, kCifarWidth, scale, offset, out);
  ConvertRows(window, window.mirrored, window.width, scale, offset, out);
}

// Bytes of channel `c` out of 16 of the 48 bytes of 16 RGB pixels, to their places among 16.
struct SplitMasks {
  alignas(16) std::int8_t bytes[3][3][16];
};
constexpr SplitMasks MakeSplitMasks() {
  SplitMasks masks{};
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 3; ++part) {
      for (int i = 0; i < 16; ++i) {
        const int from = i * 3 + c - part * 16;
        masks.bytes[c][part][i] = static_cast<std::int8_t>(from >= 0 && from < 16 ? from : -1);
      }
    }
  }
  return masks;
}
constexpr SplitMasks kSplit = MakeSplitMasks();

SLUICE_AVX2_INLINE __m128i Pick(__m128i part, int c, int which) {
  return _mm_shuffle_epi8(part, _mm_load_si128(reinterpret_cast<const __m128i*>(kSplit.bytes[c][which])));
}

SLUICE_AVX2 void SplitRgb(const std::uint8_t* rgb, int count, std::uint8_t* planes,
                          std::ptrdiff_t plane_stride) {
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto* from = reinterpret_cast<const __m128i*>(rgb + std::ptrdiff_t{i} * 3);
    const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1), c = _mm_loadu_si128(from + 2);
    for (int channel = 0; channel < 3; ++channel) {
      const __m128i values =
          _mm_or_si128(_mm_or_si128(Pick(a, channel, 0), Pick(b, channel, 1)), Pick(c, channel, 2));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + channel * plane_stride + i), values);
    }
  }
  if (i < count)
    PortableKernels().split_rgb(rgb + std::ptrdiff_t{i} * 3, count - i, planes + i, plane_stride);
}

constexpr Kernels kKernels{FilterRow, BlendRows, ConvertPlane, SplitRgb};

}  // namespace

const Kernels* Avx2Kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kKernels : nullptr;
}

}  // namespace sluice::image

#else

namespace sluice::image {
const Kernels* Avx2Kernels() {
  return nullptr;
}
}  // namespace sluice::image

#endif
