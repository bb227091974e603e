#include "loop/ticker.h"

#include <gtest/gtest.h>

#include <thread>

namespace sluice::app {
namespace {

TEST(Ticker, EndsAWaitThatGoesOnWhenItIsStopped) {
  Ticker ticker(std::chrono::hours(1));
  std::thread stopper([&] { ticker.Stop(); });
  EXPECT_FALSE(ticker.Wait());
  stopper.join();
}

TEST(Ticker, EndsEveryLaterWaitToo) {
  Ticker ticker(std::chrono::hours(1));
  ticker.Stop();
  EXPECT_FALSE(ticker.Wait());
  EXPECT_FALSE(ticker.Wait());
}

}  // namespace
}  // namespace sluice::app
