#include <rhumb/run/study_row.hpp>
#include <rhumb/run/study_table.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb::run;

namespace {
StudyRow sample() {
  StudyRow row;
  row.ending = {rhumb::core::ExitCode::solver_gave_up, "solver_gave_up", "first line\nsecond\tline \\n"};
  row.t = 0.1 + 0.2;
  row.wall_seconds = 1.0 / 3.0;
  row.unknowns = 42;
  row.error_test = "error test standard";
  row.statistics.steps = 17;
  row.statistics.reductions = 5;
  row.statistics.order_histogram[5] = 4;
  row.statistics.h_min = 1e-300;
  row.results = {{"T", 1.0 / 7.0},
                 {"no number", std::nan("")},
                 {"large", INFINITY},
                 {"list", std::vector<double>{1.0, 1e-9}},
                 {"empty", std::vector<double>{}},
                 {"fate", std::string("died, \"quoted\"")}};
  return row;
}
} // namespace

TEST(StudyRow, ItsTextHoldsEveryDigitAndEveryWord) {
  const auto back = parse_row(row_text(sample()));
  ASSERT_TRUE(back);
  EXPECT_EQ(row_text(*back), row_text(sample()));
  EXPECT_EQ(back->ending.message, sample().ending.message);
  EXPECT_EQ(back->ending.code, rhumb::core::ExitCode::solver_gave_up);
  EXPECT_EQ(back->t, 0.1 + 0.2);
  EXPECT_EQ(back->statistics.steps, 17);
  EXPECT_EQ(back->statistics.order_histogram[5], 4);
  EXPECT_EQ(std::get<double>(back->results[0].second), 1.0 / 7.0);
  EXPECT_TRUE(std::isnan(std::get<double>(back->results[1].second)));
}

TEST(StudyRow, WhatIsNoRowIsNone) {
  const std::string text = row_text(sample());
  EXPECT_FALSE(parse_row(""));
  EXPECT_FALSE(parse_row("x" + text));
  EXPECT_FALSE(parse_row(text.substr(0, text.find('\n') + 1)));
  EXPECT_FALSE(parse_row(text + "number\tx\thalf a li"));
}

TEST(StudyRow, CountsAreAdded) {
  rhumb::bdf::Statistics sum, one;
  one.steps = 3;
  one.h_min = 0.5;
  one.h_max = 2.0;
  add(sum, one);
  one.h_min = 0.25;
  add(sum, one);
  add(sum, {}); // of a run that could not begin
  EXPECT_EQ(sum.steps, 6);
  EXPECT_EQ(sum.h_min, 0.25);
  EXPECT_EQ(sum.h_max, 2.0);
}

TEST(StudyTable, TheCsvQuotesWhatHasCommasAndLeavesListsOut) {
  StudyTable table;
  table.parameters = {"n"};
  table.lines.push_back({{"64,64"}, sample(), {}});
  table.lines.push_back({{"8,8"}, StudyRow(), {}});
  EXPECT_EQ(csv_of(table), "n,reason,t,steps,unknowns,wall_seconds,T,no number,large,fate,message\n"
                           "\"64,64\",solver_gave_up,0.30000000000000004,17,42,0.333,0.14285714285714285,,inf,"
                           "\"died, \"\"quoted\"\"\",first line second\tline \\n\n"
                           "\"8,8\",done,0,0,0,0.000,,,,,\n");
}
