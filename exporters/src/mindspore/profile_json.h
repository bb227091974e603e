// A JSON file of somebody else's, read field by field: what is wrong first says file, field and remedy, and
// all that is read behind it gives zeros.
//
// One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/error.h"

namespace sluice::exporters {

// What to do about a file that says something wrong.
inline constexpr const char* kTakeAnother = "profile the run again, or take the file away to import the rest";

// In ms: the latest moment there can be (Unix time of 2096), and the longest profile. Beyond them times are
// wrong.
inline constexpr std::int64_t kLatestMoment = 4'000'000'000'000;
inline constexpr std::int64_t kLongestProfile = std::int64_t{1000} * 3600 * 24 * 366;

class ProfileJson;

// One value of a document. Valid as long as the document.
class ProfileField {
 public:
  // False: it is not there, or null.
  [[nodiscard]] bool present() const;
  [[nodiscard]] ProfileField operator[](const char* name) const;
  // Of an array; 0 where it is something else, which is wrong.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] ProfileField At(std::size_t index) const;

  [[nodiscard]] std::int64_t Whole(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] double Real(double least, double most) const;
  [[nodiscard]] std::string Text() const;
  // An array of such.
  [[nodiscard]] std::vector<std::int64_t> Wholes(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] std::vector<double> Reals(double least, double most) const;

  // Says that it is wrong: "PATH: op_info[2].num_workers WHAT; REMEDY".
  void Refuse(std::string_view what) const;

 private:
  friend class ProfileJson;
  ProfileField(ProfileJson& document, const nlohmann::json* value, std::string where)
      : document_(&document), value_(value), where_(std::move(where)) {}

  ProfileJson* document_;
  const nlohmann::json* value_;  // null: not there
  std::string where_;
};

class ProfileJson {
 public:
  // A file that was cut off is told from one that is no JSON at all.
  [[nodiscard]] static Result<ProfileJson> Parse(const std::string& path, std::string_view text);

  [[nodiscard]] ProfileField root() { return {*this, &root_, ""}; }
  // The first thing that was wrong.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  friend class ProfileField;
  ProfileJson(std::string path, nlohmann::json root) : path_(std::move(path)), root_(std::move(root)) {}

  std::string path_;
  nlohmann::json root_;
  std::optional<Error> error_;
};

}  // namespace sluice::exporters
