/// Every problem of rhumb-dae is what it says: its Jacobian and mass product are the derivatives of its residual, its
/// kinds fit its equations, its exact solution solves it.

#include "problems.hpp"
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace rhumb;
using core::check;
using dae::Kind;

namespace {

const std::string apps = RHUMB_DAE_CASES "/";

using Words = std::vector<std::pair<std::string, std::string>>;

struct Case {
  std::string label;
  Words options;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.label; }
};

/// A problem built as the driver builds it.
std::unique_ptr<dae::Problem> build(const Words& words) {
  core::Options options;
  for (const auto& [name, value] : words) options.set(name, value);
  return problems::make(PETSC_COMM_WORLD, options);
}

std::vector<double> local_values(Vec v) {
  const core::Readable values(v);
  return {values.begin(), values.end()};
}

double largest(Vec v) {
  double norm = 0.0;
  check(VecNorm(v, NORM_INFINITY, &norm));
  return norm;
}

class DaeProblem : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    problem = build(GetParam().options);
    y = problem->create_vector();
    ydot = core::same_layout(y);
    problem->initial_values(problem->t_start(), y, ydot);
    check(VecGetSize(y, &size));
    t = problem->t_start() + 0.3;
  }

  core::VecHandle like(Vec model) const {
    auto copy = core::same_layout(model);
    check(VecCopy(model, copy));
    return copy;
  }

  /// Moves y and y' to a random state near the start, where the equations still have values.
  void disturb(double amount) {
    auto shift = [&](Vec v, double floor) {
      const core::Writable values(v);
      for (double& x : values) x += amount * uniform(random) * (std::abs(x) + floor);
    };
    shift(y, 0.1);
    shift(ydot, 1.0);
  }

  /// v = 1e-4 (|y_j| + 0.01) e_j, at most 20: positions of a flight are large, layers of air are not.
  static void keep_entry(Vec v, PetscInt j) {
    PetscInt first = 0;
    check(VecGetOwnershipRange(v, &first, nullptr));
    const core::Writable values(v);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = first + static_cast<PetscInt>(i) == j ? std::min(20.0, 1e-4 * (std::abs(values[i]) + 0.01)) : 0.0;
  }

  core::VecHandle random_direction(Vec scale) {
    auto v = like(scale);
    const core::Writable values(v);
    for (double& x : values) x = uniform(random) * (std::abs(x) + 0.1);
    return v;
  }

  /// (F(y + e v, y' + alpha e v) - F(y - e v, y' - alpha e v)) / 2e, with the parts of y and y' weighted.
  core::VecHandle difference(Vec v, double part_y, double part_ydot, double e) {
    auto out = core::same_layout(y);
    auto f = core::same_layout(y);
    for (const double sign : {1.0, -1.0}) {
      auto at = like(y), rate = like(ydot);
      check(VecAXPY(at, sign * e * part_y, v));
      check(VecAXPY(rate, sign * e * part_ydot, v));
      problem->residual(t, at, rate, f);
      check(VecAXPY(out, sign / (2.0 * e), f));
    }
    return out;
  }

  /// Each entry of `got` is that of `wanted` to `relative` times the scale of the row.
  static void expect_near(Vec got, Vec wanted, Vec scale, double relative, const std::string& what) {
    const auto a = local_values(got), b = local_values(wanted), s = local_values(scale);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], relative * s[i]) << what << ", row " << i;
  }

  /// The largest entry of each row, times the largest entry of v, plus one.
  core::VecHandle row_scale(Mat matrix, Vec v) const {
    auto scale = core::same_layout(y);
    check(MatGetRowMaxAbs(matrix, scale, nullptr));
    check(VecScale(scale, largest(v)));
    check(VecShift(scale, 1.0));
    return scale;
  }

  std::unique_ptr<dae::Problem> problem;
  core::VecHandle y, ydot;
  PetscInt size = 0;
  double t = 0.0;
  std::mt19937 random{7};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
};

TEST_P(DaeProblem, JacobianIsTheDerivativeOfTheResidual) {
  ASSERT_TRUE(problem->offers().jacobian);
  const auto matrix = problem->create_matrix();
  auto product = core::same_layout(y), noise = core::same_layout(y);
  for (const double alpha : {0.0, 3.0, 250.0}) {
    disturb(0.01);
    problem->jacobian(t, y, ydot, alpha, matrix);
    check(MatGetRowMaxAbs(matrix, noise, nullptr));
    for (PetscInt j = 0; j < size; ++j) { // one column at a time, in steps of the variable's own size
      auto v = like(y);
      keep_entry(v, j);
      check(MatMult(matrix, v, product));
      const auto wanted = local_values(difference(v, 1.0, alpha, 1.0));
      const auto got = local_values(product), rows = local_values(noise), at = local_values(y);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], 1e-5 * std::abs(wanted[i]) + 1e-12 * rows[i] * (std::abs(at[i]) + 1.0))
            << "row " << i << ", column " << j << ", alpha " << alpha;
    }
  }
}

TEST_P(DaeProblem, MassProductIsTheDerivativeByTheRates) {
  ASSERT_TRUE(problem->offers().mass_product);
  disturb(0.01);
  const auto matrix = problem->create_matrix();
  auto product = core::same_layout(y), through_matrix = core::same_layout(y), part = core::same_layout(y);
  for (int k = 0; k < 5; ++k) {
    const auto v = random_direction(ydot);
    problem->mass_product(t, y, ydot, v, product);
    problem->jacobian(t, y, ydot, 1e6, matrix);
    check(MatMult(matrix, v, through_matrix));
    problem->jacobian(t, y, ydot, 0.0, matrix);
    check(MatMult(matrix, v, part));
    check(VecAXPY(through_matrix, -1.0, part));
    check(VecScale(through_matrix, 1e-6));
    const auto scale = row_scale(matrix, v);
    expect_near(product, through_matrix, scale, 1e-9, "against the Jacobian");
    expect_near(product, difference(v, 0.0, 1.0, 1e-2), scale, 1e-9, "against the residual");
  }
}

TEST_P(DaeProblem, KindsFitTheEquations) {
  std::array<double, 4> variables{}, equations{};
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(y, &first, &last));
  const auto fields = problem->fields();
  for (PetscInt i = 0; i < last - first; ++i) {
    ++variables[static_cast<std::size_t>(problem->variable_kind(i))];
    ++equations[static_cast<std::size_t>(problem->equation_kind(i))];
    EXPECT_EQ(problem->variable_kind(i), fields[problem->field_of(i)].kind);
  }
  EXPECT_EQ(variables[0], equations[0]);
  // In a network the currents of a whole loop are of index 2, for one row.
  EXPECT_LE(equations[2] + equations[3], variables[2] + variables[3]);
  EXPECT_EQ(equations[2] + equations[3] > 0.0, variables[2] + variables[3] > 0.0);

  disturb(0.01);
  const auto v = random_direction(ydot);
  auto product = core::same_layout(y);
  problem->mass_product(t, y, ydot, v, product);
  const auto values = local_values(product);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool differential = problem->equation_kind(static_cast<PetscInt>(i)) == Kind::differential;
    EXPECT_EQ(values[i] != 0.0, differential) << "row " << i << " holds a derivative exactly where it is differential";
  }
}

TEST_P(DaeProblem, ConstraintsOfHigherIndexDoNotHoldTheirOwnVariables) {
  disturb(0.01);
  auto v = random_direction(y);
  {
    const core::Writable values(v);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (problem->variable_kind(static_cast<PetscInt>(i)) < Kind::index2) values[i] = 0.0;
  }
  const auto change = local_values(difference(v, 1.0, 1.0, 1e-3));
  for (std::size_t i = 0; i < change.size(); ++i)
    if (problem->equation_kind(static_cast<PetscInt>(i)) >= Kind::index2) {
      EXPECT_EQ(change[i], 0.0) << "row " << i;
    }
}

TEST_P(DaeProblem, HiddenConstraintIsTheTimeDerivativeOfTheIndexTwoRows) {
  if (!problem->offers().hidden_constraint) GTEST_SKIP() << "no index-2 rows";
  disturb(0.01);
  const double e = 1e-6 * std::min(1.0, problem->t_end() - problem->t_start());
  auto ahead = core::same_layout(y), behind = core::same_layout(y), hidden = core::same_layout(y);
  auto at = like(y);
  check(VecAXPY(at, e, ydot));
  problem->residual(t + e, at, ydot, ahead);
  check(VecAXPY(at, -2.0 * e, ydot));
  problem->residual(t - e, at, ydot, behind);
  check(VecAXPY(ahead, -1.0, behind));
  check(VecScale(ahead, 0.5 / e));
  check(VecSet(hidden, 77.0));
  problem->hidden_constraint(t, y, ydot, hidden);
  const auto wanted = local_values(ahead), got = local_values(hidden);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (problem->equation_kind(static_cast<PetscInt>(i)) == Kind::index2) {
      EXPECT_NEAR(got[i], wanted[i], 1e-7 * (1.0 + std::abs(wanted[i]))) << "row " << i;
    } else {
      EXPECT_EQ(got[i], 77.0) << "row " << i << " must be left alone";
    }
  }
}

TEST_P(DaeProblem, ExactSolutionSolvesTheEquations) {
  if (!problem->offers().exact) GTEST_SKIP() << "no exact solution known";
  auto f = core::same_layout(y), rate = core::same_layout(y), value = core::same_layout(y);
  const double begin = problem->t_start(), length = problem->t_end() - begin;
  for (const double where : {0.11, 0.5, 0.93}) {
    const double at = begin + where * length, h = 1e-3 * std::min(1.0, length);
    check(VecZeroEntries(rate));
    // f' = (8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))) / 12h
    for (const auto& [offset, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      problem->exact(at + offset * h, value);
      check(VecAXPY(rate, weight / (12.0 * h), value));
    }
    problem->exact(at, value);
    problem->residual(at, value, rate, f);
    const double rounding = 4e-15 * largest(value) / h;
    EXPECT_LT(largest(f), 1e-9 * (1.0 + largest(rate)) + rounding) << "t = " << at;
  }
}

TEST_P(DaeProblem, StartValuesAreConsistent) {
  if (problem->name() == "foodweb" || problem->name() == "circuit")
    GTEST_SKIP() << "its algebraic variables are left to the consistent start";
  auto f = core::same_layout(y);
  problem->residual(problem->t_start(), y, ydot, f);
  EXPECT_LT(largest(f), 1e-11);
  if (!problem->offers().exact) return;
  problem->exact(problem->t_start(), f);
  check(VecAXPY(f, -1.0, y));
  EXPECT_LT(largest(f), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(
    Each, DaeProblem,
    testing::Values(
        Case{"robertson", {{"problem", "robertson"}}},
        Case{"pendulum_index1", {{"problem", "pendulum"}, {"form", "index1"}}},
        Case{"pendulum_index2", {{"problem", "pendulum"}, {"form", "index2"}}},
        Case{"pendulum_stabilized", {{"problem", "pendulum"}, {"form", "stabilized"}}},
        Case{"pendulum_index3", {{"problem", "pendulum"}, {"form", "index3"}}},
        Case{"sieber1", {{"problem", "sieber1"}, {"c", "100"}}},
        Case{"sieber2", {{"problem", "sieber2"}, {"c", "100"}}}, Case{"hessenberg2", {{"problem", "hessenberg2"}}},
        Case{"moving_geometry", {{"problem", "moving_geometry"}, {"delta", "-3"}, {"mu", "0.5"}}},
        Case{"jump", {{"problem", "jump"}, {"c", "3"}}},
        Case{"trajectory_index1", {{"problem", "trajectory"}, {"form", "index1"}}},
        Case{"trajectory_index2", {{"problem", "trajectory"}, {"form", "index2"}}},
        Case{"trajectory_inertial", {{"problem", "trajectory"}, {"form", "inertial"}}},
        Case{"drag_index1", {{"problem", "drag"}, {"form", "index1"}}},
        Case{"drag_index2", {{"problem", "drag"}, {"form", "index2"}}},
        Case{"drag_index3", {{"problem", "drag"}, {"form", "index3"}}},
        Case{"squeezer_index1", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "index1"}}},
        Case{"squeezer_index2", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "index2"}}},
        Case{"squeezer_index3", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "index3"}}},
        Case{"squeezer_stabilized", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "stabilized"}}},
        Case{"squeezer_baumgarte", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "baumgarte"}}},
        Case{"squeezer_invariants", {{"problem", "mechanism"}, {"case", "squeezer"}, {"form", "invariants"}}},
        Case{"crank_stabilized", {{"problem", "mechanism"}, {"case", "crank"}, {"form", "stabilized"}}},
        Case{"crank_invariants", {{"problem", "mechanism"}, {"case", "crank"}, {"form", "invariants"}}},
        Case{"plane_mechanism", {{"problem", "mechanism"}, {"case", apps + "mechanism/slider_crank.yaml"}}},
        Case{"chain", {{"problem", "mechanism"}, {"case", "chain"}, {"links", "3"}, {"form", "index2"}}},
        Case{"circuit_index1", {{"problem", "circuit"}, {"netlist", apps + "lowpass.net"}}},
        Case{"circuit_index2", {{"problem", "circuit"}, {"netlist", apps + "divider.net"}}},
        Case{"spice_differentiator", {{"problem", "circuit"}, {"netlist", apps + "spice/circuits/differentiator.cir"}}},
        Case{"spice_rectifier", {{"problem", "circuit"}, {"netlist", apps + "spice/circuits/rectifier.cir"}}},
        Case{"spice_amplifier", {{"problem", "circuit"}, {"netlist", apps + "spice/circuits/amplifier.cir"}}},
        Case{"spice_transformer", {{"problem", "circuit"}, {"netlist", apps + "spice/circuits/transformer.cir"}}},
        Case{"bounce", {{"problem", "bounce"}}}, Case{"linear", {{"problem", "linear"}}},
        Case{"foodweb", {{"problem", "foodweb"}, {"n", "9"}}}),
    [](const auto& test) { return test.param.label; });

TEST(DaeProblems, PendulumEndsWhereHighPrecisionPutsIt) {
  // t = 1, by a Taylor method with 30 digits
  const std::array<double, 6> truth{0.1349949261277573779, 0.99084628975424908155, -1.7109515822858759843,
                                    0.2331035447648866278, 3.9725388692627472446,  0.0};
  const auto problem = build({{"problem", "pendulum"}, {"form", "stabilized"}});
  const auto y = problem->create_vector();
  problem->exact(1.0, y);
  const auto values = local_values(y);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], truth[i], 4e-15) << "entry " << i;
}

TEST(DaeProblems, TrajectoryIsThatOfTheBook) {
  const auto problem = build({{"problem", "trajectory"}, {"form", "index2"}});
  const auto y = problem->create_vector();
  problem->exact(0.0, y);
  const auto begin = local_values(y);
  problem->exact(300.0, y);
  const auto end = local_values(y);
  if (end.empty()) return;
  EXPECT_NEAR(begin[6], -0.05220958616134, 1e-9); // beta
  EXPECT_NEAR(begin[7], 2.6728700742, 1e-7);      // alpha
  // BCP section 6.3, t = 300 s: H, xi, latitude, V, gamma, A, beta, alpha
  const std::array<double, 8> book{14200.8114, 4.17108462, 2.33149735, 1433.29213,
                                   -10.0,      135.0,      26.3775452, 7.15558457};
  for (std::size_t i = 0; i < book.size(); ++i) EXPECT_NEAR(end[i] / book[i], 1.0, 1e-7) << "field " << i;
}

TEST(DaeProblems, DragFlightIsThatOfTheBook) {
  const auto problem = build({{"problem", "drag"}});
  const auto y = problem->create_vector();
  problem->exact(419.868734542, y);
  const auto end = local_values(y);
  if (end.empty()) return;
  // BCP table 6.3.3: H, xi, latitude, V, gamma (printed without its first zero), A, beta
  const std::array<double, 7> book{248938.336,    183.872404, 34.4379042, 23816.7047,
                                   -0.0968790848, 67.4966785, 61.5493127};
  for (std::size_t i = 0; i < book.size(); ++i) EXPECT_NEAR(end[i] / book[i], 1.0, 1e-8) << "field " << i;
}

TEST(DaeProblems, ElementsOfCircuitsAndMechanismsAreParameters) {
  const std::vector<std::pair<Words, std::string>> named{
      {{{"problem", "circuit"}, {"netlist", apps + "spice/circuits/amplifier.cir"}}, "r1"},
      {{{"problem", "circuit"}, {"netlist", apps + "spice/circuits/transformer.cir"}}, "l2"},
      {{{"problem", "mechanism"}, {"case", "squeezer"}}, "torque"},
      {{{"problem", "mechanism"}, {"case", apps + "mechanism/slider_crank.yaml"}}, "buffer_stiffness"}};
  for (const auto& [words, name] : named) {
    const auto problem = build(words);
    const auto y = problem->create_vector();
    const auto ydot = core::same_layout(y);
    auto before = core::same_layout(y), after = core::same_layout(y);
    problem->initial_values(0.0, y, ydot);
    check(VecShift(y, 0.3));
    check(VecShift(ydot, 0.7));
    problem->residual(0.0, y, ydot, before);
    const auto all = problem->parameters();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
    ASSERT_NE(found, all.end()) << name;
    problem->set_parameter(static_cast<std::size_t>(found - all.begin()), 1.5 * found->value);
    problem->residual(0.0, y, ydot, after);
    check(VecAXPY(after, -1.0, before));
    EXPECT_GT(largest(after), 1e-9) << name;
  }
}

TEST(DaeProblems, RoughStartIsInconsistent) {
  for (const std::string name : {"robertson", "linear"}) {
    const auto problem = build({{"problem", name}, {"start_values", "rough"}});
    const auto y = problem->create_vector();
    const auto ydot = core::same_layout(y);
    auto f = core::same_layout(y);
    problem->initial_values(0.0, y, ydot);
    problem->residual(0.0, y, ydot, f);
    EXPECT_EQ(largest(ydot), 0.0);
    EXPECT_GT(largest(f), 0.01) << name;
  }
}

TEST(DaeProblems, RoughStartsAreFoundConsistent) {
  const double rounding = 1e-10, hundredth_of_tolerance = 1e-7; // the food web has 1e-5
  const std::vector<std::pair<Words, double>> rough{
      {{{"problem", "robertson"}, {"start_values", "rough"}}, rounding},
      {{{"problem", "pendulum"}, {"form", "stabilized"}, {"start_values", "rough"}}, rounding},
      {{{"problem", "hessenberg2"}, {"start_values", "rough"}}, rounding},
      {{{"problem", "circuit"}, {"netlist", apps + "divider.net"}}, rounding},
      {{{"problem", "foodweb"}, {"n", "20"}}, hundredth_of_tolerance}};
  for (const auto& [words, part] : rough) {
    const auto problem = build(words);
    const double t = problem->t_start();
    bdf::IntegratorOptions options;
    options.tolerances = problem->default_tolerances();
    bdf::Integrator integrator(*problem, options);
    integrator.start(t, problem->t_end());
    const Vec y = integrator.state(), ydot = integrator.derivative();
    auto f = core::same_layout(y), scale = core::same_layout(y);
    problem->residual(t, y, ydot, f);
    const auto matrix = problem->create_matrix();
    problem->jacobian(t, y, ydot, 1.0, matrix);
    check(MatGetRowMaxAbs(matrix, scale, nullptr));
    const auto values = local_values(f), rows = local_values(scale);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_LE(std::abs(values[i]), part * rows[i]) << problem->name() << ", row " << i;
  }
}

/// One entry of its Jacobian is wrong.
class WrongJacobian final : public dae::Problem {
public:
  explicit WrongJacobian(std::unique_ptr<dae::Problem> right) : right_(std::move(right)) {}
  std::string name() const override { return "wrong"; }
  double t_end() const override { return right_->t_end(); }
  std::vector<dae::Field> fields() const override { return right_->fields(); }
  core::VecHandle create_vector() const override { return right_->create_vector(); }
  void initial_values(double t, Vec y, Vec ydot) override { right_->initial_values(t, y, ydot); }
  void residual(double t, Vec y, Vec ydot, Vec f) override { right_->residual(t, y, ydot, f); }
  dae::Offers offers() const override { return {.jacobian = true}; }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat matrix) override {
    right_->jacobian(t, y, ydot, alpha, matrix);
    PetscInt first = 0, last = 0;
    check(MatGetOwnershipRange(matrix, &first, &last));
    if (first == 0 && last > 0) check(MatSetValue(matrix, 0, 1, 0.5, INSERT_VALUES)); // x2 in the first row: -1
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }

private:
  std::unique_ptr<dae::Problem> right_;
};

TEST(DaeProblems, WrongJacobianIsFoundByTheCheck) {
  bdf::IntegratorOptions options;
  options.check_jacobian = true;
  auto right = build({{"problem", "sieber1"}});
  EXPECT_NO_THROW(bdf::Integrator(*right, options).start(0.0, 1.0));
  WrongJacobian wrong(std::move(right));
  EXPECT_THROW(bdf::Integrator(wrong, options).start(0.0, 1.0), core::BadInput);
}

TEST(DaeProblems, UnknownProblemIsRefusedWithTheNearestName) {
  try {
    build({{"problem", "robertsn"}});
    FAIL() << "it must be refused";
  } catch (const std::runtime_error& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("robertson"), std::string::npos) << refusal.what();
  }
}

TEST(DaeProblems, RobertsonMeasuresItsErrorInTheTolerancesOfTheRun) {
  const auto problem = build({{"problem", "robertson"}, {"dae_rtol", "1e-6"}, {"dae_atol_y3", "1e-3"}});
  const auto y = problem->create_vector();
  {
    const core::Writable values(y);
    if (values.size() > 0) { // at t = 0.4, y3 off by 1e-3
      values[0] = 0.9851721138609898;
      values[1] = 3.386395378974899e-05;
      values[2] = 0.014794022185220452 + 1e-3;
    }
  }
  problem->watch(0.4, y, y);
  const auto figures = problem->report(0.4, y, y);
  ASSERT_EQ(figures[0].first, "max_weighted_error");
  const double weight = 1e-6 * 0.014794022185220452 + 1e-3;
  EXPECT_NEAR(std::get<double>(figures[0].second), 1e-3 / weight / std::sqrt(3.0), 1e-9);
}

} // namespace
