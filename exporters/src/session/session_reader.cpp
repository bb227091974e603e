#include "sluice/exporters/session_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "json/names.h"
#include "session/database.h"
#include "session/session_schema.h"
#include "sluice/base/limit_words.h"

namespace sluice::exporters {
namespace {

constexpr std::int64_t kMostPipelines = 1024;
constexpr std::int64_t kMostOps = 64;  // as many as a telemetry segment has
constexpr std::int64_t kMostMoments = 1'000'000;
constexpr std::int64_t kMostDecisions = 1'000'000;
constexpr std::int64_t kMostEvents = 100'000;
constexpr std::int64_t kMostBeliefs = 4096;

std::uint64_t Count(std::int64_t value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

int Small(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

std::uint32_t Narrow(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

// Far beyond any run, and small enough to be added up.
constexpr std::int64_t kMostOfAnything = std::int64_t{1} << 60;
constexpr std::int64_t kMostWorkers = 1 << 20;

Nanos Time(std::int64_t ns) {
  return Nanos(std::clamp<std::int64_t>(ns, 0, kMostOfAnything));
}

// Unix time: the 60 bits would end in 2006.
Nanos Wall(std::int64_t ns) {
  return Nanos(std::clamp<std::int64_t>(ns, 0, std::numeric_limits<std::int64_t>::max() / 2));
}

Bytes Amount(std::int64_t bytes) {
  return {std::clamp<std::int64_t>(bytes, 0, kMostOfAnything)};
}

// As the controller told them among its beliefs; empty: it told none.
std::vector<Regime> RegimesIn(const std::vector<Belief>& beliefs, const Graph& graph) {
  std::vector<Regime> regimes;
  for (const OpInfo& op : graph.ops) {
    const auto told = std::ranges::find(beliefs, op.name + ".regime", &Belief::name);
    if (told == beliefs.end()) return {};
    const auto same = [&](Regime regime) { return static_cast<double>(regime) == told->value; };
    const auto known = std::ranges::find_if(kRegimes, same);
    regimes.push_back(known == kRegimes.end() ? Regime::kUnknown : *known);
  }
  return regimes;
}

std::optional<Nanos> MaybeTime(std::optional<std::int64_t> ns) {
  return ns ? std::optional(Time(*ns)) : std::nullopt;
}

double Finite(double value) {
  return std::isfinite(value) ? value : 0;
}

// {"17":3}: bucket and items.
LatencyHistogram ParseHistogram(const std::string& text) {
  LatencyHistogram histogram{};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return histogram;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    const auto found = json.find(std::to_string(b));
    if (found != json.end() && found->is_number_unsigned()) histogram[b] = found->get<std::uint64_t>();
  }
  return histogram;
}

// One of `[0.5,null,"inf"]`.
double Figure(const nlohmann::json& figure) {
  if (figure.is_number()) return figure.get<double>();
  if (figure == "inf") return std::numeric_limits<double>::infinity();
  if (figure == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

bool Knows(const Statement& row, int column) {
  return row.MaybeWhole(column).has_value();
}

// Five columns from `first` on.
ConsumerReading Consumer(const Statement& row, int first) {
  return {.items = Count(row.Whole(first)),
          .rows = Count(row.Whole(first + 1)),
          .busy = Time(row.Whole(first + 2)),
          .starved = Time(row.Whole(first + 3)),
          .starting = Time(row.Whole(first + 4)),
          .items_known = Knows(row, first),
          .rows_known = Knows(row, first + 1),
          .timed = Knows(row, first + 2) && Knows(row, first + 3)};
}

}  // namespace

std::size_t RecordedPipeline::From(MonoTime when) const {
  const auto found = std::ranges::lower_bound(moments, when, {}, &SessionMoment::at);
  return static_cast<std::size_t>(std::min(found - moments.begin(), std::ssize(moments) - 1));
}

std::size_t RecordedPipeline::Until(MonoTime when) const {
  const auto found = std::ranges::upper_bound(moments, when, {}, &SessionMoment::at);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(found - moments.begin() - 1, 0));
}

// Asks the file. What it answers is checked here; `error()` is asked for at the end of each question.
class SessionReader::Tables {
 public:
  explicit Tables(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  [[nodiscard]] Result<void> Check() {
    const auto id = database_->AskWhole("PRAGMA application_id");
    if (database_->error() || id != kSessionApplicationId)
      return Fail(path() + " is no session of Sluice's; `--record FILE` of sluice run and wrap makes one");
    const std::int64_t version = database_->AskWhole("PRAGMA user_version").value_or(0);
    if (version != kSessionFormatVersion) {
      return Fail(fmt::format("{} has format {}, and this Sluice reads format {} only", path(), version,
                              kSessionFormatVersion));
    }
    // A view, say, would be somebody's program rather than data.
    const auto others =
        database_->AskWhole("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')");
    if (others.value_or(1) != 0) return Fail(path() + " has more in it than the tables of a session");
    const auto tables = database_->AskWhole(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('belief', 'belief_name')");
    beliefs_ = tables == 2;
    return {};
  }

  [[nodiscard]] const std::string& path() const { return database_->path(); }

  [[nodiscard]] Result<void> Whole() {
    const std::optional<Error> error = database_->error();
    if (!error) return {};
    database_->ClearError();
    return Fail("a damaged session, " + error->message);
  }

  std::string Text(const char* key) {
    Statement value = database_->Ask("SELECT value FROM session WHERE key = ?", std::string(key));
    return value.Next() ? value.Text(0) : "";
  }
  std::optional<std::int64_t> Number(const char* key) {
    return database_->AskWhole("SELECT value FROM session WHERE key = ?", std::string(key));
  }

  SessionFacts Facts() {
    SessionFacts facts;
    facts.verb = Text("verb");
    facts.name = Text("name");
    facts.run_id = Text("run_id");
    facts.version = Text("version");
    facts.machine.cpu = Text("cpu");
    facts.machine.logical_cpus = Small(Number("logical_cpus").value_or(0));
    facts.machine.numa_nodes = Small(Number("numa_nodes").value_or(0));
    if (const auto memory = Number("memory_bytes")) facts.machine.memory = Amount(*memory);
    facts.started = Time(Number("started_ns").value_or(0));
    facts.started_wall = Wall(Number("started_wall_ns").value_or(0));
    return facts;
  }

  std::optional<SessionEnd> End() {
    const auto at = Number("ended_ns");
    return at ? std::optional(SessionEnd{Time(*at), Text("outcome")}) : std::nullopt;
  }

  std::vector<std::pair<std::int64_t, SessionPipeline>> Pipelines() {
    std::vector<std::pair<std::int64_t, SessionPipeline>> pipelines;
    Statement row =
        database_->Ask("SELECT pipeline, name, rank, pid, started_ns FROM pipeline ORDER BY pipeline LIMIT ?",
                       kMostPipelines);
    while (row.Next()) {
      const auto rank = row.MaybeWhole(2);
      pipelines.emplace_back(row.Whole(0),
                             SessionPipeline{.name = row.Text(1),
                                             .rank = rank ? std::optional(Small(*rank)) : std::nullopt,
                                             .pid = Small(row.Whole(3)),
                                             .started = Time(row.Whole(4))});
    }
    return pipelines;
  }

  std::vector<SessionMoment> Moments(std::int64_t pipeline) {
    std::vector<SessionMoment> moments;
    Statement row = database_->Ask(
        "SELECT items, rows, busy_ns, starved_ns, starting_ns, at_ns, cores FROM snapshot WHERE pipeline = ? "
        "ORDER BY at_ns LIMIT ?",
        pipeline, kMostMoments);
    while (row.Next()) moments.push_back({Time(row.Whole(5)), Consumer(row, 0), Finite(row.Real(6))});
    return moments;
  }

  Result<std::shared_ptr<const Graph>> ReadGraph(std::int64_t pipeline) {
    Graph graph;
    Statement op = database_->Ask(
        "SELECT op, name, kind, serial, rows_per_item, passes_on, reads_nothing FROM op WHERE pipeline = ? "
        "ORDER BY op "
        "LIMIT ?",
        pipeline, kMostOps + 1);
    while (op.Next()) {
      if (op.Whole(0) != std::ssize(graph.ops)) return Damaged("its ops are not numbered from 0");
      graph.ops.push_back({.name = op.Text(1),
                           .kind = op.Text(2),
                           .serial = op.Whole(3) != 0,
                           .rows_per_item = std::max(1U, Narrow(op.Whole(4))),
                           .passes_on = op.Whole(5) != 0,
                           .reads_nothing = op.Whole(6) != 0});
    }
    Statement connector = database_->Ask(
        "SELECT connector, name, from_op, to_op FROM connector WHERE pipeline = ? ORDER BY connector LIMIT ?",
        pipeline, kMostOps + 1);
    const auto is_op = [&](std::int64_t index) { return index >= 0 && index < std::ssize(graph.ops); };
    while (connector.Next()) {
      const std::int64_t from = connector.Whole(2);
      const auto to = connector.MaybeWhole(3);
      if (connector.Whole(0) != std::ssize(graph.connectors) || !is_op(from) || (to && !is_op(*to)))
        return Damaged("a connector leads nowhere");
      graph.connectors.push_back(
          {connector.Text(1), OpId{Narrow(from)}, to ? std::optional(OpId{Narrow(*to)}) : std::nullopt});
    }
    if (std::ssize(graph.ops) > kMostOps || std::ssize(graph.connectors) > kMostOps)
      return Damaged(fmt::format("it has more than {} ops or connectors", kMostOps));
    return std::make_shared<const Graph>(std::move(graph));
  }

  // The newest snapshot until then: one that a recorder has removed meanwhile is not missed.
  Result<RecordedState> State(std::int64_t pipeline, MonoTime at, const std::shared_ptr<const Graph>& graph) {
    Statement row = database_->Ask(
        "SELECT snapshot, at_ns, wall_ns, epoch, items, rows, busy_ns, starved_ns, starting_ns, cores, "
        "memory_bytes, "
        "buffered_bytes, buffered_peak_bytes, process_cpu_ns, resident_bytes, idle_ns, throttled_ns, "
        "finished, verdict, "
        "verdict_op, sentence, confidence FROM snapshot WHERE pipeline = ? AND at_ns <= ? ORDER BY at_ns "
        "DESC LIMIT 1",
        pipeline, at);
    if (!row.Next()) {
      if (auto whole = Whole(); !whole) return std::unexpected(whole.error());
      return Damaged("a snapshot is gone");
    }
    RecordedState state;
    Snapshot& now = state.now;
    now.at = Time(row.Whole(1));
    now.wall = Wall(row.Whole(2));
    now.graph = graph;
    now.epoch = Count(row.Whole(3));
    now.consumer = Consumer(row, 4);
    now.budget = {Finite(row.Real(9)), Amount(row.Whole(10))};
    now.buffered = Amount(row.Whole(11));
    now.buffered_peak = Amount(row.Whole(12));
    now.process_cpu = Time(row.Whole(13));
    if (const auto resident = row.MaybeWhole(14)) now.rss = Amount(*resident);
    now.idle = MaybeTime(row.MaybeWhole(15));
    now.throttled = MaybeTime(row.MaybeWhole(16));
    now.finished = row.Whole(17) != 0;
    now.epoch_known = Knows(row, 3);
    now.buffered_known = Knows(row, 11);
    now.cpu_known = Knows(row, 13);
    state.verdict = {.limit = LimitNamed(row.Text(18)),
                     .op = {},
                     .sentence = row.Text(20),
                     .confidence = {Finite(row.Real(21))}};
    if (const auto op = row.MaybeWhole(19)) state.verdict.op = Narrow(*op);
    ReadOps(row.Whole(0), now);
    ReadConnectors(row.Whole(0), now);
    ReadKnobs(pipeline, now);
    if (beliefs_) state.beliefs = Beliefs(pipeline, row.Whole(0));
    state.verdict.regimes = RegimesIn(state.beliefs, *graph);
    if (auto whole = Whole(); !whole) return std::unexpected(whole.error());
    return state;
  }

  Result<DecisionLog> Decisions(std::int64_t pipeline) {
    DecisionLog log;
    Statement row = database_->Ask(
        "SELECT decision, at_ns, author, because, before_rate, predicted_rate, fate, measured_rate FROM "
        "decision WHERE "
        "pipeline = ? ORDER BY decision LIMIT ?",
        pipeline, kMostDecisions);
    while (row.Next()) {
      LoggedDecision entry;
      entry.decision.id = Count(row.Whole(0));
      entry.decision.at = Time(row.Whole(1));
      entry.decision.author = Named(kAuthors, row.Text(2)).value_or(Author::kController);
      entry.decision.because = row.Text(3);
      entry.decision.before = {Finite(row.Real(4))};
      entry.decision.predicted = {Finite(row.Real(5))};
      entry.fate = Named(kFates, row.Text(6)).value_or(Fate::kTrial);
      entry.decision.advice = entry.fate == Fate::kAdvised;
      if (const auto measured = row.MaybeReal(7)) entry.measured = Rate{Finite(*measured)};
      entry.decision.changes = Changes(pipeline, row.Whole(0));
      log.Put(std::move(entry));
    }
    if (auto whole = Whole(); !whole) return std::unexpected(whole.error());
    return log;
  }

  Result<std::vector<RecordedEvent>> Events(std::int64_t pipeline) {
    std::vector<RecordedEvent> events;
    Statement row = database_->Ask("SELECT at_ns, text FROM event WHERE pipeline = ? ORDER BY event LIMIT ?",
                                   pipeline, kMostEvents);
    while (row.Next()) events.push_back({Time(row.Whole(0)), row.Text(1)});
    if (auto whole = Whole(); !whole) return std::unexpected(whole.error());
    return events;
  }

 private:
  std::vector<Belief> Beliefs(std::int64_t pipeline, std::int64_t snapshot) {
    std::vector<Belief> beliefs;
    Statement figures = database_->Ask("SELECT figures FROM belief WHERE snapshot = ?", snapshot);
    if (!figures.Next()) return beliefs;
    const auto json = nlohmann::json::parse(figures.Text(0), nullptr, false);
    Statement name = database_->Ask("SELECT name FROM belief_name WHERE pipeline = ? ORDER BY place LIMIT ?",
                                    pipeline, kMostBeliefs);
    while (name.Next()) {
      const bool told = json.is_array() && beliefs.size() < json.size();
      beliefs.push_back({name.Text(0), Figure(told ? json[beliefs.size()] : nlohmann::json())});
    }
    return beliefs;
  }

  [[nodiscard]] std::unexpected<Error> Damaged(const std::string& what) const {
    return Fail(path() + " is damaged: " + what);
  }

  void ReadOps(std::int64_t snapshot, Snapshot& now) {
    now.ops.resize(now.graph->ops.size());
    Statement row = database_->Ask(
        "SELECT op, items, bytes, failed, busy_ns, starved_ns, backed_up_ns, on_cpu_ns, runnable_ns, "
        "workers, "
        "worker_memory_bytes, latency FROM op_reading WHERE snapshot = ?",
        snapshot);
    while (row.Next()) {
      if (row.Whole(0) < 0 || row.Whole(0) >= std::ssize(now.ops)) continue;
      OpReading& op = now.ops[static_cast<std::size_t>(row.Whole(0))];
      op.items = Count(row.Whole(1));
      op.bytes = Amount(row.Whole(2));
      op.failed = Count(row.Whole(3));
      op.busy = Time(row.Whole(4));
      op.starved = Time(row.Whole(5));
      op.backed_up = Time(row.Whole(6));
      op.on_cpu = MaybeTime(row.MaybeWhole(7));
      op.runnable = MaybeTime(row.MaybeWhole(8));
      op.workers = Small(std::min(row.Whole(9), kMostWorkers));
      op.worker_memory = Amount(row.Whole(10));
      op.latency = ParseHistogram(row.Text(11));
      op.items_known = Knows(row, 1);
      op.counted = Knows(row, 2) && Knows(row, 3);
      op.timed = Knows(row, 4) && Knows(row, 5) && Knows(row, 6);
    }
  }

  void ReadConnectors(std::int64_t snapshot, Snapshot& now) {
    now.connectors.resize(now.graph->connectors.size());
    Statement row = database_->Ask(
        "SELECT connector, pushed, popped, depth, capacity, high_water, bytes, depth_seconds, empty_ns, "
        "full_ns FROM "
        "connector_reading WHERE snapshot = ?",
        snapshot);
    while (row.Next()) {
      if (row.Whole(0) < 0 || row.Whole(0) >= std::ssize(now.connectors)) continue;
      now.connectors[static_cast<std::size_t>(row.Whole(0))] = {.pushed = Count(row.Whole(1)),
                                                                .popped = Count(row.Whole(2)),
                                                                .depth = Count(row.Whole(3)),
                                                                .capacity = Count(row.Whole(4)),
                                                                .high_water = Count(row.Whole(5)),
                                                                .bytes = Amount(row.Whole(6)),
                                                                .depth_seconds = Finite(row.Real(7)),
                                                                .empty = Time(row.Whole(8)),
                                                                .full = Time(row.Whole(9)),
                                                                .counted = Knows(row, 1)};
    }
  }

  // SQLite takes the other columns of a row with max() from the row that has it.
  void ReadKnobs(std::int64_t pipeline, Snapshot& now) {
    Statement row = database_->Ask(
        "SELECT kind, target, name, value, requested, min, max, takes_effect, holder, held, generation, "
        "max(at_ns) FROM "
        "knob WHERE pipeline = ? AND at_ns <= ? GROUP BY kind, target ORDER BY place LIMIT 256",
        pipeline, now.at);
    while (row.Next()) {
      const auto kind = Named(kKnobKinds, row.Text(0));
      if (!kind) continue;
      Knob knob;
      knob.id = {*kind, Narrow(row.Whole(1))};
      knob.name = row.Text(2);
      knob.value = row.Whole(3);
      knob.requested = row.Whole(4);
      knob.min = row.Whole(5);
      knob.max = row.Whole(6);
      knob.takes_effect = Named(kEffects, row.Text(7)).value_or(TakesEffect::kLive);
      knob.holder = Named(kHolders, row.Text(8)).value_or(Holder::kAuto);
      knob.held = Named(kHeldReasons, row.Text(9)).value_or(HeldBecause::kNot);
      knob.generation = Count(row.Whole(10));
      now.knobs.push_back(std::move(knob));
    }
  }

  std::vector<KnobChange> Changes(std::int64_t pipeline, std::int64_t decision) {
    std::vector<KnobChange> changes;
    Statement row = database_->Ask(
        "SELECT kind, target, old_value, new_value FROM decision_change WHERE pipeline = ? AND decision = ? "
        "ORDER BY place LIMIT 256",
        pipeline, decision);
    while (row.Next()) {
      if (const auto kind = Named(kKnobKinds, row.Text(0)))
        changes.push_back({{*kind, Narrow(row.Whole(1))}, row.Whole(2), row.Whole(3)});
    }
    return changes;
  }

  std::unique_ptr<Database> database_;
  bool beliefs_ = false;  // older sessions have none
};

Result<SessionReader> SessionReader::Open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Fail("there is no file " + path);
  auto database = Database::Open(path, Database::Mode::kRead);
  if (!database) return std::unexpected(database.error());
  SessionReader reader(std::make_unique<Tables>(std::move(*database)));
  Tables& tables = *reader.tables_;
  if (auto checked = tables.Check(); !checked) return std::unexpected(checked.error());
  reader.facts_ = tables.Facts();
  reader.end_ = tables.End();
  for (auto& [number, info] : tables.Pipelines()) {
    auto moments = tables.Moments(number);
    if (moments.empty()) continue;
    auto graph = tables.ReadGraph(number);
    if (!graph) return std::unexpected(graph.error());
    reader.numbers_.push_back(number);
    reader.pipelines_.push_back({std::move(info), std::move(*graph), std::move(moments)});
  }
  if (auto whole = tables.Whole(); !whole) return std::unexpected(whole.error());
  if (reader.pipelines_.empty())
    return Fail(path + " holds no snapshot: the run ended before anything was measured");
  return reader;
}

SessionReader::SessionReader(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
SessionReader::SessionReader(SessionReader&&) noexcept = default;
SessionReader& SessionReader::operator=(SessionReader&&) noexcept = default;
SessionReader::~SessionReader() = default;

const std::string& SessionReader::path() const {
  return tables_->path();
}

Result<RecordedState> SessionReader::At(std::size_t pipeline, std::size_t moment) const {
  const RecordedPipeline& of = pipelines_.at(pipeline);
  return tables_->State(numbers_.at(pipeline), of.moments.at(moment).at, of.graph);
}

Result<DecisionLog> SessionReader::Decisions(std::size_t pipeline) const {
  return tables_->Decisions(numbers_.at(pipeline));
}

Result<std::vector<RecordedEvent>> SessionReader::Events(std::size_t pipeline) const {
  return tables_->Events(numbers_.at(pipeline));
}

}  // namespace sluice::exporters
