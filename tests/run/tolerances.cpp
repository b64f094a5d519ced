/// Absolute tolerances that follow the relative one do so whoever asks for it: a driver's -dae_rtol, or code.

#include <rhumb/pde/moving/system.hpp>
#include <rhumb/physics/combustion/one_step_gas.hpp>
#include <rhumb/physics/combustion/vessel.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <rhumb/physics/heat/heat.hpp>
#include <rhumb/run/integrate.hpp>
#include <gtest/gtest.h>

using namespace rhumb;

namespace {

constexpr double wanted = 3e-6; ///< no problem's own

/// u_t = u_xx on a mesh that follows.
struct Diffusion {
  static constexpr int components = 1;
  auto flux(const auto& at) const { return std::array{at.ux[0]}; }
  auto balance(const auto& at) const { return std::array{at.ut[0]}; }
  auto left(const auto& at) const { return moving::no_flux(at); }
  auto right(const auto& at) const { return moving::no_flux(at); }
  std::array<double, 1> initial(double x) const { return {std::tanh(20.0 * (x - 0.4))}; }
};

std::unique_ptr<dae::Problem> make_moving(const Options& options) {
  moving::Description about;
  about.name = "diffusion";
  about.fields = {{"u"}};
  about.t_end = 0.01;
  return std::make_unique<moving::System<Diffusion>>(PETSC_COMM_WORLD, options.with("n", 20), Diffusion{}, about);
}

std::unique_ptr<dae::Problem> make_flow(const Options& options) {
  return flow::make_flow(PETSC_COMM_WORLD, options.with("problem", "cavity").with("n", "8,8").with("speed", 2.0));
}

std::unique_ptr<dae::Problem> make_vessel(const Options& options) {
  return std::make_unique<combustion::Vessel<combustion::OneStepGas>>(
      PETSC_COMM_WORLD, options, combustion::OneStepGas(options), combustion::VesselDefaults{.cells = 20});
}

std::unique_ptr<dae::Problem> make_heat(const Options& options) {
  return heat::make_heat(PETSC_COMM_WORLD, options.with("n", 16).with("initial", "sin(pi*x)").with("k", 1.0));
}

using Maker = std::unique_ptr<dae::Problem> (*)(const Options&);

dae::Tolerances of_driver(Maker make, const Options& given) {
  return run::read_settings(given, *make(given)).integrator->tolerances;
}

dae::Tolerances of_code(Maker make, const Settings& settings) {
  return run::completed(settings, *make({})).integrator->tolerances;
}

} // namespace

TEST(Tolerances, ARelativeOneFromCodeTakesTheAbsoluteOnesWithItAsTheDriversOptionDoes) {
  for (const Maker make : {make_flow, make_moving, make_vessel, make_heat}) {
    const auto asked = of_code(make, {.rtol = wanted});
    EXPECT_EQ(asked, of_driver(make, Options().with("dae_rtol", wanted)));
    EXPECT_EQ(asked.rtol, wanted);
    EXPECT_EQ(of_code(make, {}), of_driver(make, {}));
  }
}

TEST(Tolerances, OfAFlowAreThoseOfItsSpeedAndOfItsSquare) {
  const auto own = of_code(make_flow, {}), asked = of_code(make_flow, {.rtol = wanted});
  EXPECT_EQ(own.atol_of_field, (std::vector{2e-4, 2e-4, 4e-4})); // u, v, p
  EXPECT_EQ(asked.atol_of_field, (std::vector{2.0 * wanted, 2.0 * wanted, 4.0 * wanted}));
}

TEST(Tolerances, OfAProblemWithoutARuleStayWhereTheyAre) {
  EXPECT_EQ(of_code(make_heat, {.rtol = wanted}).atol_of_field, of_code(make_heat, {}).atol_of_field);
}

TEST(Tolerances, AnAbsoluteOneFromCodeIsThatOfEveryField) {
  const auto asked = of_code(make_flow, {.rtol = wanted, .atol = 1e-9});
  EXPECT_EQ(asked.atol, 1e-9);
  EXPECT_TRUE(asked.atol_of_field.empty());
}

TEST(Tolerances, OfCodeWinOverTheOption) {
  Settings settings{.rtol = wanted};
  settings.options.set("dae_rtol", "1e-2");
  EXPECT_EQ(of_code(make_flow, settings), of_code(make_flow, {.rtol = wanted}));
}

TEST(Tolerances, OfTheRunAreWhatAMovingMeshExpectsItsErrorFrom) {
  const auto expected = [](const Settings& settings) {
    const auto problem = make_moving({});
    const Solution solution = integrate(*problem, settings);
    EXPECT_TRUE(solution.done()) << solution.message();
    return std::pair(solution.value("error_in_time"), solution.statistics().steps);
  };
  Settings by_option;
  by_option.options.set("dae_rtol", fmt::format("{}", wanted));
  const auto by_code = expected({.rtol = wanted});
  EXPECT_EQ(by_code, expected(by_option));
  EXPECT_LT(expected({.rtol = wanted / 10.0}).first, 0.7 * by_code.first);
  EXPECT_LT(expected({.rtol = wanted, .atol = 1e-9}).first, by_code.first);
}
