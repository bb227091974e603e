// Tensor views: typed memory with a shape, owned by somebody else. Plain values.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::image {

enum class DType : std::uint8_t { kU8 = 0, kF32 = 1, kI64 = 2 };
constexpr std::size_t SizeOf(DType type) {
  return type == DType::kU8 ? 1 : type == DType::kF32 ? 4 : 8;
}

// Row-major; rank 0 is a scalar.
struct Shape {
  std::array<std::uint32_t, 4> dims{};
  std::uint8_t rank = 0;

  [[nodiscard]] constexpr std::size_t Elements() const {
    std::size_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[static_cast<std::size_t>(i)];
    return n;
  }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

struct TensorView {
  const std::byte* data = nullptr;
  DType dtype = DType::kU8;
  Shape shape;
  // Bytes; 0 where there is no data.
  [[nodiscard]] constexpr std::size_t Size() const {
    return data == nullptr ? 0 : shape.Elements() * SizeOf(dtype);
  }
};

}  // namespace sluice::image
