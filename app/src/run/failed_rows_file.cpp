#include "run/failed_rows_file.h"

#include "sluice/exporters/failed_rows_list.h"

namespace sluice::app {

Result<FailedRowsFile> FailedRowsFile::Create(const std::string& path) {
  auto created = exporters::GrowingFile::Create(path);
  if (!created) return std::unexpected(created.error());
  FailedRowsFile file(std::move(*created));
  file.Append(exporters::FailedRowsHeading());
  if (!file.written_) return std::unexpected(file.written_.error());
  return file;
}

void FailedRowsFile::Append(std::string_view lines) {
  if (written_ && !lines.empty()) written_ = file_.Append(lines);
}

void FailedRowsFile::Update(const runtime::Pipeline& pipeline) {
  std::string lines;
  for (const FailedRow& row : pipeline.FailedRowsFrom(named_)) {
    lines += exporters::FailedRowLine(row);
    ++named_;
  }
  Append(lines);
}

Result<void> FailedRowsFile::Close(const runtime::Pipeline& pipeline) {
  Update(pipeline);
  const std::uint64_t all = pipeline.failures().different;
  if (all > named_) Append(exporters::UnlistedRowsLine(all - named_));
  return written_;
}

}  // namespace sluice::app
