// DataFolder: the folder that made data goes to. A small manifest, sluice-data.json, says what is in it, so
// that a second run with the same settings finds it complete or goes on where the first one stopped, and
// nothing of somebody else's is ever overwritten.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::formats::internal {

inline constexpr std::string_view kManifestName = "sluice-data.json";
// Grows whenever the same seed would give other bytes.
inline constexpr int kDataVersion = 1;

// Equal contents mean equal bytes.
struct DataContents {
  std::string kind;
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  int classes = 0;
  int version = kDataVersion;
  friend bool operator==(const DataContents&, const DataContents&) = default;
};

// The manifest. What is read is untrusted; nullopt: it is none.
[[nodiscard]] std::optional<DataContents> ParseManifest(std::string_view text);
[[nodiscard]] std::string ManifestText(const DataContents& contents, bool complete);

// One thread. Holds a lock on the folder: a second run into it is refused.
class DataFolder {
 public:
  // Makes the folder when it is missing. `entries` are the names that belong into it beside the manifest;
  // any other name, or a manifest with other contents, is refused. Removes leftovers of a killed run.
  [[nodiscard]] static Result<DataFolder> Open(std::string path, DataContents contents,
                                               const std::vector<std::string>& entries);

  DataFolder(DataFolder&& other) noexcept
      : path_(std::move(other.path_)),
        contents_(std::move(other.contents_)),
        fd_(std::exchange(other.fd_, -1)) {}
  DataFolder& operator=(DataFolder&&) = delete;
  ~DataFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes the manifest, when everything is there.
  [[nodiscard]] Result<void> MarkComplete() const { return WriteManifest(true); }

 private:
  DataFolder(std::string path, DataContents contents)
      : path_(std::move(path)), contents_(std::move(contents)) {}
  [[nodiscard]] Result<void> Lock();
  [[nodiscard]] Result<void> CheckEntries(const std::vector<std::string>& entries) const;
  [[nodiscard]] Result<void> CheckManifest() const;
  [[nodiscard]] Result<void> WriteManifest(bool complete) const;
  [[nodiscard]] std::string ManifestPath() const { return path_ + "/" + std::string(kManifestName); }

  std::string path_;
  DataContents contents_;
  int fd_ = -1;
};

// Removes temporary files that a killed run left in `folder`; a missing folder has none.
void RemoveLeftovers(const std::string& folder);

}  // namespace sluice::formats::internal
