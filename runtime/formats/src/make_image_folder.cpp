#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "atomic_file.h"
#include "data_folder.h"
#include "jpeg_encode.h"
#include "options.h"
#include "parallel.h"
#include "scene.h"
#include "sluice/formats/make_data.h"

namespace sluice::formats {
namespace {

using internal::DataFolder;

constexpr std::uint64_t kDefaultCount = 1024;
constexpr int kMostClasses = 1000;
constexpr internal::ByteRange kLength{72'000, 108'000};

struct Size {
  int width;
  int height;
};

// About 500x375, one in four upright.
Size DrawSize(Rng& rng) {
  const auto longer = static_cast<int>(rng.Uniform(450, 550));
  const auto shorter = static_cast<int>(rng.Uniform(338, 412));
  return rng.Below(4) == 0 ? Size{shorter, longer} : Size{longer, shorter};
}

// Immutable, shared by all threads.
class Photographer {
 public:
  Photographer(std::uint64_t seed, int classes) : seed_(seed), surfaces_(seed) {
    for (int label = 0; label < classes; ++label) looks_.push_back(internal::LookOfClass(label));
  }

  [[nodiscard]] std::vector<std::byte> Take(std::uint64_t index, int label) const {
    Rng rng(seed_, 0, index, 0x70686f74);
    const Size size = DrawSize(rng);
    std::vector<std::uint8_t> rgb(std::size_t{3} * size.width * size.height);
    internal::PaintScene(looks_[static_cast<std::size_t>(label)], surfaces_, rng, size.width, size.height,
                         rgb);
    return internal::EncodeJpeg(rgb, size.width, size.height, kLength);
  }

 private:
  std::uint64_t seed_;
  internal::Surfaces surfaces_;
  std::vector<internal::Look> looks_;
};

int LabelOf(std::uint64_t index, int classes) {
  return static_cast<int>(index % static_cast<std::uint64_t>(classes));
}

std::string PathOf(const std::string& folder, std::uint64_t index, int classes) {
  return fmt::format("{}/{}/{:07}.jpg", folder, internal::ClassName(LabelOf(index, classes)), index);
}

bool IsThere(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

std::vector<std::uint64_t> Missing(const std::string& folder, std::uint64_t count, int classes) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t i = 0; i < count; ++i)
    if (!IsThere(PathOf(folder, i, classes))) missing.push_back(i);
  return missing;
}

Result<void> CheckOptions(std::uint64_t count, int classes) {
  if (classes < 1 || classes > kMostClasses)
    return Fail(fmt::format("classes: {} is out of range, 1 to {} are possible", classes, kMostClasses));
  if (count < static_cast<std::uint64_t>(classes))
    return Fail(fmt::format("count: {} images cannot fill {} classes; ask for at least one per class", count,
                            classes));
  return {};
}

Result<void> TakeMissing(const MakeDataOptions& options, const DataFolder& folder, std::uint64_t count) {
  const std::vector<std::uint64_t> missing = Missing(folder.path(), count, options.classes);
  if (missing.empty()) {
    internal::Note(options,
                   fmt::format("{}: all {} images are there already, nothing to do", folder.path(), count));
    return {};
  }
  if (missing.size() < count)
    internal::Note(options, fmt::format("{}: {} of {} images are there already, making the rest",
                                        folder.path(), count - missing.size(), count));
  const Photographer photographer(options.seed, options.classes);
  const auto take = [&](std::uint64_t i) {
    const std::uint64_t index = missing[i];
    return internal::WriteWhole(PathOf(folder.path(), index, options.classes),
                                photographer.Take(index, LabelOf(index, options.classes)));
  };
  const auto done = [&](std::uint64_t n) { internal::Progress(options, count - missing.size() + n, count); };
  return internal::ForEach(missing.size(), internal::Threads(options), take, done);
}

}  // namespace

Result<void> MakeImageFolder(const MakeDataOptions& options) {
  const std::uint64_t count = options.count == 0 ? kDefaultCount : options.count;
  if (auto checked = CheckOptions(count, options.classes); !checked) return checked;
  std::vector<std::string> classes;
  classes.reserve(options.classes);
  for (int label = 0; label < options.classes; ++label) classes.push_back(internal::ClassName(label));
  const auto folder = DataFolder::Open(
      options.out, {.kind = "imagefolder", .count = count, .seed = options.seed, .classes = options.classes},
      classes);
  if (!folder) return std::unexpected(folder.error());
  for (const std::string& name : classes) {
    const std::string path = folder->path() + "/" + name;
    if (auto made = internal::MakeFolder(path); !made) return made;
    internal::RemoveLeftovers(path);
  }
  if (auto taken = TakeMissing(options, *folder, count); !taken) return taken;
  return folder->MarkComplete();
}

}  // namespace sluice::formats
