#include "data_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "atomic_file.h"
#include "file.h"
#include "sluice/formats/image_folder.h"

namespace sluice::formats::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOtherFolder = "remove it or choose another folder";

// False: it is missing, no whole number, or too large.
template <typename T>
bool TakeNumber(const nlohmann::json& json, const char* key, T& number) {
  const auto field = json.find(key);
  if (field == json.end() || !field->is_number_unsigned()) return false;
  const auto value = field->get<std::uint64_t>();
  number = static_cast<T>(value);
  return std::in_range<T>(value);
}

std::string Describe(const DataContents& contents) {
  return fmt::format("kind {}, count {}, seed {}, classes {}, version {}", contents.kind, contents.count,
                     contents.seed, contents.classes, contents.version);
}

bool IsOurs(const std::string& name, const std::vector<std::string>& entries) {
  return name == kManifestName || name.ends_with(kTemporaryEnding) ||
         std::find(entries.begin(), entries.end(), name) != entries.end();
}

}  // namespace

std::optional<DataContents> ParseManifest(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  DataContents contents;
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) return std::nullopt;
  contents.kind = kind->get<std::string>();
  const bool whole = TakeNumber(json, "count", contents.count) && TakeNumber(json, "seed", contents.seed) &&
                     TakeNumber(json, "classes", contents.classes) &&
                     TakeNumber(json, "version", contents.version);
  return whole ? std::optional(contents) : std::nullopt;
}

std::string ManifestText(const DataContents& contents, bool complete) {
  const nlohmann::ordered_json json{{"kind", contents.kind},       {"count", contents.count},
                                    {"seed", contents.seed},       {"classes", contents.classes},
                                    {"version", contents.version}, {"complete", complete}};
  return json.dump(2) + "\n";
}

Result<DataFolder> DataFolder::Open(std::string path, DataContents contents,
                                    const std::vector<std::string>& entries) {
  if (path.empty()) return Fail("the folder for the data has no name; give one with --out DIR");
  if (auto made = MakeFolder(path); !made) return std::unexpected(made.error());
  DataFolder folder(std::move(path), std::move(contents));
  if (auto locked = folder.Lock(); !locked) return std::unexpected(locked.error());
  if (auto checked = folder.CheckEntries(entries); !checked) return std::unexpected(checked.error());
  if (auto checked = folder.CheckManifest(); !checked) return std::unexpected(checked.error());
  RemoveLeftovers(folder.path_);
  return folder;
}

DataFolder::~DataFolder() {
  if (fd_ >= 0) ::close(fd_);
}

// File systems without locks are used without one.
Result<void> DataFolder::Lock() {
  fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) return FailOn(path_, "open the folder", errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Fail(path_ + ": another run is making data here; wait for it or choose another folder");
  return {};
}

Result<void> DataFolder::CheckEntries(const std::vector<std::string>& entries) const {
  std::error_code error;
  bool manifest = false;
  std::string alien;
  bool any = false;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    manifest |= name == kManifestName;
    any |= !name.ends_with(kTemporaryEnding);
    if (!IsOurs(name, entries)) alien = name;
  }
  if (error) return Fail(fmt::format("{}: cannot list the folder: {}", path_, error.message()));
  if (!alien.empty())
    return Fail(
        fmt::format("{}: holds something else already ({}); choose an empty or a new folder", path_, alien));
  if (any && !manifest)
    return Fail(
        fmt::format("{}: holds files already, and no {} says where they are from; choose an empty or a "
                    "new folder",
                    path_, kManifestName));
  return {};
}

Result<void> DataFolder::CheckManifest() const {
  if (!fs::exists(ManifestPath())) return WriteManifest(false);
  std::vector<std::byte> bytes;
  if (auto read = ReadFile(ManifestPath(), bytes); !read) return read;
  const auto found = ParseManifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!found)
    return Fail(fmt::format("{}: is not a manifest of made data; {}", ManifestPath(), kOtherFolder));
  if (*found != contents_)
    return Fail(fmt::format("{}: holds other data ({}), asked for {}; {}", path_, Describe(*found),
                            Describe(contents_), kOtherFolder));
  return {};
}

Result<void> DataFolder::WriteManifest(bool complete) const {
  const std::string text = ManifestText(contents_, complete);
  return WriteWhole(ManifestPath(), std::as_bytes(std::span(text)));
}

void RemoveLeftovers(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().native().ends_with(kTemporaryEnding)) leftovers.push_back(it->path());
  for (const fs::path& leftover : leftovers) fs::remove(leftover, error);
}

}  // namespace sluice::formats::internal
