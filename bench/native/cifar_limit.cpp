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

namespace sluice {
namespace {

constexpr std::uint64_t kBatch = 128;
constexpr std::size_t kRowBytes = kCifarPixels * sizeof(float);
constexpr std::uint64_t kBatches = 1500;
constexpr std::uint64_t kWarm = 100;  // batches

std::vector<Transform> Transforms() {
  return {RandomCrop{32, 32, 4, 0}, RandomHorizontalFlip{}, ToFloat{},
          Normalize{{0.4914F, 0.4822F, 0.4465F}, {0.2470F, 0.2435F, 0.2616F}}, HwcToChw{}};
}

double OursPerSecond(const std::string& folder) {
  Describe p("cifar-limit");
  p.Epochs(0).Memory(1_GiB);
  p.Cifar10(folder).Shuffled().Capacity(256);
  p.Map("augment", Transforms()).Workers(2).Capacity(256);
  p.Batch(kBatch, DropRemainder::kYes).Capacity(8);
  const auto pipeline = BuildOrDie(p);
  pipeline->Start();
  Drain(*pipeline, kWarm);
  return kBatches * kBatch / Drain(*pipeline, kBatches);
}

std::vector<std::byte> ReadAll(const std::string& folder) {
  const auto files = ListCifar10(folder);
  if (!files) GiveUp(HowToMake("cifar10", folder, files.error().message));
  std::vector<std::byte> records;
  for (const CifarFile& file : *files) {
    const std::size_t at = records.size();
    records.resize(at + file.records * kCifarRecord);
    const auto read = ReadCifarRecords(file, 0, file.records, std::span(records).subspan(at));
    if (!read) GiveUp(HowToMake("cifar10", folder, read.error().message));
  }
  if (records.empty()) GiveUp(HowToMake("cifar10", folder, folder + ": no rows"));
  return records;
}

double ByHandPerSecond(const std::vector<std::byte>& records) {
  RowKind kind;
  kind.dtype = DType::kU8;
  kind.shape = Shape{{3, kCifarSide, kCifarSide}, 3};
  kind.planar = true;
  const auto program = RowProgram::Compile(Transforms(), kind);
  if (!program) GiveUp(program.error().message);
  const Permutation order(records.size() / kCifarRecord, 1, 0);
  constexpr std::uint64_t kSlots = 8;
  std::vector<std::byte> batches(kSlots * kBatch * kRowBytes);
  std::vector<std::int64_t> labels(kSlots * kBatch);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::int64_t> start{0};
  const auto work = [&] {
    Scratch scratch;
    for (std::uint64_t b = next.fetch_add(1); b < kWarm + kBatches; b = next.fetch_add(1)) {
      if (b == kWarm) start.store(MonoNow().count());
      for (std::uint64_t r = 0; r < kBatch; ++r) {
        const std::uint64_t index = order.At((b * kBatch + r) % order.size());
        const std::byte* record = records.data() + index * kCifarRecord;
        const std::uint64_t slot = b % kSlots * kBatch + r;
        labels[slot] = std::to_integer<std::int64_t>(record[0]);
        const auto out = std::span(batches).subspan(slot * kRowBytes, kRowBytes);
        const auto done = program->Run({record + 1, DType::kU8, *kind.shape}, {1, 0, index, 1}, scratch, out);
        if (!done) GiveUp(done.error().message);
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  return kBatches * kBatch / Seconds(MonoNow() - MonoTime(start.load()));
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  using namespace sluice;
  const auto [rounds, folder, busy] = Parse(argc, argv, 11, "data/cifar10");
  const std::vector<std::byte> records = ReadAll(folder);
  LookAround(busy);
  PrintHeader("CIFAR-10 pipeline at 2 workers", "sluice", "2-thread loop", "images/s");
  const Paired measured =
      MeasurePaired([&] { return OursPerSecond(folder); }, [&] { return ByHandPerSecond(records); }, rounds);
  PrintRow("batch 128", measured);
  PrintRatio("cifar-limit", measured.Ratio());
}
