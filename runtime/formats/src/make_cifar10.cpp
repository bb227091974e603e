#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "atomic_file.h"
#include "data_folder.h"
#include "file.h"
#include "options.h"
#include "parallel.h"
#include "scene.h"
#include "sluice/formats/cifar10.h"
#include "sluice/formats/make_data.h"
#include "sluice/formats/permutation.h"

namespace sluice::formats {
namespace {

using internal::DataFolder;

constexpr std::uint64_t kDefaultCount = 50'000;
constexpr std::uint64_t kTrainFiles = 5;
constexpr std::uint64_t kLabels = 10;
constexpr std::uint64_t kBlock = 512;  // records painted between two writes
constexpr int kPaintedSide = 2 * static_cast<int>(kCifarSide);

struct Split {
  std::uint64_t salt;
  std::uint64_t count;
};

// One file to be made: records [first, first + count) of its split.
struct Part {
  std::string name;
  Split split;
  std::uint64_t first;
  std::uint64_t count;
};

std::vector<Part> PartsOf(std::uint64_t train) {
  std::vector<Part> parts;
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < kTrainFiles; ++i) {
    const std::uint64_t count = train / kTrainFiles + (i < train % kTrainFiles ? 1 : 0);
    parts.push_back({fmt::format("data_batch_{}.bin", i + 1), {0, train}, first, count});
    first += count;
  }
  parts.push_back({"test_batch.bin", {1, train / 5}, 0, train / 5});
  return parts;
}

// The mean of each 2x2 pixels, as planes.
void Shrink(std::span<const std::uint8_t> rgb, std::span<std::byte, kCifarPixels> planes) {
  std::size_t to = 0;
  for (std::size_t channel = 0; channel < 3; ++channel)
    for (std::size_t y = 0; y < kCifarSide; ++y)
      for (std::size_t x = 0; x < kCifarSide; ++x) {
        const std::uint8_t* at = rgb.data() + (2 * y * kPaintedSide + 2 * x) * 3 + channel;
        const std::uint8_t* below = at + std::size_t{3} * kPaintedSide;
        planes[to++] = static_cast<std::byte>((at[0] + at[3] + below[0] + below[3] + 2) / 4);
      }
}

// Immutable, shared by all threads.
class RecordPainter {
 public:
  explicit RecordPainter(std::uint64_t seed) : seed_(seed), surfaces_(seed) {
    for (std::size_t label = 0; label < kLabels; ++label)
      looks_[label] = internal::LookOfClass(static_cast<int>(label));
  }

  void Paint(const Split& split, std::uint64_t index, std::span<std::byte, kCifarRecord> record) const {
    const std::uint64_t label = Permutation(split.count, seed_, split.salt).At(index) % kLabels;
    Rng rng(seed_, split.salt, index, 0x63696661);
    std::array<std::uint8_t, std::size_t{3} * kPaintedSide * kPaintedSide> rgb;
    internal::PaintScene(looks_[label], surfaces_, rng, kPaintedSide, kPaintedSide, rgb);
    record[0] = static_cast<std::byte>(label);
    Shrink(rgb, record.subspan<1>());
  }

 private:
  std::uint64_t seed_;
  internal::Surfaces surfaces_;
  std::array<internal::Look, kLabels> looks_;
};

bool IsThere(const std::string& path, std::uint64_t records) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == records * kCifarRecord;
}

class CifarMaker {
 public:
  CifarMaker(const MakeDataOptions& options, const std::string& folder, std::vector<Part> parts)
      : options_(options), folder_(folder), parts_(std::move(parts)), painter_(options.seed) {
    for (const Part& part : parts_) all_ += part.count;
  }

  Result<void> Run() {
    for (const Part& part : parts_) {
      const std::string path = folder_ + "/" + part.name;
      if (!IsThere(path, part.count))
        if (auto made = Make(part, path); !made) return made;
      done_ += part.count;
      internal::Progress(options_, done_, all_);
    }
    return {};
  }

 private:
  Result<void> Make(const Part& part, const std::string& path) {
    auto file = internal::AtomicFile::Create(path);
    if (!file) return std::unexpected(file.error());
    std::vector<std::byte> records;
    for (std::uint64_t at = 0; at < part.count; at += kBlock) {
      records.resize(std::min(kBlock, part.count - at) * kCifarRecord);
      if (auto painted = PaintBlock(part, at, records); !painted) return painted;
      if (auto written = file->Write(records); !written) return written;
    }
    return file->Commit();
  }

  Result<void> PaintBlock(const Part& part, std::uint64_t at, std::span<std::byte> records) {
    const auto paint = [&](std::uint64_t i) -> Result<void> {
      painter_.Paint(part.split, part.first + at + i,
                     records.subspan(i * kCifarRecord).first<kCifarRecord>());
      return {};
    };
    const auto done = [](std::uint64_t) {};
    auto painted = internal::ForEach(records.size() / kCifarRecord, internal::Threads(options_), paint, done);
    internal::Progress(options_, done_ + at + records.size() / kCifarRecord, all_);
    return painted;
  }

  const MakeDataOptions& options_;
  const std::string folder_;
  const std::vector<Part> parts_;
  const RecordPainter painter_;
  std::uint64_t done_ = 0;
  std::uint64_t all_ = 0;
};

}  // namespace

Result<void> MakeCifar10(const MakeDataOptions& options) {
  const std::uint64_t count = options.count == 0 ? kDefaultCount : options.count;
  if (count < kTrainFiles)
    return Fail(fmt::format("count: {} images cannot fill {} files; ask for at least {}", count, kTrainFiles,
                            kTrainFiles));
  std::vector<Part> parts = PartsOf(count);
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const Part& part : parts) names.push_back(part.name);
  const auto folder = DataFolder::Open(
      options.out,
      {.kind = "cifar10", .count = count, .seed = options.seed, .classes = static_cast<int>(kLabels)}, names);
  if (!folder) return std::unexpected(folder.error());
  const bool complete = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return IsThere(folder->path() + "/" + part.name, part.count);
  });
  if (complete)
    internal::Note(options, fmt::format("{}: all {} files are there already, nothing to do", folder->path(),
                                        parts.size()));
  else if (auto made = CifarMaker(options, folder->path(), std::move(parts)).Run(); !made)
    return made;
  return folder->MarkComplete();
}

}  // namespace sluice::formats
