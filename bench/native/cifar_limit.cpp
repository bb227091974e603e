// How near the CIFAR-10 pipeline comes to a loop written by hand: RandomCrop(32, 4) + flip + normalise, batch
// 128, 2 workers, against 2 threads that claim whole batches from an atomic counter, look rows up in memory
// and write the same transforms' result into recycled batch memory. Images per second.
#include <atomic>
#include <thread>

#include "paired.h"
#include "sluice/base/clock.h"
#include "sluice/formats/cifar10.h"
#include "sluice/formats/permutation.h"
#include "sluice/image/row_program.h"

namespace sluice::bench {
namespace {

constexpr std::uint64_t kBatch = 128;
constexpr std::size_t kRowBytes = formats::kCifarPixels * sizeof(float);
constexpr std::uint64_t kBatches = 1500;
constexpr std::uint64_t kWarm = 100;  // batches

std::vector<image::Transform> Transforms() {
  return {image::RandomCrop{32, 32, 4, 0}, image::RandomHorizontalFlip{}, image::ToFloat{},
          image::Normalize{{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}}, image::HwcToChw{}};
}

double OursPerSecond(const std::string& folder) {
  runtime::Describe p("cifar-limit");
  p.Epochs(0).Memory(1_GiB);
  p.Cifar10(folder).Shuffled().Capacity(256);
  p.Map("augment", Transforms()).Workers(2).Capacity(256);
  p.Batch(kBatch, runtime::DropRemainder::kYes).Capacity(8);
  const auto pipeline = BuildOrDie(p);
  pipeline->Start();
  Drain(*pipeline, kWarm);
  return kBatches * kBatch / Drain(*pipeline, kBatches);
}

std::vector<std::byte> ReadAll(const std::string& folder) {
  const auto files = formats::ListCifar10(folder);
  if (!files) GiveUp(HowToMake("cifar10", folder, files.error().message));
  std::vector<std::byte> records;
  for (const formats::CifarFile& file : *files) {
    const std::size_t at = records.size();
    records.resize(at + file.records * formats::kCifarRecord);
    const auto read = formats::ReadCifarRecords(file, 0, file.records, std::span(records).subspan(at));
    if (!read) GiveUp(HowToMake("cifar10", folder, read.error().message));
  }
  if (records.empty()) GiveUp(HowToMake("cifar10", folder, folder + ": no rows"));
  return records;
}

double ByHandPerSecond(const std::vector<std::byte>& records) {
  image::RowKind kind;
  kind.dtype = image::DType::kU8;
  kind.shape = image::Shape{{3, formats::kCifarSide, formats::kCifarSide}, 3};
  kind.planar = true;
  const auto program = image::RowProgram::Compile(Transforms(), kind);
  if (!program) GiveUp(program.error().message);
  const formats::Permutation order(records.size() / formats::kCifarRecord, 1, 0);
  constexpr std::uint64_t kSlots = 8;
  std::vector<std::byte> batches(kSlots * kBatch * kRowBytes);
  std::vector<std::int64_t> labels(kSlots * kBatch);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::int64_t> start{0};
  const auto work = [&] {
    image::Scratch scratch;
    for (std::uint64_t b = next.fetch_add(1); b < kWarm + kBatches; b = next.fetch_add(1)) {
      if (b == kWarm) start.store(MonoNow().count());
      for (std::uint64_t r = 0; r < kBatch; ++r) {
        const std::uint64_t index = order.At((b * kBatch + r) % order.size());
        const std::byte* record = records.data() + index * formats::kCifarRecord;
        const std::uint64_t slot = b % kSlots * kBatch + r;
        labels[slot] = std::to_integer<std::int64_t>(record[0]);
        const auto out = std::span(batches).subspan(slot * kRowBytes, kRowBytes);
        const auto done =
            program->Run({record + 1, image::DType::kU8, *kind.shape}, {1, 0, index, 1}, scratch, out);
        if (!done) GiveUp(done.error().message);
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  return kBatches * kBatch / Seconds(MonoNow() - MonoTime(start.load()));
}

int Main(int argc, char** argv) {
  const auto [rounds, folder, busy] = Parse(argc, argv, 11, "data/cifar10");
  const std::vector<std::byte> records = ReadAll(folder);
  LookAround(busy);
  PrintHeader("CIFAR-10 pipeline at 2 workers", "sluice", "2-thread loop", "images/s");
  const Paired measured =
      MeasurePaired([&] { return OursPerSecond(folder); }, [&] { return ByHandPerSecond(records); }, rounds);
  PrintRow("batch 128", measured);
  PrintRatio("cifar-limit", measured.Ratio());
  return 0;
}

}  // namespace
}  // namespace sluice::bench

int main(int argc, char** argv) {
  return sluice::bench::Main(argc, argv);
}
