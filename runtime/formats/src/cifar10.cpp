#include "sluice/formats/cifar10.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "file.h"
#include "sluice/base/check.h"
#include "sluice/base/units.h"
#include "sluice/formats/image_folder.h"

namespace sluice::formats {
namespace {

using internal::Grouped;

constexpr auto kHighestLabel = std::byte{9};

bool IsCifarName(std::string_view name, bool test) {
  return test ? name == "test_batch.bin" : name.starts_with("data_batch_") && name.ends_with(".bin");
}

Result<std::vector<std::string>> CifarNames(const std::string& folder, bool test) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(folder.c_str()), ::closedir);
  if (!directory) return internal::FailOn(folder, "open the folder of CIFAR-10 files", errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get()))
    if (IsCifarName(entry->d_name, test)) names.emplace_back(entry->d_name);
  if (errno != 0) return internal::FailOn(folder, "list the folder", errno);
  std::sort(names.begin(), names.end());
  return names;
}

// "" for a whole number of records.
std::string LengthProblem(std::size_t length) {
  if (length == 0) return "is empty: expected 3073-byte records";
  if (length % kCifarRecord == 0) return "";
  return fmt::format(
      "{} bytes is not a whole number of {}-byte records: the last one starts at byte {} and is cut at byte "
      "{}",
      Grouped(length), kCifarRecord, Grouped(length - length % kCifarRecord), Grouped(length));
}

// `offset`: where `records` starts in its file.
Result<void> CheckLabels(std::span<const std::byte> records, std::size_t offset) {
  for (std::size_t at = 0; at < records.size(); at += kCifarRecord)
    if (records[at] > kHighestLabel)
      return Fail(fmt::format("byte {}: label {} of record {}, CIFAR-10 has labels 0 to 9",
                              Grouped(offset + at), static_cast<int>(records[at]),
                              Grouped((offset + at) / kCifarRecord)));
  return {};
}

Result<CifarFile> Measure(const std::string& path) {
  const auto size = FileSize(path);
  if (!size) return std::unexpected(size.error());
  const auto length = static_cast<std::size_t>(size->count);
  if (const std::string problem = LengthProblem(length); !problem.empty()) return Fail(path + ": " + problem);
  return CifarFile{path, length / kCifarRecord};
}

}  // namespace

Result<std::vector<CifarFile>> ListCifar10(const std::string& folder, bool test) {
  const auto names = CifarNames(folder, test);
  if (!names) return std::unexpected(names.error());
  if (names->empty())
    return Fail(fmt::format("{}: holds no {}; make one with `sluice data make cifar10 --out {}`", folder,
                            test ? "test_batch.bin" : "data_batch_*.bin", folder));
  std::vector<CifarFile> files;
  for (const std::string& name : *names) {
    auto file = Measure(fmt::format("{}/{}", folder, name));
    if (!file) return std::unexpected(file.error());
    files.push_back(*std::move(file));
  }
  return files;
}

Result<std::size_t> CountCifarRecords(std::span<const std::byte> bytes) {
  if (std::string problem = LengthProblem(bytes.size()); !problem.empty()) return Fail(std::move(problem));
  if (auto labels = CheckLabels(bytes, 0); !labels) return std::unexpected(labels.error());
  return bytes.size() / kCifarRecord;
}

Result<void> ReadCifarRecords(const CifarFile& file, std::size_t first, std::size_t count,
                              std::span<std::byte> out) {
  SLUICE_CHECK(first <= file.records && count <= file.records - first);
  SLUICE_CHECK(out.size() == count * kCifarRecord);
  const auto opened = internal::File::OpenForReading(file.path);
  if (!opened) return std::unexpected(opened.error());
  if (auto read = opened->ReadAt(first * kCifarRecord, out); !read) return read;
  if (auto labels = CheckLabels(out, first * kCifarRecord); !labels)
    return Fail(file.path + ": " + labels.error().message);
  return {};
}

void CifarToHwc(std::span<const std::byte, kCifarRecord> record, std::span<std::byte> out) {
  SLUICE_CHECK(out.size() == kCifarPixels);
  constexpr std::size_t kPlane = kCifarSide * kCifarSide;
  const std::byte* red = record.data() + 1;
  std::byte* pixel = out.data();
  for (std::size_t i = 0; i < kPlane; ++i, pixel += 3) {
    pixel[0] = red[i];
    pixel[1] = red[i + kPlane];
    pixel[2] = red[i + 2 * kPlane];
  }
}

}  // namespace sluice::formats
