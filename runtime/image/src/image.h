// Image: an RGB image between two transforms. Planar means CHW, else HWC. A plain value with its memory.
#pragma once
#include <cstddef>

#include "buffer.h"
#include "geometry.h"
#include "sluice/image/tensor.h"

namespace sluice::image {

inline constexpr int kChannels = 3;

struct Image {
  Size size;
  DType dtype = DType::kU8;
  bool planar = false;
  Buffer buffer;

  // Gives the image a new form; the pixels are anything.
  void Reset(Size new_size, DType new_dtype, bool new_planar = false) {
    size = new_size;
    dtype = new_dtype;
    planar = new_planar;
    buffer.Reserve<std::byte>(Bytes());
  }
  [[nodiscard]] std::size_t Pixels() const {
    return static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width);
  }
  [[nodiscard]] std::size_t Values() const { return Pixels() * kChannels; }
  [[nodiscard]] std::size_t Bytes() const { return Values() * SizeOf(dtype); }
  template <typename T>
  [[nodiscard]] T* Data() const {
    return buffer.As<T>();
  }
};

// Calls `act` with a value of the image's pixel type: WithPixelType(image, [&](auto pixel) {...}).
template <typename Act>
void WithPixelType(const Image& image, Act act) {
  if (image.dtype == DType::kU8) {
    act(std::uint8_t{});
  } else {
    act(float{});
  }
}

}  // namespace sluice::image
