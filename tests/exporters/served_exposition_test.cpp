#include "metrics/served_exposition.h"

#include <gtest/gtest.h>

namespace sluice::exporters {
namespace {

TEST(ServedExposition, IsTextThatIsMadeOnceForAllWhoAsk) {
  const Exposition exposition = Expose({"small", "run", "0"}, {}, {});
  ServedExposition served(exposition);
  for (const MetricsFormat format : {MetricsFormat::kText, MetricsFormat::kOpenMetrics}) {
    const std::string& text = served.Text(format);
    EXPECT_EQ(text, MetricsText(exposition, format));
    const std::string& zipped = served.Zipped(format);
    EXPECT_EQ(served.Text(format).data(), text.data());
    EXPECT_EQ(served.Zipped(format).data(), zipped.data());
  }
}

}  // namespace
}  // namespace sluice::exporters
