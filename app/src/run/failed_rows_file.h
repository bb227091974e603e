// FailedRowsFile: names every row that fails in a file (`--failed-rows`), soon after it has.
//
// One thread.
#pragma once
#include <cstdint>
#include <string>

#include "sluice/exporters/growing_file.h"
#include "sluice/runtime/pipeline.h"

namespace sluice::app {

class FailedRowsFile {
 public:
  // Errors name the file.
  [[nodiscard]] static Result<FailedRowsFile> Create(const std::string& path);

  // Appends the rows that have failed since. After an error, which Close tells, nothing more is written.
  void Update(const runtime::Pipeline& pipeline);
  // The last rows, and how many are not named. An error says why the list is not whole.
  [[nodiscard]] Result<void> Close(const runtime::Pipeline& pipeline);
  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  explicit FailedRowsFile(exporters::GrowingFile file) : file_(std::move(file)) {}
  void Append(std::string_view lines);
  exporters::GrowingFile file_;
  std::size_t named_ = 0;
  Result<void> written_{};
};

}  // namespace sluice::app
