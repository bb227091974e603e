// What a data set is made of: how many files, how large, and some of them to look at more closely. Bounded:
// a data set may have millions of files on a slow network, and doctor is to answer within seconds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::probes {

struct DataFile {
  std::string path{};
  Bytes size{0};
};

struct DataSample {
  std::uint64_t files = 0;         // that were met
  Bytes bytes{0};                  // in them
  bool whole = true;               // all there are; else there are more
  std::uint64_t closed = 0;        // folders that may not be read
  std::vector<DataFile> chosen{};  // at random among those met, the same ones each time
};

struct SampleBounds {
  std::uint64_t entries = 50'000;  // files and folders that are looked at
  std::size_t chosen = 256;
  Nanos time = std::chrono::milliseconds(400);
};

// Of the folder `path` and those below, or of one file. Links to folders are not followed. Fails where it is
// not there or may not be read.
[[nodiscard]] Result<DataSample> SampleData(const std::string& path, const SampleBounds& bounds = {});

// The size that half of the chosen ones do not reach; 0: there are none.
[[nodiscard]] Bytes MiddleSize(const DataSample& sample);

}  // namespace sluice::probes
