#include "sluice/formats/image_folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "file.h"

namespace sluice::formats {
namespace {

struct Listing {
  std::vector<std::string> folders;
  std::vector<std::string> files;  // all that is not a folder
};

// A folder on the way down from the class, by identity: a link back to one of them is not followed.
using Ancestors = std::vector<std::pair<dev_t, ino_t>>;

struct Folder {
  std::string path;
  std::vector<std::string> files;
};

bool IsFolder(const std::string& folder, const dirent& entry) {
  if (entry.d_type == DT_DIR) return true;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return false;
  struct stat status;
  return ::stat((folder + "/" + entry.d_name).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool HasImageName(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::array<std::string_view, 3> kEndings{".jpg", ".jpeg", ".png"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](auto ending) { return lower.ends_with(ending); });
}

Result<Listing> List(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
  if (!directory) return internal::FailOn(folder, "open the folder", errno);
  Listing listing;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    (IsFolder(folder, *entry) ? listing.folders : listing.files).emplace_back(name);
  }
  if (errno != 0) return internal::FailOn(folder, "list the folder", errno);
  std::sort(listing.folders.begin(), listing.folders.end());
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

// Appends `path` and every folder below it.
Result<void> Walk(const std::string& path, Ancestors& ancestors, std::vector<Folder>& folders) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return internal::FailOn(path, "open the folder", errno);
  const std::pair identity(status.st_dev, status.st_ino);
  if (std::find(ancestors.begin(), ancestors.end(), identity) != ancestors.end()) return {};
  auto listing = List(path);
  if (!listing) return std::unexpected(listing.error());
  folders.push_back({path, std::move(listing->files)});
  ancestors.push_back(identity);
  for (const std::string& name : listing->folders)
    if (auto walked = Walk(fmt::format("{}/{}", path, name), ancestors, folders); !walked) return walked;
  ancestors.pop_back();
  return {};
}

// Appends the images of one class; torchvision's order: folders by their whole path, then files by name.
Result<void> AddClass(const std::string& path, std::uint32_t label, std::vector<ImageFile>& files) {
  Ancestors ancestors;
  std::vector<Folder> folders;
  if (auto walked = Walk(path, ancestors, folders); !walked) return walked;
  std::sort(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) { return a.path < b.path; });
  for (const Folder& folder : folders)
    for (const std::string& name : folder.files)
      if (HasImageName(name)) files.push_back({folder.path + "/" + name, label});
  return {};
}

}  // namespace

Result<ImageFolder> ListImageFolder(const std::string& root) {
  auto listing = List(root);
  if (!listing) return std::unexpected(listing.error());
  if (listing->folders.empty())
    return Fail(root + ": holds no class folder; expected " + root + "/CLASS/IMAGE.jpg");
  ImageFolder found{.classes = std::move(listing->folders), .files = {}};
  std::vector<std::string> empty;
  for (std::size_t i = 0; i < found.classes.size(); ++i) {
    const std::size_t before = found.files.size();
    if (auto added = AddClass(root + "/" + found.classes[i], static_cast<std::uint32_t>(i), found.files);
        !added)
      return std::unexpected(added.error());
    if (found.files.size() == before) empty.push_back(found.classes[i]);
  }
  if (!empty.empty())
    return Fail(
        fmt::format("{}: no .jpg, .jpeg or .png file in the class folder{} {}; add images or remove {}", root,
                    empty.size() == 1 ? "" : "s", fmt::join(empty, ", "),
                    empty.size() == 1 ? "the folder" : "the folders"));
  return found;
}

}  // namespace sluice::formats
