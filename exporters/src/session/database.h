// Database and Statement: an SQLite file as values and one sticky error, so that a caller writes a
// transaction line by line and asks once whether all of it is there.
//
// One thread at a time.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/units.h"

namespace sluice::exporters {

class Database;

// One prepared statement with its row. Columns are counted from 0; asked for what is not there, or has
// another type, they give 0, nothing or nullopt, as SQLite does.
class Statement {
 public:
  ~Statement();
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) = delete;

  // False: there are no more rows, or the database has an error now.
  bool Next();

  [[nodiscard]] std::int64_t Whole(int column) const;
  [[nodiscard]] double Real(int column) const;
  [[nodiscard]] std::string Text(int column) const;
  [[nodiscard]] std::optional<std::int64_t> MaybeWhole(int column) const;
  [[nodiscard]] std::optional<double> MaybeReal(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}
  void Reset();
  void Bind(int at, std::nullptr_t);
  void Bind(int at, std::int64_t value);
  void Bind(int at, double value);
  void Bind(int at, std::string_view value);

  template <typename T>
  void Give(int at, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      Bind(at, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_same_v<T, Nanos>) {
      Bind(at, static_cast<std::int64_t>(value.count()));
    } else if constexpr (std::is_same_v<T, Bytes>) {
      Bind(at, value.count);
    } else if constexpr (std::is_floating_point_v<T>) {
      Bind(at, static_cast<double>(value));
    } else if constexpr (std::is_integral_v<T>) {
      Bind(at, std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : INT64_MAX);
    } else {
      Bind(at, std::string_view(value));
    }
  }
  template <typename T>
  void Give(int at, const std::optional<T>& value) {
    value ? Give(at, *value) : Bind(at, nullptr);
  }

  Database* database_;
  sqlite3_stmt* handle_;
};

class Database {
 public:
  enum class Mode : std::uint8_t { kCreate, kRead };
  // kCreate: an empty file, or what an interrupted Create has left. Errors name the file.
  [[nodiscard]] static Result<std::unique_ptr<Database>> Open(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Several statements without parameters. Nothing happens while there is an error.
  void Execute(const std::string& sql);
  // One statement to its end, prepared once: `sql` is its key. Optional values that are missing become NULL.
  template <typename... Values>
  void Run(const char* sql, const Values&... values) {
    if (error_) return;
    Statement& statement = Prepared(sql);
    int at = 0;
    (statement.Give(++at, values), ...);
    while (statement.Next()) {
    }
    statement.Reset();
  }
  // A question whose rows are read by Next().
  template <typename... Values>
  [[nodiscard]] Statement Ask(const std::string& sql, const Values&... values) {
    Statement statement = Prepare(sql);
    int at = 0;
    (statement.Give(++at, values), ...);
    return statement;
  }
  // The first column of the first row.
  template <typename... Values>
  [[nodiscard]] std::optional<std::int64_t> AskWhole(const std::string& sql, const Values&... values) {
    Statement statement = Ask(sql, values...);
    return statement.Next() ? statement.MaybeWhole(0) : std::nullopt;
  }

  // The first thing that went wrong since the last ClearError(); names the file.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  void ClearError() { error_.reset(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}
  [[nodiscard]] Statement Prepare(const std::string& sql);
  Statement& Prepared(const char* sql);
  void NoteError();

  const std::string path_;
  sqlite3* handle_;
  std::optional<Error> error_;
  std::map<std::string, Statement, std::less<>> prepared_;
};

}  // namespace sluice::exporters
