/// Thermodynamics and rates of the mechanisms that come with the driver.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/kinetics.hpp>
#include <rhumb/physics/combustion/mixture.hpp>
#include <gtest/gtest.h>

namespace {

using namespace rhumb;
using namespace rhumb::combustion;

const std::string folder = RHUMB_IGNITE_CASES;

class Chemistry : public testing::Test {
protected:
  Mechanism gas = read_mechanism(folder + "/h2_air.yaml");
  /// Concentrations of a gas with some of everything, mol/m^3.
  std::vector<double> concentrations() const {
    std::vector<double> C;
    for (std::size_t k = 0; k < gas.size(); ++k) C.push_back(0.5 + 0.3 * static_cast<double>(k % 4));
    return C;
  }
};

TEST_F(Chemistry, PolynomialsMeetWhereTheirRangesDo) {
  for (const auto& s : gas.species) {
    const double T = s.thermo.middle, below = T * (1.0 - 1e-12);
    EXPECT_NEAR(enthalpy(s.thermo, below), enthalpy(s.thermo, T), 1e-3) << s.name;
    EXPECT_NEAR(entropy(s.thermo, below, std::log(below)), entropy(s.thermo, T, std::log(T)), 1e-3) << s.name;
  }
}

TEST_F(Chemistry, EnthalpyIsTheIntegralOfHeatCapacity) {
  for (const auto& s : gas.species)
    for (const double T : {400.0, 1500.0}) {
      using D = core::Dual<1>;
      const D t = D::variable(T, 0);
      const D hT = enthalpy(s.thermo, t) * t;
      EXPECT_NEAR(hT.derivatives[0], heat_capacity(s.thermo, T), 1e-9) << s.name;
      const D sT = entropy(s.thermo, t, log(t));
      EXPECT_NEAR(sT.derivatives[0] * T, heat_capacity(s.thermo, T), 1e-9) << s.name;
    }
}

TEST_F(Chemistry, FormationEnthalpyOfWaterIsThatOfTheTables) {
  const auto k = gas.find("H2O").value();
  EXPECT_NEAR(specific_enthalpy(gas, k, 298.15) * gas.species[k].weight, -241.826e3, 30.0); // J/mol, JANAF
}

TEST_F(Chemistry, AtomsAreConserved) {
  const auto C = concentrations();
  std::vector<double> w(gas.size());
  production<double>(gas, 1500.0, C, w);
  for (const auto& element : gas.elements) {
    double sum = 0.0, size = 0.0;
    for (std::size_t k = 0; k < gas.size(); ++k) {
      sum += gas.atoms(element, k) * w[k];
      size += gas.atoms(element, k) * std::abs(w[k]);
    }
    EXPECT_LE(std::abs(sum), 1e-13 * size) << element;
  }
}

/// At equilibrium every reaction stands still: C_k = exp(-g_k) p_ref/RT is one such state.
TEST_F(Chemistry, DetailedBalanceHoldsAtEquilibrium) {
  const double T = 1800.0;
  std::vector<double> C, w(gas.size()), forward(gas.size());
  for (const auto& s : gas.species) {
    double g = gibbs(s.thermo, T, std::log(T));
    for (const auto& [element, count] : s.composition) g += count * (element == "H" ? 12.0 : 16.0); // potentials
    C.push_back(std::exp(-g) * atmosphere / (gas_constant * T));
  }
  production<double>(gas, T, C, w);
  auto one_way = gas;
  for (auto& r : one_way.reactions) r.reversible = false;
  production<double>(one_way, T, C, forward);
  double size = 0.0;
  for (const double f : forward) size = std::max(size, std::abs(f));
  for (std::size_t k = 0; k < gas.size(); ++k) EXPECT_LE(std::abs(w[k]), 1e-11 * size) << gas.species[k].name;
}

TEST_F(Chemistry, DualRatesAreTheDerivativesOfPlainOnes) {
  const double T = 1300.0;
  const auto C = concentrations();
  const std::size_t K = gas.size();
  std::vector<PassDual> c(K), w(K);
  for (std::size_t k = 0; k < K; ++k) c[k] = PassDual::variable(C[k], static_cast<int>(k) + 1);
  production<PassDual>(gas, PassDual::variable(T, 0), c, w);
  const auto moved = [&](std::size_t direction, double by) {
    auto there = C;
    double Tm = T;
    (direction == 0 ? Tm : there[direction - 1]) += by;
    std::vector<double> out(K);
    production<double>(gas, Tm, there, out);
    return out;
  };
  for (std::size_t d = 0; d <= K; ++d) {
    const double h = d == 0 ? 1e-2 : 1e-5;
    const auto up = moved(d, h), down = moved(d, -h);
    for (std::size_t k = 0; k < K; ++k) {
      const double difference = (up[k] - down[k]) / (2.0 * h);
      EXPECT_NEAR(w[k].derivatives[d], difference, 1e-5 * (std::abs(difference) + std::abs(w[k].value)))
          << k << " by " << d;
    }
  }
}

TEST_F(Chemistry, FalloffGoesFromThirdOrderToSecond) {
  const auto found = std::ranges::find(gas.reactions, Reaction::Kind::falloff, &Reaction::kind);
  ASSERT_NE(found, gas.reactions.end());
  const double T = 1000.0, high = arrhenius(found->rate, T, std::log(T)),
               low = arrhenius(found->low_pressure, T, std::log(T));
  EXPECT_NEAR(falloff_rate(*found, T, high, low, 1e-30 * high / low) / (1e-30 * high), 1.0, 0.05);
  EXPECT_NEAR(falloff_rate(*found, T, high, low, 1e30 * high / low) / high, 1.0, 0.05);
  auto lindemann = *found;
  lindemann.troe.reset();
  EXPECT_NEAR(falloff_rate(lindemann, T, high, low, high / low) / high, 0.5, 1e-12);
  // At Pr = 1 the broadening takes F_cent to the power 1/(1 + (c/(n - 0.14 c))^2).
  const double lf = std::log10(troe_centre(*found->troe, T)), c = -0.4 - 0.67 * lf, n = 0.75 - 1.27 * lf;
  const double power = 1.0 / (1.0 + std::pow(c / (n - 0.14 * c), 2));
  EXPECT_NEAR(falloff_rate(*found, T, high, low, high / low) / (0.5 * high), std::pow(10.0, lf * power), 1e-12);
}

TEST_F(Chemistry, AMixtureIsReadByMoles) {
  const auto Y = read_mixture(gas, "H2:2, O2:1, N2:3.76");
  double sum = 0.0;
  for (const double y : Y) sum += y;
  EXPECT_NEAR(sum, 1.0, 1e-15);
  EXPECT_NEAR(Y[gas.find("H2").value()], 2 * 2.016 / (2 * 2.016 + 31.998 + 3.76 * 28.014), 1e-12);
  EXPECT_THROW(read_mixture(gas, "CH4:1"), core::BadInput);
  EXPECT_THROW(read_mixture(gas, "H2:-1"), core::BadInput);
  EXPECT_THROW(read_mixture(gas, "H2:0"), core::BadInput);
}

TEST_F(Chemistry, TheTemperatureOfAnEnthalpyIsFound) {
  const auto Y = read_mixture(gas, "H2O:1,N2:2");
  EXPECT_NEAR(temperature_of_enthalpy(gas, mean_specific_enthalpy<double>(gas, 1234.5, Y), Y), 1234.5, 1e-6);
}

TEST_F(Chemistry, TemperaturesOutsideThePolynomialsAreRemarkedOn) {
  EXPECT_EQ(remark_on_range(gas, 300.0, 3400.0), "");
  EXPECT_NE(remark_on_range(gas, 250.0, 3400.0).find("below the 300 K"), std::string::npos);
  EXPECT_NE(remark_on_range(gas, 300.0, 3600.0).find("above the 3500 K"), std::string::npos);
}

} // namespace
