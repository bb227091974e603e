// ImageFolder: root/<class>/<image>.{jpg,jpeg,png}, as torchvision's ImageFolder lists it: classes by folder
// name, within a class its folders (nested to any depth) by path and their files by name, all in the order
// of their bytes; endings in any case. Links are followed, but not back to a folder that they lie in. A class
// without an image is refused, as there: its label would exist and never occur.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::formats {

struct ImageFile {
  std::string path;
  std::uint32_t label = 0;
};

struct ImageFolder {
  std::vector<std::string> classes;
  std::vector<ImageFile> files;
};

// Refuses a root that is missing, not readable or has a class without an image, and says which.
[[nodiscard]] Result<ImageFolder> ListImageFolder(const std::string& root);

// Size of a regular file; errors name it.
[[nodiscard]] Result<Bytes> FileSize(const std::string& path);

// Reads a whole file into `out` (resized to fit). Errors name the file.
[[nodiscard]] Result<void> ReadFile(const std::string& path, std::vector<std::byte>& out);
// Reads at most capacity bytes into memory of the caller and returns the file's length; an Error when the
// file is longer than `capacity`. One open, one or two reads, one close.
[[nodiscard]] Result<std::size_t> ReadFileInto(const std::string& path, std::byte* out, std::size_t capacity);

}  // namespace sluice::formats
