/// Rates with tables in pressure, against published values of Chemkin and RMG for the same coefficients.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/kinetics.hpp>
#include <rhumb/physics/combustion/mixture.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace rhumb;
using namespace rhumb::combustion;

std::string species(const std::string& name, const std::string& composition) {
  return fmt::format("- name: {}\n  composition: {}\n  thermo:\n    model: NASA7\n    temperature-ranges: [200, 3500]\n"
                     "    data:\n    - [3.5, 0, 0, 0, 0, -1000.0, 4.0]\n",
                     name, composition);
}

const std::string head = "units: {length: cm, time: s, quantity: mol, activation-energy: cal/mol}\n"
                         "phases:\n- name: gas\n  thermo: ideal-gas\n  species: [H, A, B, P]\nspecies:\n" +
                         species("H", "{H: 1}") + species("A", "{C: 1, H: 3}") + species("B", "{C: 1, H: 4}") +
                         species("P", "{C: 1, H: 2}") + "reactions:\n";

const std::string interpolated = R"(- equation: H + A => B
  type: pressure-dependent-Arrhenius
  rate-constants:
  - {P: 0.01 atm, A: 1.2124e+16, b: -0.5779, Ea: 1.08727e+04}
  - {P: 1.0 atm, A: 4.9108e+31, b: -4.8507, Ea: 2.47728e+04}
  - {P: 10.0 atm, A: 1.2866e+47, b: -9.0246, Ea: 3.97965e+04}
  - {P: 100.0 atm, A: 5.9632e+56, b: -11.529, Ea: 5.25996e+04}
)";
const std::string with_sums = R"(- equation: H + A => B
  type: pressure-dependent-Arrhenius
  rate-constants:
  - {P: 0.001315789 atm, A: 2.44e+10, b: 1.04, Ea: 3.98 kcal/mol}
  - {P: 0.039473684 atm, A: 3.89e+10, b: 0.989, Ea: 4.114 kcal/mol}
  - {P: 1.0 atm, A: 3.46e+12, b: 0.442, Ea: 5.463 kcal/mol}
  - {P: 10.0 atm, A: 1.72e+14, b: -0.01, Ea: 7.134 kcal/mol}
  - {P: 100.0 atm, A: -7.41e+30, b: -5.54, Ea: 12.108 kcal/mol}
  - {P: 100.0 atm, A: 1.9e+15, b: -0.29, Ea: 8.306 kcal/mol}
)";
const std::string of_second_order = R"(- equation: H + A (+M) => B (+M)
  type: Chebyshev
  temperature-range: [300.0, 2000.0]
  pressure-range: [0.009869232667160128 atm, 98.69232667160128 atm]
  data:
  - [8.2883, -1.1397, -0.12059, 0.016034]
  - [1.9764, 1.0037, 7.2865e-03, -0.030432]
  - [0.3177, 0.26889, 0.094806, -7.6385e-03]
  - [-0.031285, -0.039412, 0.044375, 0.014458]
)";
const std::string of_first_order = R"(- equation: A => P + H
  type: Chebyshev
  temperature-range: [290.0, 3000.0]
  pressure-range: [0.009869232667160128 atm, 98.69232667160128 atm]
  data:
  - [-14.428, 0.25997, -0.022432, -2.787e-03]
  - [22.063, 0.48809, -0.039643, -5.4811e-03]
  - [-0.23294, 0.4019, -0.026073, -5.0486e-03]
  - [-0.29366, 0.28568, -9.3373e-03, -4.0102e-03]
  - [-0.22621, 0.16919, 4.8581e-03, -2.3803e-03]
  - [-0.14322, 0.077111, 0.012708, -6.4154e-04]
)";

class PressureRates : public testing::Test {
protected:
  Mechanism read(const std::string& reaction) {
    std::ofstream(file_) << head << reaction;
    return read_mechanism(file_);
  }
  std::string complaint(const std::string& reaction) {
    try {
      read(reaction);
      return "";
    } catch (const core::BadInput& failure) {
      return failure.what();
    }
  }
  /// k in m^3, mol, s, from the rate of a gas of this temperature and pressure.
  static double rate_constant(const Mechanism& gas, double T, double p) {
    const std::vector<double> C(4, 0.25 * p / (gas_constant * T));
    double k = 0.0;
    visit_rates<double>(gas, T, C, [&k](const Reaction&, const auto& rate) { k = rate.k; });
    return k;
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ = fmt::format("{}pressure_rates_{}.yaml", testing::TempDir(), getpid());
};

void expect_ratio(double found, double wanted, double tolerance) {
  EXPECT_NEAR(found / wanted, 1.0, tolerance) << found << " for " << wanted;
}

/// k = progress/(C C) with mole fractions of 1/8 of the published mixture.
double published_rate(double progress, double T, double p) {
  const double C = p / 8.0 / (gas_constant * T); // mol/m^3
  return progress * 1e3 / (C * C);               // kmol/(m^3 s) to mol
}

TEST_F(PressureRates, BetweenPressuresTheLogarithmIsLinearAsInChemkin) {
  const auto single = read(interpolated), sums = read(with_sums);
  expect_ratio(rate_constant(single, 1100.0, 20 * atmosphere), published_rate(3.100682e5, 1100.0, 20 * atmosphere),
               4e-4);
  expect_ratio(rate_constant(sums, 1100.0, 20 * atmosphere), published_rate(4.468658e6, 1100.0, 20 * atmosphere), 1e-4);
  expect_ratio(rate_constant(single, 1100.0, 0.5 * atmosphere), published_rate(5.244649e2, 1100.0, 0.5 * atmosphere),
               4e-4);
  expect_ratio(rate_constant(sums, 800.0, 70 * atmosphere), published_rate(2.224601e7, 800.0, 70 * atmosphere), 1e-4);
}

TEST_F(PressureRates, BeyondTheTableTheRateIsThatOfItsEnd) {
  const auto gas = read(interpolated);
  const double T = 500.0, RT = gas_constant * T / 4.184;
  expect_ratio(rate_constant(gas, T, 1e-7), 1.2124e10 * std::pow(T, -0.5779) * std::exp(-10872.7 / RT), 1e-9);
  expect_ratio(rate_constant(gas, T, 1e10), 5.9632e50 * std::pow(T, -11.529) * std::exp(-52599.6 / RT), 1e-9);
  expect_ratio(rate_constant(gas, T, atmosphere), 4.9108e25 * std::pow(T, -4.8507) * std::exp(-24772.8 / RT), 1e-9);
}

TEST_F(PressureRates, ChebyshevPolynomialsAreThoseOfThePublishedRates) {
  const auto second = read(of_second_order), first = read(of_first_order); // published in m^3, kmol, s
  expect_ratio(1e3 * rate_constant(second, 1100.0, 20 * atmosphere), 3.130698657e6, 1e-7);
  expect_ratio(1e3 * rate_constant(second, 400.0, 0.1 * atmosphere), 1.713599902e5, 1e-7);
  expect_ratio(1e3 * rate_constant(second, 500.0, 1e3), 1.225785655e6, 1e-7);
  expect_ratio(1e3 * rate_constant(second, 500.0, 1e7), 1.580981157e3, 1e-7);
  expect_ratio(1e3 * rate_constant(second, 300.0, atmosphere), 5.405987017e3, 1e-7);
  expect_ratio(1e3 * rate_constant(second, 2000.0, atmosphere), 3.354054351e7, 1e-7);
  expect_ratio(rate_constant(first, 1100.0, 20 * atmosphere), 1.187949573, 1e-7);
  expect_ratio(rate_constant(first, 400.0, 0.1 * atmosphere), 9.581780687e-24, 1e-7);
}

TEST_F(PressureRates, BeyondItsRangesAPolynomialKeepsItsValue) {
  const auto gas = read(of_second_order);
  EXPECT_DOUBLE_EQ(rate_constant(gas, 2500.0, atmosphere), rate_constant(gas, 2000.0, atmosphere));
  EXPECT_DOUBLE_EQ(rate_constant(gas, 500.0, 1e9), rate_constant(gas, 500.0, 1e7));
}

TEST_F(PressureRates, DerivativesAreThoseOfDifferences) {
  for (const auto& reaction : {interpolated, with_sums, of_second_order, of_first_order}) {
    const auto gas = read(reaction);
    const std::size_t K = gas.size();
    const double T = 1234.0;
    const std::vector<double> C{20.0, 30.0, 40.0, 50.0};
    std::vector<PassDual> c(K), w(K);
    for (std::size_t k = 0; k < K; ++k) c[k] = PassDual::variable(C[k], static_cast<int>(k) + 1);
    production<PassDual>(gas, PassDual::variable(T, 0), c, w);
    for (std::size_t d = 0; d <= K; ++d) {
      const double h = d == 0 ? 1e-2 : 1e-4;
      const auto moved = [&](double by) {
        auto there = C;
        std::vector<double> out(K);
        if (d > 0) there[d - 1] += by;
        production<double>(gas, d == 0 ? T + by : T, there, out);
        return out[1]; // of A, which every one of them takes
      };
      const double difference = (moved(h) - moved(-h)) / (2.0 * h);
      EXPECT_NEAR(w[1].derivatives[d], difference, 1e-6 * std::abs(w[1].value) / (d == 0 ? T : 50.0)) << reaction << d;
    }
  }
}

TEST_F(PressureRates, TablesThatCannotBeUsedAreRefused) {
  const auto replaced = [](std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
  };
  const auto says = [this](const std::string& reaction, const std::string& text) {
    const auto said = complaint(reaction);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  };
  says(replaced(interpolated, "P: 1.0 atm", "P: 0.001 atm"), "the pressures must ascend");
  says(replaced(interpolated, "P: 1.0 atm", "P: 1.0 psi"), "unit `psi` of P is not known");
  says(replaced(interpolated, "P: 1.0 atm", "P: -1.0 atm"), "P must be > 0");
  says(replaced(interpolated, "A: 4.9108e+31", "A: -4.9108e+31"), "is not positive at 300 K");
  says(interpolated + "  efficiencies: {H: 2}\n", "it belongs to reactions with a third body");
  says(interpolated + "  rate-constant: {A: 1, b: 0, Ea: 0}\n", "the rate of this type is a table");
  says(replaced(of_first_order, "[290.0, 3000.0]", "[3000.0, 290.0]"), "positive numbers that ascend");
  says(replaced(of_first_order, ", -2.787e-03]", "]"), "the same length");
  says(replaced(of_first_order, "  type: Chebyshev\n", ""), "it belongs to reactions of type Chebyshev");
}

} // namespace
