#include "sluice/autotune/node_shares.h"

#include <algorithm>

#include "sluice/base/check.h"

namespace sluice::autotune {
namespace {

constexpr double kNothing = 1e-9;  // cores

// How much of what runs want can be had at once: a maximum flow from runs to nodes. Grown path by path, so
// that what was given stays given.
class Flow {
 public:
  Flow(const std::vector<double>& room, const std::vector<CoreNeed>& needs)
      : room_(room), needs_(needs), given_(needs.size(), std::vector<double>(room.size())), left_(room) {}

  // As much of `wanted` as fits, over the first `choices` nodes of each run.
  void Fill(const std::vector<double>& wanted, std::size_t choices) {
    for (std::size_t run = 0; run < needs_.size(); ++run) {
      for (double open = wanted[run] - Given(run); open > kNothing;) {
        seen_.assign(needs_.size(), false);
        const double more = Push(run, open, choices);
        if (more <= kNothing) break;
        open -= more;
      }
    }
  }
  void Fill(const std::vector<double>& wanted) {
    for (std::size_t choices = 1; choices <= room_.size(); ++choices) Fill(wanted, choices);
  }

  [[nodiscard]] double Given(std::size_t run) const {
    double sum = 0;
    for (const double cores : given_[run]) sum += cores;
    return sum;
  }
  [[nodiscard]] const std::vector<double>& by_node(std::size_t run) const { return given_[run]; }
  [[nodiscard]] double left(std::size_t node) const { return left_[node]; }
  // Runs that want more than they have, and those whose cores they would need for it.
  [[nodiscard]] std::vector<bool> Blocked(const std::vector<double>& wanted) {
    seen_.assign(needs_.size(), false);
    for (std::size_t run = 0; run < needs_.size(); ++run) {
      if (!seen_[run] && wanted[run] - Given(run) > kNothing) Reach(run);
    }
    return seen_;
  }

 private:
  // To a node with room, or to one where another run can make room.
  double Push(std::size_t run, double most, std::size_t choices) {
    seen_[run] = true;
    const std::vector<std::size_t>& nodes = needs_[run].nodes;
    const std::size_t end = std::min(choices, nodes.size());
    for (std::size_t i = 0; i < end; ++i) {
      const double more = std::min(most, left_[nodes[i]]);
      if (more > kNothing) return Give(run, nodes[i], more);
    }
    for (std::size_t i = 0; i < end; ++i) {
      const std::size_t node = nodes[i];
      for (std::size_t other = 0; other < needs_.size(); ++other) {
        if (seen_[other] || given_[other][node] <= kNothing) continue;
        const double more = Push(other, std::min(most, given_[other][node]), choices);
        if (more <= kNothing) continue;
        Give(other, node, -more);
        return Give(run, node, more);
      }
    }
    return 0;
  }
  double Give(std::size_t run, std::size_t node, double cores) {
    given_[run][node] += cores;
    left_[node] -= cores;
    return cores;
  }
  void Reach(std::size_t run) {
    seen_[run] = true;
    for (const std::size_t node : needs_[run].nodes) {
      for (std::size_t other = 0; other < needs_.size(); ++other) {
        if (!seen_[other] && given_[other][node] > kNothing) Reach(other);
      }
    }
  }

  const std::vector<double>& room_;
  const std::vector<CoreNeed>& needs_;
  std::vector<std::vector<double>> given_;  // by run, by node
  std::vector<double> left_;
  std::vector<bool> seen_;
};

// Parts that runs get, at most 1.
class Filling {
 public:
  Filling(const std::vector<double>& room, const std::vector<CoreNeed>& needs)
      : room_(room), needs_(needs), wanted_(needs.size()), fixed_(needs.size(), false) {}

  std::vector<double> Shares() {
    while (std::ranges::count(fixed_, false) > 0) FixNext();
    return wanted_;
  }

 private:
  // Each cut that `part` is too much for says how much it can be at most; the last one are those who cannot
  // have more.
  void FixNext() {
    double part = 1;
    std::vector<bool> blocked(needs_.size(), true);
    for (;;) {
      Want(part);
      Flow flow(room_, needs_);
      flow.Fill(wanted_, room_.size());
      const std::vector<bool> cut = flow.Blocked(wanted_);
      if (std::ranges::count(cut, true) == 0) break;
      blocked = cut;
      const double less = PartOf(cut);
      if (less >= part) break;  // by rounding only
      part = less;
    }
    Want(part);
    for (std::size_t run = 0; run < fixed_.size(); ++run) fixed_[run] = fixed_[run] || blocked[run];
  }
  void Want(double part) {
    for (std::size_t run = 0; run < needs_.size(); ++run) {
      if (!fixed_[run]) wanted_[run] = std::min(part * needs_[run].cores, needs_[run].most);
    }
  }
  // Of those in the cut that are not fixed: what the cut's nodes have left for them.
  [[nodiscard]] double PartOf(const std::vector<bool>& cut) const {
    std::vector<bool> reached(room_.size(), false);
    double room = 0, needed = 0;
    for (std::size_t run = 0; run < needs_.size(); ++run) {
      if (!cut[run]) continue;
      for (const std::size_t node : needs_[run].nodes) reached[node] = true;
      if (fixed_[run]) room -= wanted_[run];
    }
    for (std::size_t node = 0; node < room_.size(); ++node) room += reached[node] ? room_[node] : 0;
    // Runs that have all they may use take that, and no part.
    std::vector<std::size_t> open;
    for (std::size_t run = 0; run < needs_.size(); ++run) {
      if (cut[run] && !fixed_[run]) open.push_back(run);
    }
    std::ranges::sort(open, {}, [&](std::size_t run) { return Ceiling(run); });
    for (const std::size_t run : open) needed += needs_[run].cores;
    for (const std::size_t run : open) {
      if (needed <= kNothing || Ceiling(run) * needed >= room) break;
      room -= needs_[run].most;
      needed -= needs_[run].cores;
    }
    return needed <= kNothing ? 1 : std::clamp(room / needed, 0.0, 1.0);
  }
  // The part at which a run has all that it may use.
  [[nodiscard]] double Ceiling(std::size_t run) const {
    return needs_[run].cores <= kNothing ? std::numeric_limits<double>::infinity()
                                         : needs_[run].most / needs_[run].cores;
  }

  const std::vector<double>& room_;
  const std::vector<CoreNeed>& needs_;
  std::vector<double> wanted_;
  std::vector<bool> fixed_;
};

}  // namespace

double CoresNeeded(double used, double waiting) {
  return waiting < 1 ? used / (1 - std::max(waiting, 0.0)) : std::numeric_limits<double>::infinity();
}

std::vector<CoreShare> ShareNodes(const std::vector<double>& room, const std::vector<CoreNeed>& needs) {
  for (const CoreNeed& need : needs) {
    SLUICE_CHECK(need.cores >= 0 && need.most >= 0);
    SLUICE_CHECK(std::ranges::all_of(need.nodes, [&](std::size_t node) { return node < room.size(); }));
  }
  Flow flow(room, needs);
  flow.Fill(Filling(room, needs).Shares());
  std::vector<CoreShare> shares;
  for (std::size_t run = 0; run < needs.size(); ++run) {
    CoreShare share{.cores = flow.Given(run), .by_node = flow.by_node(run)};
    for (const std::size_t node : needs[run].nodes) share.spare += std::max(flow.left(node), 0.0);
    share.spare = std::min(share.spare, std::max(needs[run].most - share.cores, 0.0));
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace sluice::autotune
