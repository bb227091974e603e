#include "ops/dataset.h"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/formats/cifar10.h"
#include "sluice/formats/image_folder.h"

namespace sluice::runtime {
namespace {

class RangeDataset : public Dataset {
 public:
  explicit RangeDataset(std::uint64_t count) : count_(count) {}
  std::uint64_t size() const override { return count_; }
  image::RowKind kind() const override { return {}; }
  std::size_t RowBytes(std::uint64_t) const override { return 0; }
  std::size_t LargestRow() const override { return 0; }
  Result<void> Load(std::uint64_t index, Item& item, std::span<std::byte>) const override {
    item.label = static_cast<std::int64_t>(index);
    return {};
  }

 private:
  const std::uint64_t count_;
};

// Shape of a CIFAR row as its file stores it: three planes.
constexpr image::Shape kCifarShape{{3, formats::kCifarSide, formats::kCifarSide}, 3};

image::RowKind CifarKind() {
  image::RowKind kind;
  kind.dtype = image::DType::kU8;
  kind.shape = kCifarShape;
  kind.planar = true;
  return kind;
}

void SetCifarRow(Item& item, const std::byte* record) {
  item.label = std::to_integer<std::int64_t>(record[0]);
  item.data = {record + 1, image::DType::kU8, kCifarShape};
}

class CifarDataset : public Dataset {
 public:
  explicit CifarDataset(std::vector<formats::CifarFile> files) : files_(std::move(files)) {
    std::uint64_t end = 0;
    for (const formats::CifarFile& file : files_) {
      end += file.records;
      ends_.push_back(end);
    }
  }
  std::uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  image::RowKind kind() const override { return CifarKind(); }
  RowOrigin Origin(std::uint64_t index) const override {
    const auto [file, record] = Find(index);
    return {file.path, record * formats::kCifarRecord};
  }

 protected:
  struct Record {
    const formats::CifarFile& file;
    std::uint64_t number;  // within the file
  };
  Record Find(std::uint64_t index) const {
    const auto file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, index) - ends_.begin());
    return {files_[file], index - (file == 0 ? 0 : ends_[file - 1])};
  }

 private:
  const std::vector<formats::CifarFile> files_;
  std::vector<std::uint64_t> ends_;
};

// Reads each record from its file when it is wanted.
class CifarOnDisk : public CifarDataset {
 public:
  using CifarDataset::CifarDataset;
  std::size_t RowBytes(std::uint64_t) const override { return formats::kCifarRecord; }
  std::size_t LargestRow() const override { return formats::kCifarRecord; }
  Result<void> Load(std::uint64_t index, Item& item, std::span<std::byte> place) const override {
    const auto [file, record] = Find(index);
    const auto read = formats::ReadCifarRecords(file, record, 1, place.first(formats::kCifarRecord));
    if (!read) return read;
    SetCifarRow(item, place.data());
    return {};
  }
};

class CifarInMemory : public CifarDataset {
 public:
  CifarInMemory(std::vector<formats::CifarFile> files, std::vector<std::byte> records)
      : CifarDataset(std::move(files)), records_(std::move(records)) {}
  std::size_t RowBytes(std::uint64_t) const override { return 0; }
  std::size_t LargestRow() const override { return 0; }
  Bytes HeldBytes() const override { return {static_cast<std::int64_t>(records_.capacity())}; }
  Result<void> Load(std::uint64_t index, Item& item, std::span<std::byte>) const override {
    SetCifarRow(item, records_.data() + index * formats::kCifarRecord);
    return {};
  }

 private:
  const std::vector<std::byte> records_;
};

class ImageFolderDataset : public Dataset {
 public:
  ImageFolderDataset(formats::ImageFolder folder, std::vector<std::size_t> sizes)
      : folder_(std::move(folder)), sizes_(std::move(sizes)), largest_(std::ranges::max(sizes_)) {}
  std::uint64_t size() const override { return folder_.files.size(); }
  image::RowKind kind() const override {
    image::RowKind kind;
    kind.encoded = true;
    return kind;
  }
  std::size_t RowBytes(std::uint64_t index) const override { return std::max<std::size_t>(sizes_[index], 1); }
  std::size_t LargestRow() const override { return largest_; }
  Bytes HeldBytes() const override {
    std::size_t bytes =
        folder_.files.capacity() * sizeof(formats::ImageFile) + sizes_.capacity() * sizeof(std::size_t);
    for (const formats::ImageFile& file : folder_.files) bytes += file.path.capacity() + 1;
    return {static_cast<std::int64_t>(bytes)};
  }
  Result<void> Load(std::uint64_t index, Item& item, std::span<std::byte> place) const override {
    const formats::ImageFile& file = folder_.files[index];
    const auto read = formats::ReadFileInto(file.path, place.data(), place.size());
    if (!read) return std::unexpected(read.error());
    item.label = file.label;
    item.data = {place.data(), image::DType::kU8, {{static_cast<std::uint32_t>(*read)}, 1}};
    return {};
  }
  RowOrigin Origin(std::uint64_t index) const override { return {folder_.files[index].path}; }

 private:
  const formats::ImageFolder folder_;
  const std::vector<std::size_t> sizes_;  // when it was opened; a file that has grown since is an error
  const std::size_t largest_;
};

Result<std::unique_ptr<Dataset>> OpenCifar(const CifarSource& source, Bytes keep_at_most) {
  auto files = formats::ListCifar10(source.folder, source.test);
  if (!files) return std::unexpected(files.error());
  std::size_t records = 0;
  for (const formats::CifarFile& file : *files) records += file.records;
  const std::size_t bytes = records * formats::kCifarRecord;
  if (static_cast<std::int64_t>(bytes) > keep_at_most.count) {
    return std::make_unique<CifarOnDisk>(std::move(*files));
  }
  std::vector<std::byte> all(bytes);
  auto rest = std::span(all);
  for (const formats::CifarFile& file : *files) {
    const auto part = rest.first(file.records * formats::kCifarRecord);
    if (const auto read = formats::ReadCifarRecords(file, 0, file.records, part); !read) {
      return std::unexpected(read.error());
    }
    if (const auto counted = formats::CountCifarRecords(part); !counted) {
      return Fail(fmt::format("{}: {}", file.path, counted.error().message));
    }
    rest = rest.subspan(part.size());
  }
  return std::make_unique<CifarInMemory>(std::move(*files), std::move(all));
}

Result<std::unique_ptr<Dataset>> OpenImageFolder(const ImageFolderSource& source) {
  auto folder = formats::ListImageFolder(source.folder);
  if (!folder) return std::unexpected(folder.error());
  std::vector<std::size_t> sizes;
  sizes.reserve(folder->files.size());
  for (const formats::ImageFile& file : folder->files) {
    const auto size = formats::FileSize(file.path);
    if (!size) return std::unexpected(size.error());
    sizes.push_back(static_cast<std::size_t>(size->count));
  }
  return std::make_unique<ImageFolderDataset>(std::move(*folder), std::move(sizes));
}

}  // namespace

Result<std::unique_ptr<Dataset>> OpenDataset(const SourceSpec& source, Bytes keep_at_most) {
  if (const auto* range = std::get_if<RangeSource>(&source.from)) {
    return std::make_unique<RangeDataset>(range->count);
  }
  if (const auto* cifar = std::get_if<CifarSource>(&source.from)) return OpenCifar(*cifar, keep_at_most);
  return OpenImageFolder(std::get<ImageFolderSource>(source.from));
}

}  // namespace sluice::runtime
