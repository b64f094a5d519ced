/// Compiled equations: the numbers of the interpreted ones and of kernels in C++; code comes from a private folder only.
#include "by_hand.hpp"
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/run/integrate.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace rhumb;
namespace fs = std::filesystem;

namespace {

/// A cache folder of the test.
class Compiled : public testing::Test {
protected:
  Compiled() : base_(fs::temp_directory_path() / fmt::format("rhumb-cache-{}", getpid())) {
    fs::create_directories(base_);
    setenv("XDG_CACHE_HOME", base_.c_str(), 1);
  }
  ~Compiled() override { fs::remove_all(base_); }

  fs::path folder() const { return base_ / "rhumb"; }
  fs::path only_code() const {
    for (const auto& entry : fs::directory_iterator(folder()))
      if (entry.path().extension() == ".so") return entry.path();
    return {};
  }

  fs::path base_;
};

using Texts = std::map<std::string, std::string>;

std::unique_ptr<dae::Problem> make(Texts text, const char* way) {
  text["compile"] = way;
  return text::make_pde(PETSC_COMM_WORLD, core::Options(text));
}

std::string mistake(const Texts& text) {
  try {
    make(text, "yes");
    return "";
  } catch (const core::BadInput& error) {
    return error.what();
  }
}

void fill(Vec vector, double phase) {
  const core::Writable values(vector);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 + 0.4 * std::sin(phase * static_cast<double>(i));
}

/// The largest difference of residual, product and matrix times a vector, relative to the largest entry.
double difference(dae::Problem& a, dae::Problem& b) {
  const auto y = a.create_vector(), ydot = core::same_layout(y), v = core::same_layout(y);
  fill(y, 0.37);
  fill(ydot, 1.1);
  fill(v, 2.3);
  double worst = 0.0;
  for (int what = 0; what < 4; ++what) {
    std::array<core::VecHandle, 2> out{core::same_layout(y), core::same_layout(y)};
    for (std::size_t k = 0; k < 2; ++k) {
      auto& problem = k == 0 ? a : b;
      if (what == 0) problem.residual(0.2, y, ydot, out[k]);
      if (what == 1) problem.product(0.2, y, ydot, 3.0, v, out[k]);
      if (what == 2) problem.mass_product(0.2, y, ydot, v, out[k]);
      if (what == 3) {
        const auto matrix = problem.create_matrix();
        problem.jacobian(0.2, y, ydot, 3.0, matrix);
        core::check(MatMult(matrix, v, out[k]));
      }
    }
    double size = 0.0, away = 0.0;
    core::check(VecNorm(out[0], NORM_INFINITY, &size));
    core::check(VecAXPY(out[1], -1.0, out[0]));
    core::check(VecNorm(out[1], NORM_INFINITY, &away));
    worst = std::max(worst, away / size);
  }
  return worst;
}

const Texts everything{
    {"n", "9,7"},
    {"fields", "u,v"},
    {"parameters_p", "0.4"},
    {"equations",
     "dt(u) + 0.2*dt(v)*u = dx(dy(u)) + div((1 + v^2)*grad(u)) + sign(u - 0.5)*step(v) + atan2(u, v)*hypot(u, p) "
     "+ if(u > 0.4 && !(v < 0.2) || t > 1, exp(-x), ln(1 + y)) + round(3*u) + abs(v - 0.5)^1.5, "
     "0 = v - lap(u)*0.01 - tanh(p*u) + min(u, v, 0.3) + dx(u)*dt(u)"},
    {"boundary_left_flux(u)", "p*u^2"},
    {"boundary_top_u", "sin(x + t)"},
    {"boundary_right_dn(v)", "u"}};

const Texts small{{"n", "8"}, {"equations", "dt(u) = lap(u)"}};

constexpr double rounding = 1e-12;

TEST_F(Compiled, ItHasTheNumbersOfTheInterpreter) {
  EXPECT_LT(difference(*make(everything, "yes"), *make(everything, "no")), rounding);
  Texts space = everything;
  space["n"] = "4,5,3";
  EXPECT_LT(difference(*make(space, "yes"), *make(space, "no")), rounding);
}

TEST_F(Compiled, TextsHaveTheNumbersOfKernelsInCpp) {
  for (const auto& name : by_hand::names) {
    const auto kernel = by_hand::kernel(PETSC_COMM_WORLD, name, 16);
    EXPECT_LT(difference(*kernel, *make(by_hand::text(name, 16), "yes")), rounding) << name;
    EXPECT_LT(difference(*kernel, *make(by_hand::text(name, 16), "no")), rounding) << name;
  }
}

/// Entries that the matrix keeps for a point.
double entries_of_a_point(const dae::Problem& problem, double points) {
  MatInfo info{};
  core::check(MatGetInfo(problem.create_matrix(), MAT_GLOBAL_SUM, &info));
  return info.nz_used / points;
}

TEST(SystemFromText, IncompleteFactorsHaveTheBlocksOfAKernel) {
  constexpr int n = 52; // smaller ones are factored, and need no zeros
  const auto kernel = by_hand::kernel(PETSC_COMM_WORLD, "cahn_hilliard", n);
  const auto problem = make(by_hand::text("cahn_hilliard", n), "no");
  EXPECT_EQ(entries_of_a_point(*kernel, n * n), 4 * 5);
  EXPECT_EQ(entries_of_a_point(*problem, n * n), 4 * 5);
  EXPECT_EQ(entries_of_a_point(*make(by_hand::text("cahn_hilliard", 16), "no"), 16 * 16), 2 + 2 * 5);
  EXPECT_EQ(entries_of_a_point(*make(by_hand::text("gray_scott", n), "no"), n * n), 2 + 2 * 5); // has multigrid
  const core::Options solver({{"dae_pc_type", "asm"}, {"dae_sub_pc_type", "ilu"}, {"dae_sub_pc_factor_levels", "1"}});
  std::vector<double> steps, iterations;
  for (dae::Problem* each : {kernel.get(), problem.get()}) {
    const auto solution = integrate(*each, {.t_end = 1e-3, .rtol = 1e-4, .atol = 1e-5, .options = solver});
    ASSERT_TRUE(solution.done()) << solution.message();
    steps.push_back(static_cast<double>(solution.statistics().steps));
    iterations.push_back(static_cast<double>(solution.statistics().linear_iterations));
  }
  EXPECT_NEAR(steps[1], steps[0], 2);
  EXPECT_NEAR(iterations[1], iterations[0], 0.05 * iterations[0]); // of the equations' entries alone: half as many more
}

TEST(SystemFromText, ManyFieldsThatMeetAtAPointOnlyKeepFewEntries) {
  EXPECT_EQ(entries_of_a_point(*make({{"n", "52,52"},
                                      {"periodic", "x,y"},
                                      {"fields", "a,b,c"},
                                      {"equations", "dt(a) = lap(a), dt(b) = lap(b), 0 = c - a"}},
                                     "no"),
                               52 * 52),
            2 * 5 + 2); // of 9 * 5
}

TEST_F(Compiled, CodeIsCompiledOnceForEachText) {
  make(small, "yes");
  const auto time = fs::last_write_time(only_code());
  make(small, "yes");
  EXPECT_EQ(fs::last_write_time(only_code()), time);
  Texts other = small;
  other.at("equations").append(" + 0");
  other.insert_or_assign("initial_u", "x + 7"); // no part of the code
  make(other, "yes");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2); // the code and its source
}

TEST_F(Compiled, CodeOthersMayWriteToIsNotLoaded) {
  make(small, "yes");
  fs::permissions(only_code(), fs::perms::others_write | fs::perms::owner_all);
  EXPECT_NE(mistake(small).find("others may write"), std::string::npos);
}

TEST_F(Compiled, AFolderOthersMayWriteToIsNotUsed) {
  make(small, "yes");
  fs::permissions(folder(), fs::perms::all);
  EXPECT_NE(mistake(small).find("others may write"), std::string::npos);
}

TEST_F(Compiled, ALinkIsNotFollowed) {
  make(small, "yes");
  const auto code = only_code();
  fs::rename(code, base_ / "elsewhere.so");
  fs::create_symlink(base_ / "elsewhere.so", code);
  EXPECT_NE(mistake(small), "");
}

TEST_F(Compiled, CodeOfAnotherUserIsNotLoaded) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  make(small, "yes");
  ASSERT_EQ(chown(only_code().c_str(), 1, 1), 0);
  EXPECT_NE(mistake(small).find("another user"), std::string::npos);
}

TEST_F(Compiled, CodeWhoseSourceDiffersIsCompiledAnew) {
  make(small, "yes");
  auto source = only_code();
  source.replace_extension(".c");
  std::ofstream(source) << "planted";
  EXPECT_LT(difference(*make(small, "yes"), *make(small, "no")), rounding);
}

} // namespace
