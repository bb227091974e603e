#include "tfdata_model.h"

#include <algorithm>
#include <cmath>

#include "pipeline.h"

namespace sluice::baselines {
namespace {

constexpr double kBalanced = 1e-9;  // relative difference of x and y that counts as none

double Service(const TfNode& node) {
  return node.self / node.parallelism;
}

double Buffer(const TfNode& node) {
  double ratios = 0;
  for (const TfInput& input : node.inputs) ratios += input.ratio;
  const double mean = ratios / static_cast<double>(node.inputs.size());
  return mean > 0 ? node.parallelism / mean : node.parallelism;
}

}  // namespace

double BufferEmpty(double consumer_time, double producer_time, double buffer) {
  if (producer_time <= 0) return 0;
  if (consumer_time <= 0) return 1;
  const double q = consumer_time / producer_time;
  if (std::abs(q - 1) < kBalanced) return 1 / (buffer + 1);
  return (1 - q) / (1 - std::pow(q, buffer + 1));
}

double TfDataModel::OutputTime(double input_time) const {
  std::vector<double> requested(nodes_.size(), 0.0);  // I_parent + s/n
  std::vector<double> parent(nodes_.size(), 0.0);
  parent.back() = input_time;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    requested[i] = parent[i] + Service(nodes_[i]);
    for (const TfInput& input : nodes_[i].inputs) {
      if (input.ratio > 0) parent[input.node] = requested[i] / input.ratio;
    }
  }
  std::vector<double> output(nodes_.size(), 0.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    double produced = 0;
    for (const TfInput& input : nodes_[i].inputs) produced += input.ratio * output[input.node];
    output[i] = Service(nodes_[i]);
    if (!nodes_[i].inputs.empty()) {
      output[i] += produced * BufferEmpty(requested[i], produced, Buffer(nodes_[i]));
    }
  }
  return output.back();
}

double TfDataModel::ProcessingTime() const {
  double seconds = 0;
  for (const TfNode& node : nodes_) seconds += node.visits * node.self;
  return seconds;
}

double TfDataModel::Bytes() const {
  double bytes = 0;
  for (const TfNode& node : nodes_) bytes += node.bytes * (node.parallelism + node.slots);
  return bytes;
}

double TfDataModel::StageTime(std::size_t node) const {
  return nodes_[node].visits * Service(nodes_[node]);
}

std::optional<std::vector<double>> LifetimeMeans(const Snapshot& seen) {
  std::vector<double> means;
  for (const OpReading& op : seen.ops) {
    if (op.items == 0) return std::nullopt;
    means.push_back(Seconds(op.busy) / static_cast<double>(op.items));
  }
  return means;
}

TfDataModel ModelOf(const Snapshot& seen, const std::vector<double>& self) {
  const std::vector<double> visits = Visits(seen);
  std::vector<TfNode> nodes;
  for (std::size_t i = 0; i < seen.ops.size(); ++i) {
    const OpReading& op = seen.ops[i];
    TfNode node;
    node.self = self[i];
    node.parallelism = Workers(seen, i);
    const Bounds bounds = WorkerBounds(seen, i);
    node.least = bounds.least;
    node.most = Free(seen, WorkersOf(i)) ? std::max(bounds.least, std::min(bounds.most, WholeCores(seen)))
                                         : bounds.most;
    for (const std::size_t c : InputsOf(*seen.graph, i)) {
      node.inputs.push_back({Index(seen.graph->connectors[c].from), ItemsPerOutput(seen, c)});
    }
    node.visits = visits[i];
    node.bytes = op.items > 0 ? static_cast<double>(op.bytes.count) / static_cast<double>(op.items) : 0;
    if (const auto output = OutputOf(*seen.graph, i)) {
      node.slots = static_cast<double>(Capacity(seen, *output)) - 1;
    }
    nodes.push_back(std::move(node));
  }
  return TfDataModel(std::move(nodes));
}

}  // namespace sluice::baselines
