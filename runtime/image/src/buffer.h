// Buffer: memory that grows and is kept, for a worker's intermediate images. Contents are not kept when it
// grows and not initialised. One thread at a time.
#pragma once
#include <cstddef>
#include <memory>
#include <new>

namespace sluice::image {

class Buffer {
 public:
  template <typename T>
  T* Reserve(std::size_t count) {
    Grow(count * sizeof(T));
    return reinterpret_cast<T*>(data_.get());
  }
  template <typename T>
  [[nodiscard]] T* As() const {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, kAlignment); }
  };

  void Grow(std::size_t bytes) {
    if (bytes <= capacity_) return;
    data_.reset();
    capacity_ = 0;
    data_.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
    capacity_ = bytes;
  }

  std::unique_ptr<std::byte, Free> data_;
  std::size_t capacity_ = 0;
};

}  // namespace sluice::image
