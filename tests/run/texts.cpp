#include <rhumb/run/command_line.hpp>
#include <rhumb/run/progress.hpp>
#include <rhumb/run/steps_file.hpp>
#include <gtest/gtest.h>

using namespace rhumb::run;

namespace {
CommandLine line_of(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  return {static_cast<int>(pointers.size()), pointers.data()};
}
} // namespace

TEST(CommandLine, ACaseFileMayStandBehindTheOptions) {
  const CommandLine line = line_of({"rhumb-flow", "-mesh", "a.msh", "case.yaml"});
  EXPECT_EQ(line.case_file(), "case.yaml");
  EXPECT_TRUE(line.stray().empty());
  const CommandLine other = line_of({"rhumb-flow", "-mesh", "a.msh", "b.msh"});
  EXPECT_EQ(other.case_file(), "");
  EXPECT_EQ(other.stray(), std::vector<std::string>{"b.msh"});
}

TEST(CommandLine, ThereIsOneCaseFile) {
  const CommandLine line = line_of({"/somewhere/rhumb-heat", "case.yaml", "-n", "10", "other.yaml"});
  EXPECT_EQ(line.app(), "rhumb-heat");
  EXPECT_EQ(line.case_file(), "case.yaml");
  EXPECT_EQ(line.stray(), std::vector<std::string>{"other.yaml"});
}

TEST(CommandLine, HelpIsKeptFromPetsc) {
  for (const char* word : {"-help", "--help", "-h"}) {
    CommandLine line = line_of({"rhumb", "-n", "10", word});
    EXPECT_TRUE(line.wants_help());
    ASSERT_EQ(line.argc(), 3);
    EXPECT_STREQ(line.argv()[2], "10");
  }
}

TEST(CommandLine, AFormulaMayBeginWithAMinus) {
  for (const char* formula : {"-x", "-t", "-pi", "-sin(x)", "-log10(x)", "-x*y", "-(x)", "-x + 1", "-x-y", "-T^4"})
    EXPECT_FALSE(rhumb::core::is_option(formula)) << formula;
  for (const char* option : {"-n", "-re", "-dae_atol_Y_CH2(S)", "-dae_atol_Y_H3O+", "--t_end", "-T0", "-bc_left_u"})
    EXPECT_TRUE(rhumb::core::is_option(option)) << option;
  CommandLine line = line_of({"rhumb", "-initial_u", "-x", "-n", "10"});
  EXPECT_EQ(line.options(), (std::vector<std::pair<std::string, std::string>>{{"initial_u", "-x"}, {"n", "10"}}));
}

TEST(CommandLine, TheWordBehindHelpIsLookedFor) {
  CommandLine line = line_of({"rhumb", "-help", "order", "-n", "10"});
  EXPECT_TRUE(line.wants_help());
  EXPECT_EQ(line.help_word(), "order");
  EXPECT_EQ(line.argc(), 3);
  EXPECT_EQ(line_of({"rhumb", "-help", "case.yaml"}).case_file(), "case.yaml");
}

TEST(CommandLine, ANegativeNumberIsAValue) {
  EXPECT_FALSE(rhumb::core::is_option("-1"));
  EXPECT_FALSE(rhumb::core::is_option("-.5"));
  EXPECT_FALSE(rhumb::core::is_option("-"));
  EXPECT_TRUE(rhumb::core::is_option("-t_end"));
  EXPECT_TRUE(rhumb::core::is_option("--t_end"));
  CommandLine line = line_of({"rhumb", "-t_end", "-1"});
  EXPECT_TRUE(line.stray().empty());
  EXPECT_EQ(line.argc(), 3);
}

TEST(Progress, TheLineSaysAllThatAUserWaitsFor) {
  ProgressFigures figures;
  figures.t = 0.25;
  figures.part = 0.25;
  figures.h = 1.5e-3;
  figures.order = 4;
  figures.steps = 120;
  figures.newton_per_step = 1.3;
  figures.krylov_per_step = 2.75;
  figures.failures = 7;
  figures.elapsed = 65.0;
  figures.remaining = 4000.0;
  EXPECT_EQ(progress_line(figures), "t 0.25 (25.0 %)  step 120  h 1.50e-03  order 4  Newton 1.3  Krylov 2.8  failed 7  "
                                    "elapsed 1:05  left 1:06:40");
}

TEST(Progress, ANarrowTerminalGetsWhatMattersMost) {
  ProgressFigures figures;
  figures.t = 0.25;
  figures.part = 0.25;
  figures.steps = 120;
  figures.h = 1.5e-3;
  figures.elapsed = 65.0;
  figures.remaining = 4000.0;
  EXPECT_EQ(progress_line(figures, 60), "t 0.25 (25.0 %)  step 120  h 1.50e-03  left 1:06:40");
  EXPECT_EQ(progress_line(figures, 40), "t 0.25 (25.0 %)  step 120  left 1:06:40");
  EXPECT_EQ(progress_line(figures, 6), "t 0.25");
}

TEST(Progress, DurationsReadAsClocks) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.9), "9.9 s");
  EXPECT_EQ(duration_text(59.4), "0:59");
  EXPECT_EQ(duration_text(3599.6), "1:00:00");
  EXPECT_EQ(duration_text(1e300), "a year or more");
}

TEST(StepsFile, AContinuedRunKeepsTheStepsUpToItsCheckpoint) {
  const std::string text = steps_header() + "1,a\n2,b\n3,c\n";
  EXPECT_EQ(steps_kept(text, 2), steps_header() + "1,a\n2,b\n");
  EXPECT_EQ(steps_kept(text, 0), steps_header());
  EXPECT_EQ(steps_kept(text, 9), text);
}

TEST(StepsFile, ALineThatAKillCutShortIsDropped) {
  EXPECT_EQ(steps_kept(steps_header() + "1,a\n2,", 5), steps_header() + "1,a\n");
  EXPECT_EQ(steps_kept("", 5), steps_header());
  EXPECT_EQ(steps_kept("something else\n", 5), steps_header());
}

TEST(StepsFile, AStepIsOneLineWithAllDigits) {
  rhumb::bdf::StepReport step;
  step.t = 1.0 / 3.0;
  step.h = 1e-3;
  step.order = 2;
  step.error = 0.5;
  step.newton = 3;
  step.krylov = 8;
  step.error_failures = 1;
  EXPECT_EQ(steps_line(step), "0.3333333333333333,0.001,2,0.5,3,8,1,0\n");
}
