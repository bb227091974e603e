#include "session/database.h"

#include <fmt/format.h>

#include <utility>

namespace sluice::exporters {
namespace {

// Nobody else writes; a reader's lock is short.
constexpr int kPatienceMs = 2000;

}  // namespace

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

bool Statement::Next() {
  if (handle_ == nullptr) return false;
  const int status = sqlite3_step(handle_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_->NoteError();
  return status == SQLITE_ROW;
}

void Statement::Reset() {
  if (handle_ == nullptr) return;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

void Statement::Bind(int at, std::nullptr_t) {
  sqlite3_bind_null(handle_, at);
}

void Statement::Bind(int at, std::int64_t value) {
  sqlite3_bind_int64(handle_, at, value);
}

void Statement::Bind(int at, double value) {
  sqlite3_bind_double(handle_, at, value);
}

void Statement::Bind(int at, std::string_view value) {
  sqlite3_bind_text64(handle_, at, value.data() == nullptr ? "" : value.data(), value.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::int64_t Statement::Whole(int column) const {
  return sqlite3_column_int64(handle_, column);
}

double Statement::Real(int column) const {
  return sqlite3_column_double(handle_, column);
}

std::string Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::optional<std::int64_t> Statement::MaybeWhole(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) return std::nullopt;
  return Whole(column);
}

std::optional<double> Statement::MaybeReal(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return std::nullopt;
  return Real(column);
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<Database> database(new Database(path, handle));
  if (status != SQLITE_OK) {
    return Fail(fmt::format("cannot open {}: {}", path, handle ? sqlite3_errmsg(handle) : "no memory"));
  }
  sqlite3_busy_timeout(handle, kPatienceMs);
  // What a file's own schema says is not run on its reader's behalf.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return database;
}

Database::~Database() {
  prepared_.clear();
  sqlite3_close(handle_);
}

void Database::Execute(const std::string& sql) {
  if (!error_ && sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) NoteError();
}

Statement Database::Prepare(const std::string& sql) {
  sqlite3_stmt* handle = nullptr;
  if (!error_ &&
      sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &handle, nullptr) != SQLITE_OK) {
    NoteError();
  }
  return {*this, handle};
}

Statement& Database::Prepared(const char* sql) {
  const auto known = prepared_.find(std::string_view(sql));
  if (known != prepared_.end() && known->second.handle_ != nullptr) return known->second;
  prepared_.erase(sql);
  return prepared_.emplace(sql, Prepare(sql)).first->second;
}

void Database::NoteError() {
  if (!error_) error_ = Error{fmt::format("{}: {}", path_, sqlite3_errmsg(handle_))};
}

}  // namespace sluice::exporters
