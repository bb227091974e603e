#include "sluice/probes/data_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <random>
#include <system_error>

#include "sluice/base/clock.h"

namespace sluice::probes {
namespace {

namespace fs = std::filesystem;

class Walk {
 public:
  explicit Walk(const SampleBounds& bounds) : bounds_(bounds), until_(MonoNow() + bounds.time) {}

  // False: enough was seen.
  bool Folder(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) {
      ++sample_.closed;
      sample_.whole = false;
      return true;
    }
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
      if (error) break;
      if (!Entry(*entries)) return false;
    }
    return true;
  }

  void Run(const fs::path& from) {
    folders_.push_back(from);
    while (!folders_.empty()) {
      const fs::path folder = folders_.front();
      folders_.pop_front();
      if (Folder(folder)) continue;
      sample_.whole = false;
      return;
    }
  }

  void Add(const std::string& path, Bytes size) {
    ++sample_.files;
    sample_.bytes = Sum(sample_.bytes, size);
    if (sample_.chosen.size() < bounds_.chosen) return sample_.chosen.push_back({path, size});
    const std::uint64_t place = random_() % sample_.files;
    if (place < sample_.chosen.size()) sample_.chosen[place] = {path, size};
  }

  [[nodiscard]] DataSample Take() { return std::move(sample_); }

 private:
  bool Entry(const fs::directory_entry& entry) {
    if (++looked_ > bounds_.entries || MonoNow() > until_) return false;
    std::error_code error;
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      folders_.push_back(entry.path());
    } else if (entry.is_regular_file(error)) {
      const std::uintmax_t size = entry.file_size(error);
      if (!error)
        Add(entry.path(), Bytes{static_cast<std::int64_t>(std::min<std::uintmax_t>(size, INT64_MAX))});
    }
    return true;
  }

  const SampleBounds bounds_;
  const MonoTime until_;
  DataSample sample_;
  std::deque<fs::path> folders_;
  std::uint64_t looked_ = 0;
  std::mt19937_64 random_{1};  // the same choice each time
};

}  // namespace

Result<DataSample> SampleData(const std::string& path, const SampleBounds& bounds) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || status.type() == fs::file_type::not_found)
    return Fail(fmt::format("{}: {}", path, error ? error.message() : "No such file or directory"));
  Walk walk(bounds);
  if (status.type() == fs::file_type::regular) {
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) return Fail(fmt::format("{}: {}", path, error.message()));
    walk.Add(path, Bytes{static_cast<std::int64_t>(std::min<std::uintmax_t>(size, INT64_MAX))});
    return walk.Take();
  }
  const fs::directory_iterator readable(path, error);
  if (error) return Fail(fmt::format("{}: {}", path, error.message()));
  walk.Run(path);
  return walk.Take();
}

Bytes MiddleSize(const DataSample& sample) {
  if (sample.chosen.empty()) return Bytes{0};
  std::vector<Bytes> sizes;
  sizes.reserve(sample.chosen.size());
  for (const DataFile& file : sample.chosen) sizes.push_back(file.size);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

}  // namespace sluice::probes
