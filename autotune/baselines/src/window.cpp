#include "window.h"

#include <algorithm>

#include "pipeline.h"

namespace sluice::baselines {
namespace {

double Grown(std::uint64_t later, std::uint64_t earlier) {
  return later > earlier ? static_cast<double>(later - earlier) : 0;
}

double Grown(Nanos later, Nanos earlier) {
  return std::max(0.0, Seconds(later - earlier));
}

OpWindow OpBetween(const OpReading& a, const OpReading& b) {
  OpWindow op;
  op.items = Grown(b.items, a.items);
  op.busy = Grown(b.busy, a.busy);
  op.cpu = a.on_cpu && b.on_cpu ? Grown(*b.on_cpu, *a.on_cpu) : op.busy;
  return op;
}

}  // namespace

Window Between(const Snapshot& earlier, const Snapshot& later) {
  Window window;
  window.seconds = Grown(later.at, earlier.at);
  for (std::size_t i = 0; i < std::min(earlier.ops.size(), later.ops.size()); ++i) {
    window.ops.push_back(OpBetween(earlier.ops[i], later.ops[i]));
  }
  window.consumer_items = Grown(later.consumer.items, earlier.consumer.items);
  window.consumer_busy = Grown(later.consumer.busy, earlier.consumer.busy);
  window.process_cpu = Grown(later.process_cpu, earlier.process_cpu);
  return window;
}

void FillSampler::Add(const Snapshot& seen) {
  depths_.resize(seen.connectors.size(), 0.0);
  for (std::size_t c = 0; c < seen.connectors.size(); ++c) {
    depths_[c] += static_cast<double>(seen.connectors[c].depth);
  }
  ++samples_;
}

double FillSampler::Depth(std::size_t connector) const {
  return samples_ > 0 && connector < depths_.size() ? depths_[connector] / samples_ : 0;
}

double FillSampler::Fill(const Snapshot& seen, std::size_t connector) const {
  return std::min(1.0, Depth(connector) / static_cast<double>(Capacity(seen, connector)));
}

}  // namespace sluice::baselines
