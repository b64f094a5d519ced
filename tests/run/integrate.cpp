/// A run is a function call: nothing is global, nothing is written unless asked for, and the states are in memory.

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/integrate.hpp>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>

using namespace rhumb;
using core::check;

namespace {

/// sin(pi x) e^{-pi^2 t} on a rod, up to the error of second differences.
std::unique_ptr<dae::Problem> rod(MPI_Comm comm, int cells = 64) {
  return heat::make_heat(comm, Options()
                                   .with("n", cells)
                                   .with("initial", "sin(pi*x)")
                                   .with("k", 1.0)
                                   .with("bc_left_type", "dirichlet")
                                   .with("bc_left_value", "0")
                                   .with("bc_right_type", "dirichlet")
                                   .with("bc_right_value", "0"));
}

double largest(Vec y) {
  double value = 0.0;
  check(VecMax(y, nullptr, &value));
  return value;
}

double decay(double t) {
  return std::exp(-std::numbers::pi * std::numbers::pi * t);
}

const Settings exactly{.t_end = 0.1, .rtol = 1e-7, .atol = 1e-9, .output_times = {0.02, 0.05, 0.1}};

/// Half of the ranks.
class HalfOfRanks {
public:
  HalfOfRanks() {
    const int rank = core::rank_of(PETSC_COMM_WORLD);
    second_ = rank >= core::size_of(PETSC_COMM_WORLD) / 2;
    core::check_mpi(MPI_Comm_split(PETSC_COMM_WORLD, second_ ? 1 : 0, rank, &comm_));
  }
  ~HalfOfRanks() { MPI_Comm_free(&comm_); }
  HalfOfRanks(const HalfOfRanks&) = delete;
  HalfOfRanks& operator=(const HalfOfRanks&) = delete;
  MPI_Comm comm() const { return comm_; }
  bool second() const { return second_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool second_ = false;
};

} // namespace

TEST(Integrate, StatesAtTheTimesAskedForAreInMemory) {
  const auto problem = rod(PETSC_COMM_WORLD);
  const Solution s = integrate(*problem, exactly);
  ASSERT_TRUE(s.done()) << s.message();
  EXPECT_EQ(s.reason(), "done");
  EXPECT_EQ(s.output_times, (std::vector<double>{0.02, 0.05, 0.1}));
  for (const double t : s.output_times) EXPECT_NEAR(largest(s.at(t)), decay(t), 3e-4 * decay(t)) << t;
  EXPECT_EQ(s.t, 0.1);
  EXPECT_GT(s.statistics().steps, 10);
}

TEST(Integrate, WithoutAFolderNothingIsWritten) {
  const auto count = [] { return std::distance(std::filesystem::directory_iterator("."), {}); };
  const auto before = count();
  const auto problem = rod(PETSC_COMM_WORLD);
  ASSERT_TRUE(integrate(*problem, exactly).done());
  EXPECT_EQ(count(), before);
}

TEST(Integrate, TheLastStepHasDenseOutputAndWithDenseOutputAllOfTheRun) {
  const auto problem = rod(PETSC_COMM_WORLD);
  const Solution last = integrate(*problem, {.t_end = 0.1, .rtol = 1e-7, .atol = 1e-9});
  EXPECT_NEAR(largest(last.at(0.0999)), decay(0.0999), 3e-4 * decay(0.0999));
  EXPECT_THROW(last.at(0.01), core::BadInput);
  Settings settings = exactly;
  settings.dense_output = true;
  const auto again = rod(PETSC_COMM_WORLD);
  const Solution all = integrate(*again, settings);
  for (int i = 0; i <= 50; ++i) {
    const double t = 0.002 * i;
    EXPECT_NEAR(largest(all.at(t)), decay(t), 4e-4) << t;
  }
}

TEST(Integrate, TheSecondRunSeesNothingOfTheFirst) {
  const auto one = rod(PETSC_COMM_WORLD);
  const Solution first = integrate(*one, exactly);
  const auto other = rod(PETSC_COMM_WORLD);
  Settings settings = exactly;
  settings.options.set("dae_pc_type", "jacobi"); // of this run alone
  settings.options.set("dae_max_order", "2");
  ASSERT_TRUE(integrate(*other, settings).done());
  const auto third = rod(PETSC_COMM_WORLD);
  const Solution again = integrate(*third, exactly);
  EXPECT_EQ(first.statistics().steps, again.statistics().steps);
  EXPECT_EQ(first.statistics().linear_iterations, again.statistics().linear_iterations);
  const core::Readable a(first.y), b(again.y);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(Integrate, TwoRunsAtOnceOnTwoHalvesAreThoseOfOneAfterTheOther) {
  const HalfOfRanks half;
  const auto problem = rod(half.comm(), half.second() ? 40 : 64);
  const Solution s = integrate(*problem, exactly);
  ASSERT_TRUE(s.done()) << s.message();
  const auto alone = rod(PETSC_COMM_SELF, half.second() ? 40 : 64);
  const Solution expected = integrate(*alone, exactly);
  EXPECT_NEAR(largest(s.at(0.05)), largest(expected.at(0.05)), 1e-6);
  PetscInt size = 0;
  check(VecGetSize(s.y, &size));
  EXPECT_EQ(size, half.second() ? 41 : 65);
}

/// Runs another problem at every tenth step of the run around it.
class RunsAnother : public run::Observer {
public:
  void output(double t, Vec, Vec) override {
    ++runs;
    next_ = t + 0.02;
    const auto inner = rod(PETSC_COMM_WORLD, 32);
    Settings settings = exactly;
    settings.options.set("dae_pc_type", "jacobi");
    good = good && integrate(*inner, settings).done();
  }
  std::optional<double> next_output() const override { return next_ <= 0.1 ? std::optional(next_) : std::nullopt; }
  int runs = 0;
  bool good = true;

private:
  double next_ = 0.01;
};

TEST(Integrate, ARunInsideAnObserverOfAnotherChangesNothing) {
  const auto alone = rod(PETSC_COMM_WORLD), around = rod(PETSC_COMM_WORLD);
  const auto observer = std::make_shared<RunsAnother>();
  const Solution expected = integrate(*alone, exactly), s = integrate(*around, exactly, {observer});
  EXPECT_EQ(observer->runs, 5);
  EXPECT_TRUE(observer->good);
  EXPECT_EQ(s.statistics().steps, expected.statistics().steps);
  const core::Readable a(s.y), b(expected.y);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(Integrate, AFailureIsAValueWithItsLastGoodState) {
  const auto problem = rod(PETSC_COMM_WORLD);
  Settings settings = exactly;
  settings.options.set("dae_max_steps", "3");
  const Solution s = integrate(*problem, settings);
  EXPECT_FALSE(s.done());
  EXPECT_EQ(s.code(), core::ExitCode::solver_gave_up);
  EXPECT_NE(s.message().find("steps"), std::string::npos) << s.message();
  EXPECT_GT(s.t, 0.0);
  EXPECT_NEAR(largest(s.y), decay(s.t), 1e-3);
}

TEST(Integrate, AnOptionThatNobodyReadsIsRejected) {
  const auto problem = rod(PETSC_COMM_WORLD);
  Settings settings = exactly;
  settings.options.set("dae_rtoll", "1e-3");
  const Solution s = integrate(*problem, settings);
  EXPECT_EQ(s.code(), core::ExitCode::bad_input);
  EXPECT_NE(s.message().find("-dae_rtol"), std::string::npos) << s.message();
}

TEST(Integrate, FlowFromCodeHasItsFigures) {
  const auto flow =
      flow::make_flow(PETSC_COMM_WORLD, Options().with("problem", "cavity").with("re", 100).with("n", "16,16"));
  const Solution s = integrate(*flow, {.t_end = 0.5, .rtol = 1e-4, .output_times = {0.25, 0.5}});
  ASSERT_TRUE(s.done()) << s.message();
  EXPECT_LT(s.value("divergence"), 1e-6);
  EXPECT_THROW(s.figure("divergenc"), core::BadInput);
}

TEST(Integrate, ADirectSolveThatOnlyTheRunKnowsOfPinsThePressureOfAFlow) {
  const Options cavity = Options().with("problem", "cavity").with("re", 100).with("n", "8,8");
  Settings iterative{.t_end = 0.2, .rtol = 1e-6}, direct = iterative;
  direct.options.set("dae_pc_type", "lu");
  const auto flow = flow::make_flow(PETSC_COMM_WORLD, cavity);
  const Solution by_iterations = integrate(*flow, iterative), by_factors = integrate(*flow, direct);
  ASSERT_TRUE(by_factors.done()) << by_factors.message();
  EXPECT_LT(by_factors.value("divergence_max_over_steps"), 1e-12);
  EXPECT_NEAR(by_factors.value("kinetic_energy") / by_iterations.value("kinetic_energy"), 1.0, 1e-4);
  const Solution again = integrate(*flow, iterative); // sees nothing of the one before
  EXPECT_EQ(again.statistics().linear_iterations, by_iterations.statistics().linear_iterations);
  EXPECT_EQ(again.value("kinetic_energy"), by_iterations.value("kinetic_energy"));
  EXPECT_GT(again.statistics().linear_iterations, 0);

  const auto mean = flow::make_flow(PETSC_COMM_WORLD, cavity.with("pressure_level", "mean"));
  EXPECT_EQ(integrate(*mean, direct).code(), core::ExitCode::bad_input);
}

TEST(PetscOptionsScope, PetscSeesTheInnermostOptionsAndTheOldOnesAfterwards) {
  const Options outer = Options().with("a", 1), inner = Options().with("b", 2);
  EXPECT_FALSE(core::option_given("a"));
  {
    const core::PetscOptionsScope one(outer);
    EXPECT_TRUE(core::option_given("a"));
    {
      const core::PetscOptionsScope two(inner);
      EXPECT_FALSE(core::option_given("a"));
      EXPECT_TRUE(core::option_given("b"));
      const core::PetscOptionsScope three(outer); // the same a second time
      EXPECT_TRUE(core::option_given("a"));
    }
    EXPECT_TRUE(core::option_given("a"));
    EXPECT_FALSE(core::option_given("b"));
  }
  EXPECT_FALSE(core::option_given("a"));
}

TEST(PetscOptionsScope, ValuesOfACaseFileAreKeptFromPetsc) {
  Options options;
  options.add_file_values({{"ksp_view", "ascii:x", "case.yaml:1:1"}});
  options.add_solver_values({{"dae_pc_type", "lu", "case.yaml:2:1"}});
  const core::PetscOptionsScope scope(options);
  EXPECT_FALSE(core::option_given("ksp_view"));
  EXPECT_TRUE(core::option_given("dae_pc_type"));
  EXPECT_EQ(options.unread().size(), 1U);
}
