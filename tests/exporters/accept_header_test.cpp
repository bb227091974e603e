#include "metrics/accept_header.h"

#include <gmock/gmock.h>

namespace sluice::exporters {
namespace {

using enum MetricsFormat;

struct Asked {
  const char* header;
  MetricsFormat format;
};

class Format : public testing::TestWithParam<Asked> {};

TEST_P(Format, IsTheOneThatTheClientWantsMost) {
  EXPECT_EQ(ChooseFormat(GetParam().header), GetParam().format) << GetParam().header;
}

INSTANTIATE_TEST_SUITE_P(
    Accept, Format,
    testing::Values(
        Asked{"", kText}, Asked{"*/*", kText}, Asked{"text/html,application/xhtml+xml,*/*;q=0.8", kText},
        Asked{"application/json", kText}, Asked{"application/openmetrics-text", kOpenMetrics},
        Asked{"application/openmetrics-text; version=1.0.0", kOpenMetrics},
        Asked{"Application/OpenMetrics-Text;Version=1.0.0;Q=0.1", kOpenMetrics},
        Asked{"application/openmetrics-text;version=0.0.1", kText},
        Asked{"application/openmetrics-text;version=2.0.0,text/plain", kText},
        Asked{"application/openmetrics-text;q=0", kText},
        Asked{"application/openmetrics-text;q=0.3,text/plain;q=0.5", kText},
        Asked{"application/openmetrics-text;q=0.5,text/plain;q=0.5", kOpenMetrics},
        Asked{"application/openmetrics-text;q=0.3,*/*;q=0.2", kOpenMetrics},
        Asked{"application/openmetrics-text;q=0.3,text/*;q=0.4,*/*;q=0.1", kText},
        Asked{"application/openmetrics-text;q=much,*/*", kText},
        Asked{"application/openmetrics-text;q=7", kText}, Asked{"application/openmetrics-text;q=nan", kText},
        // Prometheus 2.42 and 3.
        Asked{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
              kOpenMetrics},
        Asked{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
              "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
              kOpenMetrics},
        Asked{";;,,=;q", kText}));

TEST(AcceptHeader, NamesTheFormatWithItsVersion) {
  EXPECT_EQ(ContentTypeOf(kText), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ContentTypeOf(kOpenMetrics), "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST(AcceptHeader, CompressesOnlyWhereThatIsWanted) {
  for (const char* wanted :
       {"gzip", "gzip, deflate, br", "x-gzip", "*", "br;q=1.0, GZIP;q=0.2", "gzip;q=1, identity"})
    EXPECT_TRUE(AcceptsGzip(wanted)) << wanted;
  for (const char* unwanted :
       {"", "identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=0.5, identity"})
    EXPECT_FALSE(AcceptsGzip(unwanted)) << unwanted;
}

}  // namespace
}  // namespace sluice::exporters
