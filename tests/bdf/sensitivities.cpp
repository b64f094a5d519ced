/// dy/dp against derivatives of exact solutions: index 1 and 2, both correctors, all orders, on any number of ranks.

#include "problems.hpp"
#include "small_systems.hpp"
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
  const auto found = std::ranges::find(known, name, &dae::Parameter::name);
  return static_cast<std::size_t>(found - known.begin());
}

/// Central differences of the exact solution with two increments, extrapolated: ten digits and more.
core::VecHandle exact_sensitivity(dae::Problem& problem, std::size_t index, double t) {
  const double value = problem.parameters()[index].value;
  const auto above = problem.create_vector(), below = problem.create_vector();
  const auto difference = [&](double step) {
    problem.set_parameter(index, value + step);
    problem.exact(t, above);
    problem.set_parameter(index, value - step);
    problem.exact(t, below);
    problem.set_parameter(index, value);
    auto out = core::same_layout(above);
    check(VecWAXPY(out, -1.0, below, above));
    check(VecScale(out, 0.5 / step));
    return out;
  };
  const double step = 2e-3 * std::abs(value);
  auto fine = difference(0.5 * step);
  const auto coarse = difference(step);
  check(VecScale(fine, 4.0 / 3.0));
  check(VecAXPY(fine, -1.0 / 3.0, coarse));
  return fine;
}

/// The largest error of p dy/dp over its tolerance, rtol |p dy/dp| + atol.
double error_in_tolerances(Vec s, Vec truth, double value, const dae::Tolerances& tolerances) {
  const core::Readable computed(s), exact(truth);
  double worst = 0.0;
  for (std::size_t i = 0; i < computed.size(); ++i)
    worst = std::max(worst, std::abs(value * (computed[i] - exact[i])) /
                                (tolerances.rtol * std::abs(value * exact[i]) + tolerances.atol));
  double all = 0.0;
  core::check_mpi(MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  return all;
}

struct Case {
  std::string label;
  Words words;
  std::string parameter;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.label; }
};

/// The error at the end of the problem's interval.
double error_at_end(const Case& of, const bdf::IntegratorOptions& wanted) {
  const auto problem = build(of.words);
  bdf::IntegratorOptions options = wanted;
  const std::size_t index = index_of(*problem, of.parameter);
  options.sensitivities.parameters = {{index, 0.0}};
  bdf::Integrator integrator(*problem, options);
  integrator.start(0.0, problem->t_end());
  integrator.advance(problem->t_end());
  const auto s = integrator.new_vector();
  integrator.interpolate_sensitivity(0, problem->t_end(), s, nullptr);
  const auto truth = exact_sensitivity(*problem, index, problem->t_end());
  return error_in_tolerances(s, truth, problem->parameters()[index].value, options.tolerances);
}

class Sensitivities : public testing::TestWithParam<Case> {};

/// Their errors do not bound the steps: those of y do.
TEST_P(Sensitivities, AreTheDerivativesOfTheExactSolutionWithin100Tolerances) {
  for (const auto corrector : {bdf::SensitivityCorrector::staggered, bdf::SensitivityCorrector::simultaneous})
    for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9}) {
      SCOPED_TRACE(rtol);
      bdf::IntegratorOptions options;
      options.tolerances = {.rtol = rtol, .atol = rtol};
      options.sensitivities.corrector = corrector;
      EXPECT_LT(error_at_end(GetParam(), options), 100.0);
    }
}

TEST_P(Sensitivities, InTheErrorTestTheyAreWithin30Tolerances) {
  for (const double rtol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    SCOPED_TRACE(rtol);
    bdf::IntegratorOptions options;
    options.tolerances = {.rtol = rtol, .atol = rtol};
    options.sensitivities.in_error_test = true;
    EXPECT_LT(error_at_end(GetParam(), options), 30.0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfExactSolutions, Sensitivities,
    testing::Values(Case{"linear_amplitude", {{"problem", "linear"}}, "amplitude"},
                    Case{"linear_frequency", {{"problem", "linear"}}, "frequency"},
                    Case{"pendulum_index1", {{"problem", "pendulum"}, {"form", "index1"}}, "g"},
                    Case{"pendulum_index2", {{"problem", "pendulum"}, {"form", "index2"}}, "g"},
                    Case{"pendulum_stabilized", {{"problem", "pendulum"}, {"form", "stabilized"}}, "g"}),
    [](const auto& one) { return one.param.label; });

TEST(SensitivityOrders, AtFixedStepsTheErrorFallsWithThePowerOfTheStep) {
  const Case linear{"", {{"problem", "linear"}}, "frequency"};
  for (int order = 1; order <= 5; ++order) {
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
      bdf::IntegratorOptions options;
      options.tolerances = {.rtol = 1e-10, .atol = 1e-10};
      options.fixed_step = i == 0 ? 0.05 : 0.025;
      options.fixed_order = order;
      error[i] = error_at_end(linear, options);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.35) << order;
  }
}

/// y' = p, y(0) = 0, up to the event y = 1 at t = 1/p, after which y' = 2 p.
class Ramp final : public dae::System {
public:
  Ramp() { parameters_.add({.name = "p", .description = "the rate"}, p_); }
  std::vector<dae::Field> fields() const override { return {{.name = "y"}}; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    check(VecSet(y, 0.0));
    check(VecSet(ydot, p_));
  }
  void residual(double, Vec, Vec ydot, Vec out) override {
    const core::Readable rate(ydot);
    const core::Writable f(out);
    f[0] = rate[0] - (passed_ ? 2.0 : 1.0) * p_;
  }
  std::vector<dae::Event> events() const override { return {{"passed", dae::Event::Direction::rising}}; }
  void event_values(double, Vec y, Vec, std::span<double> values) override {
    double least = 0.0;
    check(VecMin(y, nullptr, &least));
    values[0] = least - 1.0;
  }
  dae::AfterEvent on_event(double, std::span<const int>, Vec, Vec) override {
    passed_ = true;
    return dae::AfterEvent::restart;
  }
  std::vector<double> saved_state() const override { return {passed_ ? 1.0 : 0.0}; }
  void restore_state(std::span<const double> memory) override { passed_ = memory[0] != 0.0; }

private:
  double p_ = 0.8;
  bool passed_ = false;
};

TEST(SensitivityEvents, TheTimeOfAnEventMovesAndSJumps) {
  Ramp ramp;
  bdf::IntegratorOptions options;
  options.tolerances = {.rtol = 1e-8, .atol = 1e-8};
  options.sensitivities.parameters = {{0, 0.0}};
  bdf::Integrator integrator(ramp, options);
  integrator.start(0.0, 3.0);
  integrator.advance(3.0);
  EXPECT_NEAR(integrator.event_time_derivative(0), -1.0 / (0.8 * 0.8), 1e-6);
  const auto s = integrator.new_vector();
  integrator.interpolate_sensitivity(0, 3.0, s, nullptr);
  EXPECT_NEAR(test::local_values(s)[0], 2.0 * 3.0, 1e-5); // y = 1 + 2 p (t - 1/p) = 2 p t - 1
}

/// y' = -m y, where m = p^2 is computed at the start and remembered.
class Remembering final : public dae::System {
public:
  Remembering() { parameters_.add({.name = "p"}, p_); }
  std::vector<dae::Field> fields() const override { return {{.name = "y"}}; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, 1, PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    m_ = p_ * p_;
    check(VecSet(y, 1.0));
    check(VecSet(ydot, -m_));
  }
  void residual(double, Vec y, Vec ydot, Vec out) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable f(out);
    f[0] = rate[0] + m_ * value[0];
  }
  std::vector<double> saved_state() const override { return {m_}; }
  void restore_state(std::span<const double> memory) override { m_ = memory[0]; }

private:
  double p_ = 1.5, m_ = 0.0;
};

TEST(SensitivityMemory, WhatASystemRemembersDependsOnTheParameterToo) {
  Remembering system;
  bdf::IntegratorOptions options;
  options.tolerances = {.rtol = 1e-7, .atol = 1e-9};
  options.sensitivities.parameters = {{0, 0.0}};
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  integrator.advance(1.0);
  const auto s = integrator.new_vector();
  integrator.interpolate_sensitivity(0, 1.0, s, nullptr);
  EXPECT_NEAR(test::local_values(s)[0], -3.0 * std::exp(-2.25), 1e-5); // d/dp exp(-p^2 t) = -2 p t exp(-p^2 t)
}

} // namespace
