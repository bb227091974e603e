#include "description_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::runtime {
namespace {

std::string Text(const Distribution& d) {
  return fmt::format("{}/{}/{}", static_cast<int>(d.kind), d.mean.count(), d.cv);
}

std::string Text(const std::optional<Distribution>& d) {
  return d ? Text(*d) : "none";
}

std::string Text(const image::Decode&) {
  return "decode";
}
std::string Text(const image::RandomResizedCrop& t) {
  return fmt::format("random_resized_crop {}x{} {}..{} {}..{} {}", t.height, t.width, t.scale_min,
                     t.scale_max, t.ratio_min, t.ratio_max, t.antialias);
}
std::string Text(const image::Resize& t) {
  return fmt::format("resize {}x{} {}", t.height, t.width, t.antialias);
}
std::string Text(const image::CenterCrop& t) {
  return fmt::format("center_crop {}x{}", t.height, t.width);
}
std::string Text(const image::RandomCrop& t) {
  return fmt::format("random_crop {}x{} {} {}", t.height, t.width, t.padding, t.fill);
}
std::string Text(const image::RandomHorizontalFlip& t) {
  return fmt::format("flip {}", t.probability);
}
std::string Text(const image::RandomColorAdjust& t) {
  return fmt::format("color {} {} {} {}", t.brightness, t.contrast, t.saturation, t.hue);
}
std::string Text(const image::ToFloat&) {
  return "to_float";
}
std::string Text(const image::Normalize& t) {
  return fmt::format("normalize {} {}", t.mean, t.std);
}
std::string Text(const image::HwcToChw&) {
  return "hwc_to_chw";
}

std::string Text(const RangeSource& s) {
  return fmt::format("range {}", s.count);
}
std::string Text(const CifarSource& s) {
  return fmt::format("cifar10 {} {}", s.folder, s.test);
}
std::string Text(const ImageFolderSource& s) {
  return fmt::format("image_folder {}", s.folder);
}

std::string Text(const SourceSpec& s) {
  const std::string from = std::visit([](const auto& f) { return Text(f); }, s.from);
  return fmt::format("{} shuffle={} shard {}/{}", from, s.shuffle, s.shard_id, s.num_shards);
}
std::string Text(const MapSpec& m) {
  std::string text = fmt::format("map one_hot={} fuse={} function={}", m.one_hot, m.fuse, bool(m.function));
  for (const image::Transform& t : m.transforms) {
    text += "\n    " + std::visit([](const auto& one) { return Text(one); }, t);
  }
  return text;
}
std::string Text(const SyntheticSpec& s) {
  return fmt::format("synthetic burn={} wait={} allocate={} contention={} {} {}", Text(s.burn), Text(s.wait),
                     s.allocate.count, s.contention.sigma, s.contention.kappa, s.contention.table);
}
std::string Text(const ShuffleSpec& s) {
  return fmt::format("shuffle {}", s.buffer_size);
}
std::string Text(const BatchSpec& b) {
  return fmt::format("batch {} {}", b.size, b.drop_remainder);
}
std::string Text(const RepeatSpec& r) {
  return fmt::format("repeat {}", r.count);
}
std::string Text(const TakeSpec& t) {
  return fmt::format("take {}", t.count);
}
std::string Text(const SkipSpec& s) {
  return fmt::format("skip {}", s.count);
}

std::string Text(const ZipSpec&) {
  return "zip";
}
std::string Text(const ConcatSpec&) {
  return "concat";
}

std::string Text(const OpSpec& op) {
  const std::string what = std::visit([](const auto& spec) { return Text(spec); }, op.what);
  return fmt::format(
      "  {}: workers {} in {}..{}{} capacity {} in {}..{}{} serial={} ordered={} on_error={} of {} {}\n",
      op.name, op.workers, op.min_workers, op.max_workers, op.pin_workers ? " pinned" : "", op.capacity,
      op.min_capacity, op.max_capacity, op.pin_capacity ? " pinned" : "", op.serial, op.ordered,
      static_cast<int>(op.on_error), op.inputs, what);
}

}  // namespace

std::string Text(const PipelineDescription& p) {
  std::string text =
      fmt::format("{} seed={} epochs={} memory={}\n", p.name, p.seed, p.epochs, p.memory.count);
  for (const OpSpec& op : p.ops) text += Text(op);
  return text;
}

std::string Text(const Scenario& s) {
  return fmt::format("{}consumer {}\ncores {}\n{}\n", Text(s.pipeline), Text(s.consumer.step),
                     s.cores ? fmt::format("{}", *s.cores) : "any", s.summary);
}

}  // namespace sluice::runtime
