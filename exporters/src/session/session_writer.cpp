#include "session/session_writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "json/names.h"
#include "session/session_schema.h"
#include "sluice/base/limit_words.h"
#include "text/utf8.h"

namespace sluice::exporters {
namespace {

constexpr Nanos kLeastRecent = std::chrono::seconds(10);
constexpr double kRoom = 0.8;  // of the limit; the rest is for what SQLite has beside the file
constexpr std::int64_t kMostLogPages = 1000;
constexpr std::size_t kLongestText = 4096;

// Pipeline, from and until when, and which numbers stay: those that this one divides.
const std::string kThinned = "pipeline = ? AND at_ns >= ? AND at_ns < ? AND number % ? <> 0";
const std::string kOfThinned = " WHERE snapshot IN (SELECT snapshot FROM snapshot WHERE " + kThinned + ")";
const std::string kRemovals[] = {"DELETE FROM op_reading" + kOfThinned,
                                 "DELETE FROM connector_reading" + kOfThinned,
                                 "DELETE FROM belief" + kOfThinned, "DELETE FROM snapshot WHERE " + kThinned};

std::string Text(const std::string& text) {
  return std::string(Prefix(ValidUtf8(text), kLongestText));
}

std::optional<double> Finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double Known(double value) {
  return Finite(value).value_or(0);
}

// {"17":3,"18":44}: bucket and items, for SQLite's json_each().
std::string HistogramText(const LatencyHistogram& histogram) {
  std::string text;
  for (std::size_t b = 0; b < histogram.size(); ++b) {
    if (histogram[b] != 0) text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", b, histogram[b]);
  }
  return "{" + text + "}";
}

// [0.5,null,"inf"]: as in CSV, so that both tell the same.
std::string FiguresText(const std::vector<Belief>& beliefs) {
  std::string text;
  for (const Belief& belief : beliefs) {
    const double value = belief.value;
    text += text.empty() ? "[" : ",";
    if (std::isfinite(value)) {
      text += fmt::format("{:.6g}", value);
    } else {
      text += std::isnan(value) ? "null" : value > 0 ? "\"inf\"" : "\"-inf\"";
    }
  }
  return text + "]";
}

// NULL where it is not known.
template <typename T>
std::optional<T> KnownOnly(bool known, T value) {
  return known ? std::optional(value) : std::nullopt;
}

std::optional<std::string_view> HeldName(HeldBecause held) {
  return held == HeldBecause::kNot ? std::nullopt : std::optional(NameOf(kHeldReasons, held));
}

bool IsSession(const std::string& path) {
  const auto database = Database::Open(path, Database::Mode::kRead);
  return database && (*database)->AskWhole("PRAGMA application_id") == kSessionApplicationId;
}

// A session that is there makes room; nothing else does.
Result<void> MakeRoom(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {};
  const bool empty = std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) == 0;
  if (!empty && !(std::filesystem::is_regular_file(status) && IsSession(path))) {
    return Fail(fmt::format("{} is no session of Sluice's, so it is left alone; name another file", path));
  }
  for (const char* end : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(path + end, error);
    if (error) return Fail(fmt::format("cannot replace {}: {}", path + end, error.message()));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SessionWriter>> SessionWriter::Create(const std::string& path,
                                                             const SessionFacts& facts,
                                                             const SessionOptions& options) {
  if (auto room = MakeRoom(path); !room) return std::unexpected(room.error());
  auto database = Database::Open(path, Database::Mode::kCreate);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<SessionWriter> writer(new SessionWriter(std::move(*database), options));
  Database& to = *writer->database_;
  to.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  const std::int64_t log_pages = std::clamp<std::int64_t>(options.limit.count / 4096 / 16, 8, kMostLogPages);
  to.Execute(fmt::format("PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {};", log_pages,
                         log_pages * 4096));
  to.Execute("BEGIN");
  to.Execute(kSessionSchema);
  writer->Tell("verb", facts.verb);
  writer->Tell("name", Text(facts.name));
  writer->Tell("run_id", facts.run_id);
  writer->Tell("version", facts.version);
  writer->Tell("cpu", facts.machine.cpu);
  writer->Tell("logical_cpus", facts.machine.logical_cpus);
  writer->Tell("numa_nodes", facts.machine.numa_nodes);
  writer->Tell("memory_bytes", facts.machine.memory);
  writer->Tell("started_ns", facts.started);
  writer->Tell("started_wall_ns", facts.started_wall);
  if (auto made = writer->End(); !made) return std::unexpected(made.error());
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) {
    writer->device_ = status.st_dev;
    writer->inode_ = status.st_ino;
  }
  return writer;
}

SessionWriter::SessionWriter(std::unique_ptr<Database> database, const SessionOptions& options)
    : database_(std::move(database)),
      limit_(options.limit),
      recent_(std::max(options.recent, kLeastRecent)) {}

void SessionWriter::Tell(const char* key, const auto& value) {
  database_->Run("INSERT OR REPLACE INTO session VALUES(?, ?)", std::string(key), value);
}

Result<void> SessionWriter::Write(const std::vector<SessionEntry>& entries) {
  database_->Execute("BEGIN");
  for (const SessionEntry& entry : entries) {
    std::visit([this](const auto& one) { Put(one); }, entry);
  }
  for (auto& [pipeline, written] : written_) Thin(pipeline, written);
  auto ended = End();
  if (ended) KeepBelowLimit();
  return ended;
}

Result<void> SessionWriter::End() {
  database_->Execute("COMMIT");
  const std::optional<Error> error = database_->error();
  if (!error) return {};
  database_->ClearError();
  database_->Execute("ROLLBACK");
  database_->ClearError();  // SQLite may have done it by itself
  written_.clear();
  return std::unexpected(*error);
}

Result<void> SessionWriter::Finish(MonoTime at, Nanos wall, const std::string& outcome) {
  database_->Execute("BEGIN");
  Tell("ended_ns", at);
  Tell("ended_wall_ns", wall);
  Tell("outcome", Text(outcome));
  auto ended = End();
  database_->Execute("PRAGMA journal_mode = DELETE");
  database_->ClearError();
  return ended;
}

bool SessionWriter::Gone() const {
  struct stat status{};
  if (stat(database_->path().c_str(), &status) != 0) return true;
  return status.st_dev != device_ || status.st_ino != inode_;
}

void SessionWriter::Put(const PipelineEntry& entry) {
  database_->Run("INSERT OR REPLACE INTO pipeline VALUES(?, ?, ?, ?, ?)", entry.pipeline,
                 Text(entry.info.name), entry.info.pid, entry.info.rank, entry.info.started);
}

void SessionWriter::Put(const SnapshotEntry& entry) {
  Written& written = written_[entry.pipeline];
  const Snapshot& now = entry.now;
  if (!written.graph && now.graph) PutGraph(entry.pipeline, *now.graph);
  written.graph = written.graph || now.graph;
  const std::int64_t number = numbers_[entry.pipeline]++;
  PutSnapshot(entry, number);
  PutReadings(next_snapshot_, now);
  PutKnobs(entry.pipeline, now, written);
  if (!entry.beliefs.empty()) PutBeliefs(entry, written);
  ++next_snapshot_;
  if (number == 0 || written.first.count() == 0) written.first = now.at;
  written.last = now.at;
}

void SessionWriter::PutGraph(std::uint32_t pipeline, const Graph& graph) {
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const OpInfo& op = graph.ops[i];
    database_->Run("INSERT OR REPLACE INTO op VALUES(?, ?, ?, ?, ?, ?, ?, ?)", pipeline, i, Text(op.name),
                   Text(op.kind), op.serial, op.rows_per_item, op.passes_on, op.reads_nothing);
  }
  for (std::size_t i = 0; i < graph.connectors.size(); ++i) {
    const ConnectorInfo& connector = graph.connectors[i];
    std::optional<std::int64_t> to;
    if (connector.to) to = static_cast<std::int64_t>(Index(*connector.to));
    database_->Run("INSERT OR REPLACE INTO connector VALUES(?, ?, ?, ?, ?)", pipeline, i,
                   Text(connector.name), Index(connector.from), to);
  }
}

void SessionWriter::PutSnapshot(const SnapshotEntry& entry, std::int64_t number) {
  const Snapshot& now = entry.now;
  const ConsumerReading& consumer = now.consumer;
  const Verdict& verdict = entry.verdict;
  database_->Run(
      "INSERT INTO snapshot VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      next_snapshot_, entry.pipeline, number, now.at, now.wall, KnownOnly(now.epoch_known, now.epoch),
      KnownOnly(consumer.items_known, consumer.items), KnownOnly(consumer.rows_known, consumer.rows),
      KnownOnly(consumer.timed, consumer.busy), KnownOnly(consumer.timed, consumer.starved),
      KnownOnly(consumer.timed, consumer.starting), Known(now.budget.cores), now.budget.memory,
      KnownOnly(now.buffered_known, now.buffered), KnownOnly(now.buffered_known, now.buffered_peak),
      KnownOnly(now.cpu_known, now.process_cpu), now.rss, now.idle, now.throttled, now.finished,
      LimitName(verdict.limit), verdict.op, Text(verdict.sentence), Known(verdict.confidence.value));
}

void SessionWriter::PutReadings(std::int64_t snapshot, const Snapshot& now) {
  for (std::size_t i = 0; i < now.ops.size(); ++i) {
    const OpReading& op = now.ops[i];
    database_->Run("INSERT INTO op_reading VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", snapshot, i,
                   KnownOnly(op.items_known, op.items), KnownOnly(op.counted, op.bytes),
                   KnownOnly(op.counted, op.failed), KnownOnly(op.timed, op.busy),
                   KnownOnly(op.timed, op.starved), KnownOnly(op.timed, op.backed_up), op.on_cpu, op.runnable,
                   op.workers, op.worker_memory, HistogramText(op.latency));
  }
  for (std::size_t i = 0; i < now.connectors.size(); ++i) {
    const ConnectorReading& connector = now.connectors[i];
    database_->Run("INSERT INTO connector_reading VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", snapshot, i,
                   KnownOnly(connector.counted, connector.pushed),
                   KnownOnly(connector.counted, connector.popped), connector.depth, connector.capacity,
                   connector.high_water, KnownOnly(connector.counted, connector.bytes),
                   Known(connector.depth_seconds), connector.empty, connector.full);
  }
}

void SessionWriter::PutKnobs(std::uint32_t pipeline, const Snapshot& now, Written& written) {
  for (std::size_t i = 0; i < now.knobs.size(); ++i) {
    const Knob& knob = now.knobs[i];
    const auto known = written.knobs.find(knob.id);
    if (known != written.knobs.end() && known->second == knob) continue;
    database_->Run("INSERT OR REPLACE INTO knob VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", pipeline,
                   NameOf(kKnobKinds, knob.id.kind), knob.id.target, now.at, i, Text(knob.name), knob.value,
                   knob.requested, knob.min, knob.max, NameOf(kEffects, knob.takes_effect),
                   NameOf(kHolders, knob.holder), HeldName(knob.held), knob.generation);
    written.knobs[knob.id] = knob;
  }
}

void SessionWriter::PutBeliefs(const SnapshotEntry& entry, Written& written) {
  const auto same = [](const std::string& name, const Belief& belief) { return name == belief.name; };
  if (!std::ranges::equal(written.beliefs, entry.beliefs, same)) {
    written.beliefs.clear();
    for (const Belief& belief : entry.beliefs) {
      database_->Run("INSERT OR REPLACE INTO belief_name VALUES(?, ?, ?)", entry.pipeline,
                     written.beliefs.size(), Text(belief.name));
      written.beliefs.push_back(belief.name);
    }
  }
  database_->Run("INSERT INTO belief VALUES(?, ?)", next_snapshot_, FiguresText(entry.beliefs));
}

void SessionWriter::Put(const DecisionEntry& entry) {
  const Decision& decision = entry.decision.decision;
  const auto measured = entry.decision.measured ? Finite(entry.decision.measured->per_second) : std::nullopt;
  database_->Run("INSERT OR REPLACE INTO decision VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", entry.pipeline,
                 decision.id, decision.at, NameOf(kAuthors, decision.author), Text(decision.because),
                 Known(decision.before.per_second), Known(decision.predicted.per_second),
                 NameOf(kFates, entry.decision.fate), measured);
  for (std::size_t i = 0; i < decision.changes.size(); ++i) {
    const KnobChange& change = decision.changes[i];
    database_->Run("INSERT OR REPLACE INTO decision_change VALUES(?, ?, ?, ?, ?, ?, ?, ?)", entry.pipeline,
                   decision.id, i, Text(entry.knobs[i]), NameOf(kKnobKinds, change.knob.kind),
                   change.knob.target, change.from, change.to);
  }
}

void SessionWriter::Put(const EventEntry& entry) {
  database_->Run("INSERT INTO event(pipeline, at_ns, text) VALUES(?, ?, ?)", entry.pipeline, entry.at,
                 Text(entry.text));
}

// What is older than `recent` is kept at every second snapshot, than twice that at every fourth, and so on:
// the resolution falls with age, and a run of any length keeps some thousand. Snapshot 0 divides by all of
// them.
void SessionWriter::Thin(std::uint32_t pipeline, Written& written) {
  Nanos age = recent_;
  for (std::size_t level = 0; level < 40 && written.last - written.first > age; ++level, age *= 2) {
    if (written.thinned.size() == level) written.thinned.push_back(written.first);
    const MonoTime until = written.last - age;
    RemoveBetween(pipeline, written.thinned[level], until, std::int64_t{2} << level);
    written.thinned[level] = until;
  }
}

void SessionWriter::RemoveBetween(std::uint32_t pipeline, MonoTime from, MonoTime to,
                                  std::int64_t keep_each) {
  for (const std::string& sql : kRemovals) database_->Run(sql.c_str(), pipeline, from, to, keep_each);
}

void SessionWriter::KeepBelowLimit() {
  const auto pages = database_->AskWhole("PRAGMA page_count").value_or(0);
  const auto free = database_->AskWhole("PRAGMA freelist_count").value_or(0);
  const auto size = database_->AskWhole("PRAGMA page_size").value_or(4096);
  const double used = static_cast<double>((pages - free) * size);
  if (used <= kRoom * static_cast<double>(limit_.count)) return;
  full_ = recent_ <= kLeastRecent;
  recent_ = std::max(recent_ / 2, kLeastRecent);
  for (auto& [pipeline, written] : written_) written.thinned.clear();
}

}  // namespace sluice::exporters
