// Makes input data in real formats, for trying things out: deterministic for a seed, byte for byte.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "sluice/base/error.h"

namespace sluice::formats {

struct MakeDataOptions {
  std::string out;          // folder; made when missing; refused when it holds something else
  std::uint64_t count = 0;  // images; 0: the kind's default (cifar10: 50000 + 10000, imagefolder: 1024)
  std::uint64_t seed = 1;
  int classes = 10;  // imagefolder only
  int threads = 0;   // 0: one per usable core; the bytes do not depend on it
  // Called now and then from the calling thread with (done, all).
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  // Called with a sentence for the user: "data/x: all 1024 images are there already, nothing to do".
  std::function<void(const std::string&)> note;
};

// Natural-looking photographs (dead leaves with 1/f texture, shading, sensor noise) of about 375x500 pixels
// and 70-110 KB JPEG, one folder per class. Files are written complete or not at all (temporary name +
// rename); a full disk is an Error that names the file and removes what is incomplete. A second run with
// the same options makes what is missing, and is quick when nothing is.
[[nodiscard]] Result<void> MakeImageFolder(const MakeDataOptions& options);

// data_batch_1..5.bin and test_batch.bin with the exact layout, same rules: `count` training images spread
// over five files and a fifth as many to test with; labels balanced and shuffled.
[[nodiscard]] Result<void> MakeCifar10(const MakeDataOptions& options);

}  // namespace sluice::formats
