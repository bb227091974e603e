#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/exporters/mindspore_profile.h"

namespace sluice::exporters {
namespace {

constexpr Bytes kLargest = 256_MiB;       // of a file: an hour at MindSpore's fastest makes a tenth of it
constexpr std::size_t kMostRanks = 1024;  // as many as a session may hold

struct Kind {
  std::string_view begin, end;
  std::optional<ProfileFile> MindSporeFiles::* file;
};
constexpr Kind kKinds[] = {{"pipeline_profiling_", ".json", &MindSporeFiles::pipeline},
                           {"minddata_cpu_utilization_", ".json", &MindSporeFiles::cpu},
                           {"device_queue_profiling_", ".txt", &MindSporeFiles::device_queue},
                           {"dataset_iterator_profiling_", ".txt", &MindSporeFiles::iterator}};

// The number between begin and end of a name of this kind; nullopt: it is none.
std::optional<int> RankIn(std::string_view name, const Kind& kind) {
  if (!name.starts_with(kind.begin) || !name.ends_with(kind.end)) return std::nullopt;
  if (name.size() <= kind.begin.size() + kind.end.size()) return std::nullopt;
  name.remove_prefix(kind.begin.size());
  name.remove_suffix(kind.end.size());
  int rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  const bool whole = error == std::errc() && end == name.data() + name.size() && rank >= 0;
  return whole ? std::optional(rank) : std::nullopt;
}

void Read(const std::filesystem::path& path, std::optional<ProfileFile>& into,
          std::vector<std::string>& unread) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    unread.push_back(fmt::format("cannot read {}: {}", path.string(), error.message()));
    return;
  }
  if (size > static_cast<std::uintmax_t>(kLargest.count)) {
    unread.push_back(fmt::format("{} has {}, and more than {} are not read; profile fewer steps",
                                 path.string(), FormatBytes({static_cast<std::int64_t>(size)}),
                                 FormatBytes(kLargest)));
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) {
    unread.push_back(fmt::format("cannot read {}: {}; MindSpore writes for its user only", path.string(),
                                 std::strerror(errno)));
    return;
  }
  into = ProfileFile{path.string(), std::move(text)};
}

std::string NamesOf(const std::map<int, MindSporeFiles>& found) {
  std::string names;
  for (const auto& [rank, files] : found) names += (names.empty() ? "" : ", ") + std::to_string(rank);
  return names;
}

bool HasProfile(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::any_of(kKinds, [&](const Kind& kind) { return RankIn(name, kind).has_value(); }))
      return true;
  }
  return false;
}

// A folder in `folder` that has what was looked for; empty: none.
std::string Elsewhere(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_directory(error) && HasProfile(entry.path())) return entry.path().string();
  }
  return "";
}

std::unexpected<Error> NoProfile(const std::string& folder) {
  const std::string elsewhere = Elsewhere(folder);
  if (!elsewhere.empty())
    return Fail(fmt::format("{} holds no profile of MindSpore's, but {} does: name that", folder, elsewhere));
  return Fail(folder +
              " holds no profile of MindSpore's: there is no pipeline_profiling_R.json, nor any of its like; "
              "mindspore.Profiler(data_process=True) writes them");
}

}  // namespace

Result<std::vector<MindSporeFiles>> FindMindSporeProfiles(const std::string& folder,
                                                          std::optional<int> rank) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) return Fail(fmt::format("cannot read the folder {}: {}", folder, error.message()));
  std::map<int, MindSporeFiles> found;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    for (const Kind& kind : kKinds) {
      const auto of = RankIn(name, kind);
      if (!of) continue;
      MindSporeFiles& files = found[*of];
      files.rank = *of;
      if (!rank || *rank == *of) Read(entry.path(), files.*kind.file, files.unread);
    }
  }
  if (found.empty()) return NoProfile(folder);
  if (rank && !found.contains(*rank))
    return Fail(fmt::format("{} holds nothing of rank {}; it has {}", folder, *rank, NamesOf(found)));
  if (rank) return std::vector{std::move(found[*rank])};
  if (found.size() > kMostRanks)
    return Fail(fmt::format("{} holds {} ranks; say which: --rank N", folder, found.size()));
  std::vector<MindSporeFiles> all;
  all.reserve(found.size());
  for (auto& [number, files] : found) all.push_back(std::move(files));
  return all;
}

}  // namespace sluice::exporters
