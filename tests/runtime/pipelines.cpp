#include "runtime/pipelines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "image/test_images.h"
#include "ops/synthetic.h"
#include "sluice/formats/make_data.h"
#include "sluice/runtime/item.h"

namespace sluice::runtime {
namespace {

const image::Normalize kNormalize{{0.5F, 0.4F, 0.3F}, {0.2F, 0.25F, 0.3F}};

std::string JpegName(int i, int count) {
  return fmt::format("class{}/{:04}.jpg", i * 3 / count, i);
}

}  // namespace

void WriteCifar(const formats::ScratchFolder& folder, std::uint64_t rows) {
  formats::MakeDataOptions options;
  options.out = folder.Path("cifar");
  options.count = rows;
  const auto made = formats::MakeCifar10(options);
  ASSERT_TRUE(made) << made.error().message;
}

void WriteJpegs(const formats::ScratchFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const auto jpeg =
        image::testing::Jpeg(40 + i % 5 * 9, 50 + i % 7 * 8, {}, static_cast<std::uint64_t>(i + 1));
    folder.Write("jpegs/" + JpegName(i, count), {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  }
}

std::string JpegPath(const formats::ScratchFolder& folder, int i, int count) {
  return folder.Path("jpegs/" + JpegName(i, count));
}

void Truncate(const std::string& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) * 2 / 3);
}

void JumpyWork(Item& item) {
  Rng rng(99, item.epoch, item.index);
  item.label = static_cast<std::int64_t>(rng.Next() >> 8);
  const std::uint64_t kind = rng.Below(10);
  if (kind < 4) return;
  BurnCpu(kind < 9 ? std::chrono::microseconds(rng.Below(50)) : std::chrono::microseconds(200));
}

PipelineDescription RangeAndMaps(std::uint64_t rows) {
  Describe p("range");
  p.Seed(3).Epochs(2).Memory(16_MiB);
  p.Range(rows).Shuffled();
  p.Map("first", [](Item& item) { item.label += 7; });
  p.Map("jumpy", JumpyWork);
  p.Map("last", [](Item& item) { item.label ^= static_cast<std::int64_t>(item.index); });
  p.Batch(7);
  return p;
}

PipelineDescription CaptionedImages(std::uint64_t photos, std::uint64_t drawings, std::uint64_t captions) {
  Describe p("captioned");
  p.Seed(8).Epochs(2).Memory(64_MiB);
  p.Range(photos).Name("photos").Shuffled();
  p.Synthetic("decode_photos", {.allocate = 20_KiB});
  p.Map("jumpy_photos", JumpyWork);
  p.Range(drawings).Name("drawings");
  p.Synthetic("decode_drawings", {.allocate = 20_KiB});
  p.Concat({"jumpy_photos", "decode_drawings"}).Name("images");
  p.Range(captions).Name("captions");
  p.Synthetic("tokenize", {.allocate = 1_KiB});
  p.Map("jumpy_captions", JumpyWork);
  p.Zip({"images", "jumpy_captions"}).Name("pairs");
  p.Map("jumpy_pairs", JumpyWork);
  p.Batch(4);
  return p;
}

PipelineDescription CifarTraining(const formats::ScratchFolder& folder) {
  Describe p("cifar");
  p.Seed(5).Epochs(2).Memory(64_MiB);
  p.Cifar10(folder.Path("cifar")).Shuffled();
  p.Map("augment",
        {image::RandomCrop{32, 32, 4, 0}, image::RandomHorizontalFlip{}, kNormalize, image::HwcToChw{}});
  p.Batch(16);
  return p;
}

PipelineDescription JpegTraining(const formats::ScratchFolder& folder, bool fuse) {
  Describe p("jpeg");
  p.Seed(6).Epochs(2).Memory(64_MiB);
  p.ImageFolder(folder.Path("jpegs")).Shuffled();
  p.Map("decode", {image::Decode{}, image::RandomResizedCrop{32, 32, 0.2, 1.0, 0.75, 1.33, false},
                   image::RandomHorizontalFlip{}, kNormalize, image::HwcToChw{}});
  p.Batch(5);
  PipelineDescription description = p;
  std::get<MapSpec>(description.ops[1].what).fuse = fuse;
  return description;
}

PipelineDescription JpegInSteps(const formats::ScratchFolder& folder) {
  Describe p("steps");
  p.Seed(7).Epochs(2).Memory(64_MiB);
  p.ImageFolder(folder.Path("jpegs"));
  p.Map("decode", {image::Decode{}});
  p.Shuffle(10);
  image::RandomColorAdjust color;
  color.brightness[0] = 0.6;
  color.brightness[1] = 1.4;
  p.Map("crop", {image::RandomCrop{32, 32, 0, 0}, color});
  p.Map("finish", {image::RandomHorizontalFlip{}, kNormalize, image::HwcToChw{}});
  p.Batch(4, DropRemainder::kYes);
  return p;
}

}  // namespace sluice::runtime
