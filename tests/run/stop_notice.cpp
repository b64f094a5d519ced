/// What a run that was asked to stop says while its step lasts.

#include <rhumb/run/stop_notice.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb::run;
using namespace std::chrono_literals;

/// What is said while a step lasts that does not heed the request.
std::string said_in_a_long_step(Settings settings, std::chrono::milliseconds lasts, int rank = 0) {
  settings.app = "app";
  settings.quiet = false;
  testing::internal::CaptureStderr();
  {
    StopNotice notice(settings, rank, 20ms);
    notice.in_step(7, 0.25);
    std::this_thread::sleep_for(lasts);
  }
  return testing::internal::GetCapturedStderr();
}

TEST(StopNotice, SaysWhichStepALimitWaitsFor) {
  Settings settings;
  settings.wall_limit = 0.01;
  const auto said = said_in_a_long_step(settings, 300ms);
  EXPECT_NE(said.find("app: -wall_limit is over; waiting for the end of step 7 from t = 0.25"), std::string::npos)
      << said;
  EXPECT_EQ(said.find("waiting"), said.rfind("waiting")) << "more than once: " << said;
}

TEST(StopNotice, SaysWhichStepASignalWaitsFor) {
  Settings settings;
  settings.stop_signal = [] { return 15; };
  const auto said = said_in_a_long_step(settings, 300ms);
  EXPECT_NE(said.find("a signal asks to stop; waiting for the end of step 7"), std::string::npos) << said;
}

TEST(StopNotice, IsSilentWhereNothingAsksOrNobodyReads) {
  Settings settings;
  settings.wall_limit = 1e6;
  settings.stop_signal = [] { return 0; };
  EXPECT_EQ(said_in_a_long_step(settings, 100ms), "");
  settings.wall_limit = 0.01;
  EXPECT_EQ(said_in_a_long_step(settings, 100ms, 1), "");
}

} // namespace
