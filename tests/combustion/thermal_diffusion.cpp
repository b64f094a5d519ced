/// Thermal diffusion of light species.

#include <rhumb/physics/combustion/collision_integrals.hpp>
#include <rhumb/physics/combustion/detailed_gas.hpp>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using namespace rhumb::combustion;

TEST(CollisionIntegrals, RatiosAreThoseOfTheTables) {
  // Monchick and Mason 1961, without dipoles.
  for (const auto& [T, A, B, C] : {std::array{0.5, 1.1053, 1.2865, 0.82629}, std::array{1.0, 1.1063, 1.1919, 0.8363},
                                   std::array{5.0, 1.0997, 1.0935, 0.93135}, std::array{10.0, 1.1107, 1.0923, 0.94419},
                                   std::array{100.0, 1.1364, 1.0957, 0.94863}}) {
    const auto found = collision_ratios(T, 0.0);
    EXPECT_NEAR(found.A, A, 4e-3) << T;
    EXPECT_NEAR(found.B, B, 6e-3) << T;
    EXPECT_NEAR(found.C, C, 2e-3) << T;
  }
}

TEST(CollisionIntegrals, RigidSpheresHaveTheFactorOfChapmanAndCowling) {
  EXPECT_NEAR(thermal_diffusion_factor({}), 105.0 / 118.0, 1e-15);
}

class ThermalDiffusion : public testing::Test {
protected:
  static DetailedGas gas_with(const std::string& effect) {
    const core::Options options({{"thermal_diffusion", effect}});
    return {options, std::string(RHUMB_IGNITE_CASES) + "/h2_air.yaml", "H2:1,N2:3", "H2"};
  }
  static std::size_t index(const DetailedGas& gas, const char* name) { return gas.mechanism().find(name).value(); }
  /// The fluxes of all species through a face between a cold and a hot side, and their mole fraction of hydrogen.
  static std::vector<double> fluxes(const DetailedGas& gas, double hydrogen_cold, double hydrogen_hot) {
    const auto K = gas.mechanism().size();
    std::vector<double> cold = mass_fractions(gas, hydrogen_cold), hot = mass_fractions(gas, hydrogen_hot), mean(K),
                        flux(K);
    for (std::size_t k = 0; k < K; ++k) mean[k] = 0.5 * (cold[k] + hot[k]);
    DetailedGas::Properties<double> properties;
    gas.properties<double>(350.0, mean, properties);
    const FaceState<double, double> face{300.0, 400.0, 1.0, cold, hot};
    gas.flow<double, double, double, double>(face, properties, flux);
    return flux;
  }
  /// What -k_T is to X (1 - X), of hydrogen and nitrogen.
  static double pair_factor(const DetailedGas& gas, double T) {
    const auto &light = gas.mechanism().species[index(gas, "H2")], &heavy = gas.mechanism().species[index(gas, "N2")];
    const double well = std::sqrt(light.transport->well_depth * heavy.transport->well_depth);
    return thermal_diffusion_factor(collision_ratios(T / well, 0.0)) * (heavy.weight - light.weight) /
           (heavy.weight + light.weight);
  }
  static std::vector<double> mass_fractions(const DetailedGas& gas, double hydrogen) {
    return read_mixture(gas.mechanism(), fmt::format("H2:{:.17g},N2:{:.17g}", hydrogen, 1.0 - hydrogen));
  }
};

TEST_F(ThermalDiffusion, TakesHydrogenToTheHotSide) {
  const auto without = gas_with("none"), with = gas_with("light");
  const auto h2 = index(with, "H2"), n2 = index(with, "N2");
  EXPECT_NEAR(fluxes(without, 0.25, 0.25)[h2], 0.0, 1e-20);
  const auto flux = fluxes(with, 0.25, 0.25); // positive: from left, where it is cold, to right
  EXPECT_GT(flux[h2], 0.0);
  EXPECT_NEAR(flux[h2] + flux[n2], 0.0, 1e-15 * flux[h2]);
}

/// Two bulbs: where nothing flows X_hot - X_cold = alpha X (1 - X) ln(T_hot/T_cold). With the correction that makes the
/// fluxes sum to zero alpha is that of the pair times 1 - Y.
TEST_F(ThermalDiffusion, SeparatesHydrogenFromNitrogenAsInTwoBulbs) {
  const auto gas = gas_with("light");
  const auto h2 = index(gas, "H2");
  double low = 0.0, high = 0.1; // the difference of mole fractions at which the flux vanishes
  for (int i = 0; i < 60; ++i) {
    const double difference = 0.5 * (low + high);
    (fluxes(gas, 0.25 - 0.5 * difference, 0.25 + 0.5 * difference)[h2] > 0.0 ? low : high) = difference;
  }
  const double alpha = low / (0.25 * 0.75 * std::log(400.0 / 300.0));
  EXPECT_NEAR(alpha, pair_factor(gas, 350.0) * (1.0 - mass_fractions(gas, 0.25)[h2]), 0.01);
}

TEST_F(ThermalDiffusion, IsFittedToTheFormulaOfItsPair) {
  const auto gas = gas_with("light");
  Transport transport(gas.mechanism());
  transport.add_thermal_diffusion(gas.mechanism());
  EXPECT_LT(transport.largest_fit_error(), 0.02);
  const auto h2 = index(gas, "H2"), n2 = index(gas, "N2");
  std::vector<double> X(gas.mechanism().size(), 0.0), ratio(X.size());
  X[h2] = 0.25;
  X[n2] = 0.75;
  for (const double T : {300.0, 1000.0, 2500.0}) {
    transport.thermal_diffusion<double>(T, X, ratio);
    EXPECT_NEAR(ratio[h2], -0.25 * 0.75 * pair_factor(gas, T), 2e-3 * 0.25 * 0.75) << T;
    EXPECT_EQ(ratio[n2], 0.0);
  }
}

} // namespace
