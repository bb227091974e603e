// How near the JPEG pipeline comes to a loop written by hand: 2 workers, decode + RandomResizedCrop(224) +
// flip + normalise, batch 64, against 2 threads that claim images from an atomic counter and write the same
// decode path's result into recycled batch memory. Images per second.
#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "paired.h"
#include "sluice/base/clock.h"
#include "sluice/formats/image_folder.h"
#include "sluice/formats/permutation.h"
#include "sluice/image/row_program.h"

namespace sluice::bench {
namespace {

constexpr int kBatch = 64;
constexpr std::size_t kRowBytes = 3 * 224 * 224 * sizeof(float);
constexpr std::uint64_t kImages = 1024;
constexpr std::uint64_t kWarm = kImages;  // until every buffer that can be under way has been touched

std::vector<image::Transform> Transforms() {
  return {image::Decode{},
          image::RandomResizedCrop{},
          image::RandomHorizontalFlip{},
          image::ToFloat{},
          image::Normalize{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}},
          image::HwcToChw{}};
}

double OursPerSecond(const std::string& folder) {
  runtime::Describe p("jpeg-limit");
  p.Epochs(0).Memory(1_GiB);
  p.ImageFolder(folder).Shuffled().Capacity(16);
  p.Map("decode", Transforms()).Workers(2).Capacity(64);
  p.Batch(kBatch, runtime::DropRemainder::kYes).Capacity(2);
  const auto pipeline = BuildOrDie(p);
  pipeline->Start();
  Drain(*pipeline, kWarm / kBatch);
  return kImages / Drain(*pipeline, kImages / kBatch);
}

formats::ImageFolder List(const std::string& folder) {
  auto files = formats::ListImageFolder(folder);
  if (!files) GiveUp(HowToMake("imagefolder", folder, files.error().message));
  if (files->files.empty()) GiveUp(HowToMake("imagefolder", folder, folder + ": no images"));
  return std::move(*files);
}

double ByHandPerSecond(const formats::ImageFolder& files) {
  image::RowKind encoded;
  encoded.encoded = true;
  const auto program = image::RowProgram::Compile(Transforms(), encoded);
  if (!program) GiveUp(program.error().message);
  const formats::Permutation order(files.files.size(), 1, 0);
  std::vector<std::byte> batches(2 * kBatch * kRowBytes);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::int64_t> start{0};
  const auto work = [&] {
    image::Scratch scratch;
    std::vector<std::byte> bytes;
    for (std::uint64_t i = next.fetch_add(1); i < kWarm + kImages; i = next.fetch_add(1)) {
      if (i == kWarm) start.store(MonoNow().count());
      const formats::ImageFile& file = files.files[order.At(i % order.size())];
      if (const auto read = formats::ReadFile(file.path, bytes); !read) GiveUp(read.error().message);
      const image::TensorView in{
          bytes.data(), image::DType::kU8, {{static_cast<std::uint32_t>(bytes.size())}, 1}};
      const auto out = std::span(batches).subspan(i % (2 * kBatch) * kRowBytes, kRowBytes);
      if (const auto done = program->Run(in, {1, 0, i, 1}, scratch, out); !done) GiveUp(done.error().message);
    }
  };
  std::thread other(work);
  work();
  other.join();
  return kImages / Seconds(MonoNow() - MonoTime(start.load()));
}

int Main(int argc, char** argv) {
  const auto [rounds, folder, busy] = Parse(argc, argv, 9, "data/imagefolder");
  const formats::ImageFolder files = List(folder);
  LookAround(busy);
  PrintHeader("JPEG pipeline at 2 workers", "sluice", "2-thread loop", "images/s");
  const Paired measured =
      MeasurePaired([&] { return OursPerSecond(folder); }, [&] { return ByHandPerSecond(files); }, rounds);
  PrintRow("224x224 bilinear", measured);
  PrintRatio("jpeg-limit", measured.Ratio());
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
