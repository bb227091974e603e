// RowProgram: a list of transforms compiled for one kind of input row. Where the list has a known shape
// (decode, random resized crop, flip, normalise, to CHW; or padded crop, flip, normalise on raw pixels) it
// runs fused, straight from the encoded bytes into the caller's memory; otherwise transform by transform.
// Both give the same grey levels; normalised values may differ in a float's last bits (2e-6). A planar input
// is HWC from the first transform on.
//
// Immutable after Compile and thread-safe; each worker brings its own Scratch.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/image/tensor.h"
#include "sluice/image/transform.h"

namespace sluice::image {

// What is known about all rows before the run. An encoded row is a rank-1 u8 tensor of file bytes.
struct RowKind {
  bool encoded = false;
  std::optional<DType> dtype;  // nullopt only for encoded rows
  std::optional<Shape> shape;  // nullopt: differs from row to row
  bool planar = false;         // the shape is CHW (as CIFAR files and HwcToChw have it), not HWC
};

// Where a row's random draws come from; transform number k adds its position.
struct RowSeed {
  std::uint64_t seed = 0, epoch = 0, index = 0, salt = 0;
};

// Memory that a worker keeps from row to row (decoder state, intermediate images). One thread at a time.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

 private:
  friend class RowProgram;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class RowProgram {
 public:
  // Errors name the transform and what it cannot take. `fuse` false: never fused (the tests' oracle).
  [[nodiscard]] static Result<RowProgram> Compile(std::vector<Transform> transforms, RowKind input,
                                                  bool fuse = true);
  RowProgram(RowProgram&&) noexcept;
  RowProgram& operator=(RowProgram&&) noexcept;
  ~RowProgram();

  [[nodiscard]] const RowKind& output() const;
  [[nodiscard]] bool fused() const;
  // Bytes that Run will need in `out` for this row, at most. Looks at an image's header where the output
  // shape is not fixed. Errors as Run.
  [[nodiscard]] Result<std::size_t> OutputBytes(const TensorView& in) const;
  // Runs all transforms on one row and writes the result to `out`; returns its shape. `out` must not
  // overlap `in` and is aligned for the output's dtype. Errors say what is wrong with the row ("JPEG is
  // truncated: its 1234 bytes end in row 17 of 375"); the caller adds the file's name. After an error `out`
  // holds anything.
  [[nodiscard]] Result<Shape> Run(const TensorView& in, const RowSeed& seed, Scratch& scratch,
                                  std::span<std::byte> out) const;

 private:
  struct Impl;
  explicit RowProgram(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace sluice::image
