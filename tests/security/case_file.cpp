/// What a case file says, and what it may say of PETSc's solvers.

#include <rhumb/core/failure.hpp>
#include <rhumb/run/case_file.hpp>
#include <rhumb/run/solver_options.hpp>
#include <gtest/gtest.h>

using namespace rhumb;

namespace {
using Values = std::vector<std::pair<std::string, std::string>>;

Values values_of(const std::string& text) {
  Values out;
  for (const auto& value : run::parse_case(text, "case.yaml")) out.emplace_back(value.name, value.value);
  return out;
}

std::string refusal(const std::string& text) {
  try {
    core::Options options;
    options.add_file_values(run::parse_case(text, "case.yaml"));
  } catch (const core::BadInput& bad) {
    return bad.what();
  }
  return "not refused";
}

std::string solver_refusal(const std::string& name, const std::string& value) {
  try {
    run::check_solver_option({name, value, "case.yaml:1:1"});
  } catch (const core::BadInput& bad) {
    return bad.what();
  }
  return "not refused";
}

#define EXPECT_SAYS(message, text) EXPECT_NE(std::string(message).find(text), std::string::npos) << (message)
} // namespace

TEST(CaseFile, MapsJoinTheirNamesAndListsTheirItems) {
  EXPECT_EQ(values_of("n: 8,8\ndae:\n  rtol: 1e-5\n  ksp: {type: gmres, max_it: 20}\nout_times: [0, 0.25, 0.5]\n"),
            (Values{{"n", "8,8"},
                    {"dae_rtol", "1e-5"},
                    {"dae_ksp_type", "gmres"},
                    {"dae_ksp_max_it", "20"},
                    {"out_times", "0,0.25,0.5"}}));
}

TEST(CaseFile, ValuesStayAsTheyAreWritten) {
  EXPECT_EQ(values_of("a: yes\nb: 'x: y'\nc: 0x10\nd:\ne: \"2*x\"\nf: >\n  1 +\n  x\n"),
            (Values{{"a", "yes"}, {"b", "x: y"}, {"c", "0x10"}, {"d", ""}, {"e", "2*x"}, {"f", "1 + x\n"}}));
}

TEST(CaseFile, CommasInRoundBracketsBelongToTheFormula) {
  EXPECT_EQ(
      values_of("f: {a: dot(x, y), b: 2} # not (this, one\ng: [max(1, 2), 3]\nh: {c: '(', d: 4, e: \"(,\"}\n"),
      (Values{{"f_a", "dot(x, y)"}, {"f_b", "2"}, {"g", "max(1, 2),3"}, {"h_c", "("}, {"h_d", "4"}, {"h_e", "(,"}}));
  EXPECT_EQ(values_of("a: :(\nb: [1, 2]\n"), (Values{{"a", ":("}, {"b", "1,2"}}));
}

TEST(CaseFile, EventsAreAMapByNameOrAList) {
  EXPECT_EQ(values_of("events: {hot: {when: T_max > 3, then: stop}, late: {when: t - 5}}\n"),
            (Values{{"event_hot_when", "T_max > 3"},
                    {"event_hot_then", "stop"},
                    {"event_late_when", "t - 5"},
                    {"events", "hot,late"}}));
  EXPECT_EQ(
      values_of("events: [{when: T_max > 3, then: stop}, {when: t - 5}]\n"),
      (Values{{"event_1_when", "T_max > 3"}, {"event_1_then", "stop"}, {"event_2_when", "t - 5"}, {"events", "1,2"}}));
  EXPECT_EQ(values_of("events: hot\nevent: {hot: {when: t - 5}}\n"),
            (Values{{"events", "hot"}, {"event_hot_when", "t - 5"}}));
}

TEST(CaseFile, ABoxGroupsItsNames) {
  EXPECT_EQ(values_of("box: {n: [8, 8], upper: [1, 1], periodic: [x, y]}\n"),
            (Values{{"n", "8,8"}, {"upper", "1,1"}, {"periodic", "x,y"}}));
}

TEST(CaseFile, AFileOfCommentsSaysNothing) {
  EXPECT_EQ(values_of("# nothing\n"), Values{});
  EXPECT_EQ(values_of(""), Values{});
}

TEST(CaseFile, BrokenYamlIsRefusedWithFileLineAndColumn) {
  EXPECT_SAYS(refusal("n: 8\ndae: {rtol: 1e-5\n"), "case.yaml:");
  EXPECT_SAYS(refusal("n: 8\nk: [1, 2\nx: 3\n"), "case.yaml:3:");
  EXPECT_SAYS(refusal("n: 8\n\tm: 3\n"), "case.yaml:2:1");
}

TEST(CaseFile, WhatCouldMultiplyOrIncludeIsRefused) {
  EXPECT_SAYS(refusal("a: &x 1\nb: *x\n"), "case.yaml:1:4: an anchor");
  EXPECT_SAYS(refusal("$$x: !include other.yaml\n"), "the tag !include");
  EXPECT_SAYS(refusal("<<: {n: 3}\n"), "a merge");
  EXPECT_SAYS(refusal("n: 3\n---\nn: 4\n"), "a second document");
  EXPECT_SAYS(refusal("- 1\n- 2\n"), "a list without a name");
  EXPECT_SAYS(refusal("n: [[1, 2], 3]\n"), "a list without a name");
  EXPECT_SAYS(refusal("n: [{a: 1}]\n"), "a map in a list");
  EXPECT_SAYS(refusal("{a: 1}: 2\n"), "a map as a name");
  EXPECT_SAYS(refusal("? [a, b]\n: 2\n"), "a list without a name");
  EXPECT_SAYS(refusal("just words\n"), "a value without a name");
}

TEST(CaseFile, ControlCharactersAreRefused) {
  EXPECT_SAYS(refusal("k: \"5\\0\"\n"), "case.yaml:1:4: a control character");
  EXPECT_SAYS(refusal("k: \"\\e[2J\"\n"), "a control character");
  EXPECT_SAYS(refusal(std::string("k: 5\0", 5)), "no text");
}

TEST(CaseFile, ANestOfTenThousandIsRefused) {
  EXPECT_SAYS(refusal(std::string(10'000, '[')), "case.yaml:");
  EXPECT_SAYS(refusal(std::string(10'000, '{')), "case.yaml:");
  std::string deep;
  for (int i = 0; i < 2'000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_SAYS(refusal(deep), "case.yaml:");
}

TEST(CaseFile, ANameGivenTwiceIsRefusedWithBothPlaces) {
  EXPECT_EQ(refusal("n: 8\nk: 1\nn: 9\n"), "case.yaml:3:4: n is given twice, first at case.yaml:1:4");
  EXPECT_SAYS(refusal("dae: {rtol: 1}\nDAE_rtol: 2\n"), "given twice");
}

TEST(SolverOptions, TypesTolerancesPackagesMultigridAndHypreAreKnown) {
  for (const char* name :
       {"dae_pc_type", "dae_ksp_type", "dae_ksp_max_it", "dae_sub_pc_factor_levels", "dae_mg_levels_3_ksp_max_it",
        "dae_mg_levels_sub_pc_type", "dae_pc_factor_mat_solver_type", "dae_pc_hypre_boomeramg_strong_threshold",
        "dae_fieldsplit_pressure_pc_type", "dae_fieldsplit_0_ksp_type", "dae_pc_gamg_agg_nsmooths",
        "dae_mat_mumps_icntl_14", "DAE_pc_hypre_boomeramg_P_max"})
    EXPECT_TRUE(run::is_solver_option(name)) << name;
}

TEST(SolverOptions, ViewersMonitorsLogsFilesAndWhatIsNotTheIntegratorsAreNot) {
  for (const char* name : {"mat_view",
                           "dae_mat_view",
                           "dae_ksp_view",
                           "dae_ksp_monitor",
                           "dae_ksp_view_rhs",
                           "log_view",
                           "citations",
                           "malloc_dump",
                           "options_file",
                           "options_file_yaml",
                           "pc_type",
                           "ksp_type",
                           "dae_pc_python_type",
                           "dae_mat_mumps_icntl_22",
                           "dae_mat_mumps_icntl_1",
                           "dae_pc_hypre_boomeramg_print_statistics",
                           "dae_mg_levels_9999_pc_type",
                           "dae_fieldsplit__pc_type",
                           "dae_",
                           "dae_mg_levels_",
                           "dae_sub_",
                           ""})
    EXPECT_FALSE(run::is_solver_option(name)) << name;
}

TEST(SolverOptions, NoNameOfTheListPrintsOrNamesAFile) {
  for (const auto& name : run::solver_option_names())
    for (const char* part : {"view", "monitor", "print", "file", "log", "draw", "dump", "info", "python"})
      EXPECT_EQ(name.find(part), std::string::npos) << name;
}

TEST(SolverOptions, ValuesAreChecked) {
  EXPECT_EQ(solver_refusal("dae_pc_type", "ilu"), "not refused");
  EXPECT_SAYS(solver_refusal("dae_pc_type", "ilu;id"), "did you mean ilu?");
  EXPECT_SAYS(solver_refusal("dae_pc_type", "shell"), "in a case file one of");
  EXPECT_SAYS(solver_refusal("dae_sub_pc_type", "python"), "in a case file one of");
  EXPECT_EQ(solver_refusal("dae_ksp_max_it", "20"), "not refused");
  for (const char* bad : {"-1", "20x", "", "1e9", "binary:x"})
    EXPECT_SAYS(solver_refusal("dae_ksp_max_it", bad), "a count") << bad;
  EXPECT_SAYS(solver_refusal("dae_pc_factor_fill", "0,5"), "a number is wanted");
  EXPECT_EQ(solver_refusal("dae_ksp_chebyshev_esteig", "0,0.1,0,1.1"), "not refused");
  EXPECT_SAYS(solver_refusal("dae_ksp_chebyshev_esteig", "0.01,"), "numbers between commas");
  EXPECT_SAYS(solver_refusal("dae_pc_sor_symmetric", "maybe"), "true or false");
  EXPECT_EQ(solver_refusal("dae_pc_hypre_boomeramg_coarsen_type", "Falgout"), "not refused");
}
