#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "sluice/base/limit_words.h"
#include "sluice/exporters/loader_report.h"

namespace sluice::exporters {
namespace {

using ::testing::UnorderedElementsAreArray;

std::string Page() {
  const std::ifstream file(SLUICE_DOCS "/verdicts.md");
  return (std::ostringstream() << file.rdbuf()).str();
}

std::vector<std::string> KindsBelow(const std::string& heading) {
  const std::string page = Page();
  const std::size_t begin = page.find("\n## " + heading);
  const std::string part = page.substr(begin + 1, page.find("\n## ", begin + 1) - begin);
  std::vector<std::string> kinds;
  const std::regex kind("### `([^`]*)`");
  for (std::sregex_iterator at(part.begin(), part.end(), kind), end; at != end; ++at)
    kinds.push_back((*at)[1]);
  return kinds;
}

TEST(VerdictsPage, HasEveryFindingOfAWrappedRunAndNoOther) {
  std::vector<std::string> names;
  for (const Finding finding : AllFindings()) names.emplace_back(FindingName(finding));
  EXPECT_THAT(KindsBelow("Of a wrapped run"), UnorderedElementsAreArray(names));
}

TEST(VerdictsPage, HasEveryLimitOfAPipelineAndNoOther) {
  std::vector<std::string> names;
  for (int limit = 0; limit <= static_cast<int>(Limit::kContention); ++limit) {
    names.emplace_back(LimitName(static_cast<Limit>(limit)));
  }
  EXPECT_THAT(KindsBelow("Of a pipeline"), UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace sluice::exporters
