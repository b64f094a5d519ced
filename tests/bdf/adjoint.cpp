/// Gradients by the sweep back over the steps: against derivatives of the same steps taken again with another parameter,
/// against forward sensitivities, and against published values; on any number of ranks.

#include "problems.hpp"
#include "small_systems.hpp"
#include <rhumb/bdf/history.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<dae::Problem> build(const Words& words) {
  core::Options options;
  for (const auto& [name, value] : words) options.set(name, value);
  return problems::make(PETSC_COMM_WORLD, options);
}

std::size_t index_of(const dae::Problem& problem, const std::string& name) {
  const auto known = problem.parameters();
  return static_cast<std::size_t>(std::ranges::find(known, name, &dae::Parameter::name) - known.begin());
}

/// g = c^T y with some c, the same on any number of ranks.
core::VecHandle some_functional(Vec model) {
  core::VecHandle c = core::same_layout(model);
  PetscInt first = 0;
  check(VecGetOwnershipRange(model, &first, nullptr));
  const core::Writable values(c);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::cos(1.0 + 2.0 * static_cast<double>(first) + 2.0 * static_cast<double>(i));
  return c;
}

double product(Vec a, Vec b) {
  double out = 0.0;
  check(VecDot(a, b, &out));
  return out;
}

std::vector<bdf::Functional> at_end(double t, Vec model) {
  bdf::Functional g;
  g.seeds.push_back({t, some_functional(model), {}});
  std::vector<bdf::Functional> all;
  all.push_back(std::move(g));
  return all;
}

struct Case {
  std::string label;
  Words words;
  std::string parameter;
  double accuracy = 1e-10; ///< dF/dp is known, or its differences are exact
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.label; }
};

bdf::IntegratorOptions recording(const dae::Problem& problem, double rtol) {
  bdf::IntegratorOptions options;
  options.tolerances = problem.default_tolerances();
  const double factor = rtol / options.tolerances.rtol;
  options.tolerances.rtol = rtol;
  options.tolerances.atol *= factor;
  for (double& atol : options.tolerances.atol_of_field) atol *= factor;
  options.adjoint.record = true;
  options.newton_tolerance = 1e-6;
  return options;
}

struct TakenStep {
  double h;
  int order;
};

/// The scheme with given steps and orders, each step solved by Newton to rounding.
class FrozenScheme {
public:
  explicit FrozenScheme(dae::Problem& problem)
      : problem_(problem), y_(problem.create_vector()), matrix_(problem.create_matrix()), history_(y_) {
    for (auto* v : {&ydot_, &correction_, &residual_, &delta_}) *v = core::same_layout(y_);
    KSP whole = nullptr;
    PC pc = nullptr;
    check(KSPCreate(PETSC_COMM_WORLD, solver_.out()));
    check(KSPSetType(solver_, KSPPREONLY));
    check(KSPGetPC(solver_, &pc));
    check(PCSetType(pc, PCREDUNDANT));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(PCRedundantGetKSP(pc, &whole));
    check(KSPGetPC(whole, &pc));
    check(PCSetType(pc, PCLU));
    check(PCFactorSetMatSolverType(pc, MATSOLVERKLU));
  }

  /// c^T y at t_end; the initial values are moved along `direction` where it is given.
  double evaluate(const std::vector<TakenStep>& steps, double t_end, Vec c, Vec direction = nullptr,
                  double part = 0.0) {
    problem_.initial_values(problem_.t_start(), y_, ydot_);
    if (direction) check(VecAXPY(y_, part, direction));
    history_.begin(problem_.t_start(), y_, ydot_, steps.front().h);
    for (const auto& step : steps) take(step);
    history_.interpolate(t_end, steps.back().order, y_, nullptr);
    return product(c, y_);
  }

private:
  void take(const TakenStep& step) {
    const auto c = bdf::coefficients(history_.steps(), step.h, step.order);
    const double t = history_.time() + step.h;
    history_.predict(c, y_, ydot_);
    check(VecSet(correction_, 0.0));
    for (int iteration = 0; iteration < 8; ++iteration) {
      problem_.residual(t, y_, ydot_, residual_);
      problem_.jacobian(t, y_, ydot_, c.leading(), matrix_);
      check(KSPSetOperators(solver_, matrix_, matrix_));
      check(KSPSolve(solver_, residual_, delta_));
      check(VecAXPY(y_, -1.0, delta_));
      check(VecAXPY(ydot_, -c.leading(), delta_));
      check(VecAXPY(correction_, -1.0, delta_));
    }
    history_.commit(c, t, correction_);
  }

  dae::Problem& problem_;
  core::VecHandle y_, ydot_, correction_, residual_, delta_;
  core::MatHandle matrix_;
  core::KspHandle solver_;
  bdf::History history_;
};

/// f'(0) from central differences with three increments, extrapolated.
template <class Function>
double derivative(const Function& f, double step) {
  std::array<double, 3> d{};
  for (std::size_t i = 0; i < d.size(); ++i, step *= 0.5) d[i] = (f(step) - f(-step)) / (2.0 * step);
  const double first = (4.0 * d[1] - d[0]) / 3.0, second = (4.0 * d[2] - d[1]) / 3.0;
  return (16.0 * second - first) / 15.0;
}

class Adjoint : public testing::TestWithParam<Case> {};

TEST_P(Adjoint, IsTheDerivativeOfTheStepsTakenToTenDigits) {
  for (const double rtol : {1e-4, 1e-7}) {
    SCOPED_TRACE(rtol);
    const auto problem = build(GetParam().words);
    const std::size_t index = index_of(*problem, GetParam().parameter);
    bdf::IntegratorOptions options = recording(*problem, rtol);
    options.start = bdf::Start::given;
    options.newton_tolerance = 1e-8;
    bdf::Integrator integrator(*problem, options);
    integrator.start(0.0, problem->t_end());
    std::vector<TakenStep> steps;
    while (integrator.time() < problem->t_end()) {
      const auto outcome = integrator.step();
      steps.push_back({outcome.step.h, outcome.step.order});
    }
    const auto gradient = integrator.gradients(at_end(problem->t_end(), integrator.state()), {index});
    const auto c = some_functional(integrator.state()), direction = core::same_layout(c);
    FrozenScheme frozen(*problem);
    const double value = problem->parameters()[index].value;
    const double truth = derivative(
        [&](double part) {
          problem->set_parameter(index, value * (1.0 + part));
          const double g = frozen.evaluate(steps, problem->t_end(), c);
          problem->set_parameter(index, value);
          return g / value;
        },
        4e-3);
    EXPECT_NEAR(gradient[0].by_parameter[0], truth,
                GetParam().accuracy * std::max(std::abs(truth), 1.0 / std::abs(value)));

    check(VecCopy(c, direction));
    const double along =
        derivative([&](double part) { return frozen.evaluate(steps, problem->t_end(), c, direction, part); }, 1e-3);
    if (GetParam().label.find("pendulum") == std::string::npos) { // its start would have to stay on the constraints
      EXPECT_NEAR(product(gradient[0].by_initial_values, direction), along, 1e-9 * std::max(std::abs(along), 1.0));
    }
  }
}

TEST_P(Adjoint, EqualsForwardSensitivitiesToSixDigits) {
  const auto problem = build(GetParam().words);
  const std::size_t index = index_of(*problem, GetParam().parameter);
  bdf::IntegratorOptions options = recording(*problem, 1e-6);
  options.sensitivities.parameters = {{index, 0.0}};
  bdf::Integrator integrator(*problem, options);
  integrator.start(0.0, problem->t_end());
  integrator.advance(problem->t_end());
  const auto s = integrator.new_vector(), c = some_functional(s);
  integrator.interpolate_sensitivity(0, problem->t_end(), s, nullptr);
  const double forward = product(c, s);
  const auto gradient = integrator.gradients(at_end(problem->t_end(), s), {index});
  EXPECT_NEAR(gradient[0].by_parameter[0], forward, 1e-6 * std::abs(forward));
}

TEST_P(Adjoint, StepsTakenOnceMoreGiveTheSameGradientToTheBit) {
  const auto gradient_with = [&](double memory, long& replayed) {
    const auto problem = build(GetParam().words);
    bdf::IntegratorOptions options = recording(*problem, 1e-9);
    options.adjoint.memory = memory;
    bdf::Integrator integrator(*problem, options);
    integrator.start(0.0, problem->t_end());
    integrator.advance(problem->t_end());
    const auto y = integrator.new_vector();
    check(VecCopy(integrator.state(), y));
    const auto gradient = integrator.gradients(at_end(problem->t_end(), y), {index_of(*problem, GetParam().parameter)});
    check(VecAXPY(y, -1.0, integrator.state()));
    double moved = 0.0;
    check(VecNorm(y, NORM_INFINITY, &moved));
    EXPECT_EQ(moved, 0.0); // the integrator stands where it stood
    replayed = integrator.adjoint_counts().replayed;
    return gradient[0].by_parameter[0];
  };
  const auto model = build(GetParam().words)->create_vector();
  PetscInt size = 0;
  check(VecGetSize(model, &size));
  long none = 0, some = 0;
  const double all = gradient_with(1e9, none);
  const double few = gradient_with(8.0 * static_cast<double>(size) * 130.0, some);
  EXPECT_EQ(none, 0);
  EXPECT_GT(some, 0);
  EXPECT_EQ(all, few);
}

INSTANTIATE_TEST_SUITE_P(
    OfSmallProblems, Adjoint,
    testing::Values(Case{"linear_amplitude", {{"problem", "linear"}}, "amplitude"},
                    Case{"linear_frequency", {{"problem", "linear"}}, "frequency", 2e-9}, // differences of cos(p t)
                    Case{"pendulum_index1", {{"problem", "pendulum"}, {"form", "index1"}}, "g"},
                    Case{"pendulum_index2", {{"problem", "pendulum"}, {"form", "index2"}}, "g"},
                    Case{"pendulum_stabilized", {{"problem", "pendulum"}, {"form", "stabilized"}}, "g"}),
    [](const auto& one) { return one.param.label; });

/// IDAS's example idasRoberts_ASAi_dns: dG/dp = 1.4878e6, -5.9467, 9.9112e-4.
TEST(AdjointIntegral, OfRobertsonsThirdSpeciesHasThePublishedGradient) {
  const auto problem = build({{"problem", "robertson"}});
  bdf::IntegratorOptions options = recording(*problem, 1e-7);
  options.newton_tolerance = 0.15;
  bdf::Integrator integrator(*problem, options);
  integrator.start(0.0, 4e10);
  integrator.advance(4e10);
  bdf::Functional g;
  const auto third = integrator.new_vector();
  PetscInt first = 0, last = 0;
  check(VecGetOwnershipRange(third, &first, &last));
  if (first <= 2 && 2 < last) check(VecSetValue(third, 2, 1.0, INSERT_VALUES));
  check(VecAssemblyBegin(third));
  check(VecAssemblyEnd(third));
  g.integrals.push_back({4e10, [&](double, Vec y, Vec) { return product(third, y); },
                         [&](double, Vec, Vec, Vec by_y) { check(VecCopy(third, by_y)); }});
  std::vector<bdf::Functional> all;
  all.push_back(std::move(g));
  const auto gradient = integrator.gradients(std::move(all), {0, 1, 2});
  EXPECT_NEAR(gradient[0].integrals[0], 4e10, 1e-4 * 4e10);
  const std::array published{1.4878e6, -5.9467, 9.9112e-4}, converged{1487715.7, -5.9462715, 9.9104935e-4};
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_NEAR(gradient[0].by_parameter[i] / published[i], 1.0, 1e-4);
    EXPECT_NEAR(gradient[0].by_parameter[i] / converged[i], 1.0, 1e-5); // at rtol 1e-10
  }
}

} // namespace
