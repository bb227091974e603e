// SuiteLog: the file that a long suite goes on from: a line for each scenario that is finished. One writer.
#pragma once
#include <string>
#include <vector>

#include "sluice/base/error.h"
#include "sluice/evaluation/suite.h"

namespace sluice::app {

class SuiteLog {
 public:
  // `made_by`: the program that scores. Nothing is opened for an empty `file`.
  SuiteLog(std::string file, std::string made_by) : file_(std::move(file)), made_by_(std::move(made_by)) {}

  // What is in the file and of use for `options`; a file that is not there has nothing. A last line that is
  // cut off, because the program was ended while it wrote, is taken out of the file. Errors name file, line
  // and remedy.
  [[nodiscard]] Result<std::vector<evaluation::ScenarioScores>> Read(
      const evaluation::SuiteOptions& options) const;
  // Adds a line. The first error is kept, and nothing is written after it.
  void Append(const evaluation::ScenarioScores& scores);
  [[nodiscard]] const Result<void>& written() const { return written_; }

 private:
  const std::string file_;
  const std::string made_by_;
  Result<void> written_;
};

}  // namespace sluice::app
