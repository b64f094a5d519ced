/// A snapshot continues as if nothing had happened, to the last bit.

#include "problems.hpp"
#include "small_systems.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>

using namespace rhumb;
using core::check;

namespace {

using Words = std::vector<std::pair<std::string, std::string>>;
using Make = std::function<std::unique_ptr<dae::System>()>;

/// A snapshot with vectors of its own, and what the system remembers.
struct Kept {
  std::vector<std::pair<std::string, double>> scalars;
  std::vector<core::VecHandle> copies;
  std::vector<std::pair<std::string, Vec>> vectors;
  std::vector<double> memory;
};

Kept keep(const bdf::Integrator& integrator, const dae::System& system) {
  const bdf::CheckpointState checkpoint_state = integrator.checkpoint_state();
  Kept kept{checkpoint_state.scalars, {}, {}, system.saved_state()};
  for (const auto& [name, vector] : checkpoint_state.vectors) {
    kept.copies.push_back(core::same_layout(vector));
    check(VecCopy(vector, kept.copies.back()));
    kept.vectors.emplace_back(name, kept.copies.back());
  }
  return kept;
}

void expect_same(const Kept& a, const Kept& b) {
  ASSERT_EQ(a.scalars.size(), b.scalars.size());
  for (std::size_t i = 0; i < a.scalars.size(); ++i) EXPECT_EQ(a.scalars[i], b.scalars[i]);
  for (std::size_t i = 0; i < a.vectors.size(); ++i)
    EXPECT_EQ(test::local_values(a.vectors[i].second), test::local_values(b.vectors[i].second)) << a.vectors[i].first;
  EXPECT_EQ(a.memory, b.memory);
}

/// Runs `last` steps in one go and from five cuts.
void expect_identical_from_five_cuts(const Make& make, const bdf::IntegratorOptions& options, double t0, double t_end) {
  const std::vector<long> cuts{0, 3, 11, 20, 38};
  const long last = 45;
  const auto steps = [](bdf::Integrator& integrator, long count) {
    for (long i = 0; i < count; ++i) integrator.step();
  };
  const auto whole_system = make();
  bdf::Integrator whole(*whole_system, options);
  whole.start(t0, t_end);
  std::vector<Kept> kept;
  long done = 0;
  for (const long cut : cuts) {
    steps(whole, cut - done);
    done = cut;
    kept.push_back(keep(whole, *whole_system));
  }
  steps(whole, last - done);
  const Kept end = keep(whole, *whole_system);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    SCOPED_TRACE("cut after step " + std::to_string(cuts[i]));
    const auto system = make();
    system->restore_state(kept[i].memory);
    bdf::Integrator continued(*system, options);
    continued.resume(kept[i].scalars, kept[i].vectors);
    steps(continued, last - cuts[i]);
    expect_same(end, keep(continued, *system));
  }
}

std::unique_ptr<dae::Problem> build(const Words& words) {
  core::Options options;
  for (const auto& [name, value] : words) options.set(name, value);
  return problems::make(PETSC_COMM_WORLD, options);
}

struct Case {
  std::string label;
  Words words;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.label; }
};

class ResumeProblem : public testing::TestWithParam<Case> {};

} // namespace

TEST(Resume, ColouredDifferencesContinueToTheLastBit) {
  const Make make = [] {
    auto system = std::make_unique<test::Pointwise>(
        std::vector<dae::Field>{{.name = "u"}, {.name = "v"}, {.name = "w", .kind = dae::Kind::index1}},
        test::Numbers{2.0, 0.0, 0.0}, test::Numbers{0.0, 0.0, 0.0}, [](double t, auto y, auto ydot, auto f) {
          f[0] = ydot[0] - y[1];
          f[1] = ydot[1] - 5.0 * (1.0 - y[0] * y[0]) * y[1] + y[0];
          f[2] = y[2] + 0.1 * y[2] * y[2] * y[2] - y[0] - std::sin(t);
        });
    return system;
  };
  expect_identical_from_five_cuts(make, test::with_tolerance(1e-6), 0.0, 10.0);
  const test::PetscOptionsFor words("-dae_pc_type", "jacobi");
  expect_identical_from_five_cuts(make, test::with_tolerance(1e-6), 0.0, 10.0);
}

TEST(Resume, APendingEventIsPendingAgain) {
  const auto problem = build({{"problem", "bounce"}}), other = build({{"problem", "bounce"}});
  bdf::IntegratorOptions options;
  options.tolerances = problem->default_tolerances();
  bdf::Integrator whole(*problem, options), continued(*other, options);
  whole.start(0.0, 3.0);
  while (!whole.pending_event()) whole.step();
  const Kept kept = keep(whole, *problem);
  other->restore_state(kept.memory);
  continued.resume(kept.scalars, kept.vectors);
  ASSERT_TRUE(continued.pending_event());
  EXPECT_EQ(continued.time(), whole.time());
  EXPECT_EQ(test::local_values(continued.state()), test::local_values(whole.state()));
  for (auto* integrator : {&whole, &continued}) EXPECT_EQ(integrator->advance(3.0).events.size(), 6U);
  expect_same(keep(whole, *problem), keep(continued, *other));
}

TEST(Resume, FixedStepsFromASnapshotOfAnotherRunHaveTheirSizeAndOrder) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {-1.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0]; });
  bdf::Integrator adaptive(system, test::with_tolerance(1e-10));
  adaptive.start(0.0, 2.0);
  adaptive.stop_at(1.0);
  adaptive.advance(1.0);
  const Kept kept = keep(adaptive, system);
  const auto error = [&](int order, double step) {
    bdf::IntegratorOptions options = test::with_tolerance(1e-10);
    options.fixed_step = step;
    options.fixed_order = order;
    bdf::Integrator integrator(system, options);
    integrator.start(0.0, 2.0);
    integrator.resume(kept.scalars, kept.vectors);
    EXPECT_EQ(integrator.time(), 1.0);
    integrator.stop_at(2.0);
    for (const long before = integrator.statistics().steps; integrator.time() < 2.0;) {
      const auto step_taken = integrator.step().step;
      EXPECT_NEAR(step_taken.h, step, 1e-9);
      EXPECT_LE(step_taken.order, order);
      EXPECT_LE(integrator.statistics().steps - before, std::lround(1.0 / step));
    }
    return std::abs(system.first_point(integrator.state())[0] - std::exp(-2.0));
  };
  for (const int order : {1, 2, 3})
    EXPECT_NEAR(std::log2(error(order, 0.02) / error(order, 0.01)), order, 0.15) << order;
}

TEST(Resume, AForeignSnapshotIsRefused) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {-1.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0]; });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  integrator.step();
  Kept kept = keep(integrator, system);
  const auto resume = [&] { integrator.resume(kept.scalars, kept.vectors); };
  const auto last_vector = kept.vectors.back();
  kept.vectors.pop_back();
  EXPECT_NE(test::message_of<core::BadInput>(resume).find("no vector 'phi6'"), std::string::npos);
  kept.vectors.push_back(last_vector);
  std::erase_if(kept.scalars, [](const auto& n) { return n.first == "matrix_alpha"; });
  EXPECT_NE(test::message_of<core::BadInput>(resume).find("no number 'matrix_alpha'"), std::string::npos);
}

TEST(Resume, WithoutRoomForSnapshotsThereAreNone) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {-1.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0]; });
  bdf::IntegratorOptions options = test::with_tolerance(1e-6);
  options.resumable = false;
  bdf::Integrator integrator(system, options);
  integrator.start(0.0, 1.0);
  integrator.advance(1.0);
  EXPECT_NEAR(system.first_point(integrator.state())[0], std::exp(-integrator.time()), 1e-4);
  EXPECT_THROW(integrator.checkpoint_state(), std::logic_error);
}

TEST(Resume, ASnapshotHoldsTheVectorsThatItsReaderIsTold) {
  test::Pointwise system({{.name = "u"}}, {1.0}, {-1.0},
                         [](double, auto y, auto ydot, auto f) { f[0] = ydot[0] + y[0]; });
  bdf::Integrator integrator(system, test::with_tolerance(1e-6));
  integrator.start(0.0, 1.0);
  std::vector<std::string> names;
  for (const auto& [name, vector] : integrator.checkpoint_state().vectors) names.push_back(name);
  EXPECT_EQ(names, integrator.snapshot_vectors());
}

TEST_P(ResumeProblem, ContinuesToTheLastBit) {
  const auto problem = build(GetParam().words);
  bdf::IntegratorOptions options;
  options.tolerances = problem->default_tolerances();
  expect_identical_from_five_cuts([&] { return build(GetParam().words); }, options, problem->t_start(),
                                  problem->t_end());
}

TEST(Resume, SensitivitiesContinueToTheLastBit) {
  for (const auto& words : {Words{{"problem", "robertson"}}, Words{{"problem", "pendulum"}, {"form", "stabilized"}}})
    for (const auto corrector : {bdf::SensitivityCorrector::staggered, bdf::SensitivityCorrector::simultaneous}) {
      const auto problem = build(words);
      bdf::IntegratorOptions options;
      options.tolerances = problem->default_tolerances();
      options.sensitivities.corrector = corrector;
      for (std::size_t i = 0; i < problem->parameters().size(); ++i)
        options.sensitivities.parameters.push_back({i, 0.0});
      expect_identical_from_five_cuts([&] { return build(words); }, options, problem->t_start(), problem->t_end());
    }
}

INSTANTIATE_TEST_SUITE_P(OfTheLiterature, ResumeProblem,
                         testing::Values(Case{"robertson", {{"problem", "robertson"}}},
                                         Case{"pendulum_index1", {{"problem", "pendulum"}, {"form", "index1"}}},
                                         Case{"pendulum_stabilized", {{"problem", "pendulum"}, {"form", "stabilized"}}},
                                         Case{"sieber2", {{"problem", "sieber2"}}},
                                         Case{"bounce", {{"problem", "bounce"}}},
                                         Case{"foodweb", {{"problem", "foodweb"}, {"n", "8"}}}),
                         [](const auto& problem) { return problem.param.label; });
