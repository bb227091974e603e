#include <fmt/format.h>

#include <algorithm>

#include "sluice/evaluation/controllers.h"
#include "sluice/evaluation/suite_report.h"
#include "sluice/evaluation/totals.h"
#include "text_table.h"

namespace sluice::evaluation {
namespace {

std::string AllText(const Totals& all) {
  TextTable table({fmt::format("{} runs", all.runs), "is", "wanted", ""});
  for (const TotalRow& row : TotalRows()) {
    table.Add({std::string(row.title), row.text(all), std::string(row.wants), row.met(all) ? "" : "missed"});
  }
  return table.Text();
}

std::string GroupsText(const std::vector<Totals>& totals) {
  std::vector<std::string> titles = {"of these", "runs"};
  for (const TotalRow& row : TotalRows()) titles.emplace_back(row.head);
  TextTable table(std::move(titles));
  for (const Totals& group : totals) {
    std::vector<std::string> cells = {group.group, fmt::format("{}", group.runs)};
    for (const TotalRow& row : TotalRows()) cells.push_back(row.text(group));
    table.Add(std::move(cells));
  }
  return table.Text();
}

}  // namespace

std::string TotalsText(const SuiteResult& result) {
  if (result.scenarios.empty()) return "";
  const auto& controllers = result.scenarios.front().controllers;
  const auto ours = std::ranges::find(controllers, kOurs, &ControllerScores::controller);
  const auto which = ours == controllers.end() ? controllers.begin() : ours;
  const auto totals = TotalsOf(result, static_cast<std::size_t>(which - controllers.begin()));
  std::string text = fmt::format("Totals of {}\n{}", which->controller, AllText(totals.front()));
  if (totals.size() > 1) text += "\n" + GroupsText(totals);
  return text;
}

}  // namespace sluice::evaluation
