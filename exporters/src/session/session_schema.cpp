#include "session/session_schema.h"

namespace sluice::exporters {

const char* const kSessionSchema = R"sql(
PRAGMA application_id = 0x534C4345;
PRAGMA user_version = 1;
CREATE TABLE session(
  key TEXT PRIMARY KEY,
  value) WITHOUT ROWID;
CREATE TABLE pipeline(
  pipeline INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  pid INTEGER NOT NULL,
  rank INTEGER,
  started_ns INTEGER NOT NULL);
CREATE TABLE op(
  pipeline INTEGER NOT NULL,
  op INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  serial INTEGER NOT NULL,
  rows_per_item INTEGER NOT NULL,
  passes_on INTEGER NOT NULL,
  reads_nothing INTEGER NOT NULL,
  PRIMARY KEY(pipeline, op)) WITHOUT ROWID;
CREATE TABLE connector(
  pipeline INTEGER NOT NULL,
  connector INTEGER NOT NULL,
  name TEXT NOT NULL,
  from_op INTEGER NOT NULL,
  to_op INTEGER,
  PRIMARY KEY(pipeline, connector)) WITHOUT ROWID;
CREATE TABLE snapshot(
  snapshot INTEGER PRIMARY KEY,
  pipeline INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  epoch INTEGER,
  items INTEGER,
  rows INTEGER,
  busy_ns INTEGER,
  starved_ns INTEGER,
  starting_ns INTEGER,
  cores REAL NOT NULL,
  memory_bytes INTEGER NOT NULL,
  buffered_bytes INTEGER,
  buffered_peak_bytes INTEGER,
  process_cpu_ns INTEGER,
  resident_bytes INTEGER,
  idle_ns INTEGER,
  throttled_ns INTEGER,
  finished INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  verdict_op INTEGER,
  sentence TEXT NOT NULL,
  confidence REAL NOT NULL);
CREATE UNIQUE INDEX snapshot_number ON snapshot(pipeline, number);
CREATE INDEX snapshot_time ON snapshot(pipeline, at_ns);
CREATE TABLE op_reading(
  snapshot INTEGER NOT NULL,
  op INTEGER NOT NULL,
  items INTEGER,
  bytes INTEGER,
  failed INTEGER,
  busy_ns INTEGER,
  starved_ns INTEGER,
  backed_up_ns INTEGER,
  on_cpu_ns INTEGER,
  runnable_ns INTEGER,
  workers INTEGER NOT NULL,
  worker_memory_bytes INTEGER NOT NULL,
  latency TEXT NOT NULL,
  PRIMARY KEY(snapshot, op)) WITHOUT ROWID;
CREATE TABLE connector_reading(
  snapshot INTEGER NOT NULL,
  connector INTEGER NOT NULL,
  pushed INTEGER,
  popped INTEGER,
  depth INTEGER NOT NULL,
  capacity INTEGER NOT NULL,
  high_water INTEGER NOT NULL,
  bytes INTEGER,
  depth_seconds REAL NOT NULL,
  empty_ns INTEGER NOT NULL,
  full_ns INTEGER NOT NULL,
  PRIMARY KEY(snapshot, connector)) WITHOUT ROWID;
CREATE TABLE belief_name(
  pipeline INTEGER NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY(pipeline, place)) WITHOUT ROWID;
CREATE TABLE belief(
  snapshot INTEGER PRIMARY KEY,
  figures TEXT NOT NULL);
CREATE TABLE knob(
  pipeline INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  requested INTEGER NOT NULL,
  min INTEGER NOT NULL,
  max INTEGER NOT NULL,
  takes_effect TEXT NOT NULL,
  holder TEXT NOT NULL,
  held TEXT,
  generation INTEGER NOT NULL,
  PRIMARY KEY(pipeline, kind, target, at_ns)) WITHOUT ROWID;
CREATE TABLE decision(
  pipeline INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  author TEXT NOT NULL,
  because TEXT NOT NULL,
  before_rate REAL NOT NULL,
  predicted_rate REAL NOT NULL,
  fate TEXT NOT NULL,
  measured_rate REAL,
  PRIMARY KEY(pipeline, decision)) WITHOUT ROWID;
CREATE TABLE decision_change(
  pipeline INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  place INTEGER NOT NULL,
  knob TEXT NOT NULL,
  kind TEXT NOT NULL,
  target INTEGER NOT NULL,
  old_value INTEGER NOT NULL,
  new_value INTEGER NOT NULL,
  PRIMARY KEY(pipeline, decision, place)) WITHOUT ROWID;
CREATE TABLE event(
  event INTEGER PRIMARY KEY,
  pipeline INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  text TEXT NOT NULL);
)sql";

}  // namespace sluice::exporters
