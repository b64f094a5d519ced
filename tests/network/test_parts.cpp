/// Laws of fluids, time series and modes, without a run.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/network/controls.hpp>
#include <rhumb/physics/network/xml.hpp>
#include <gtest/gtest.h>

namespace rhumb::network {
namespace {

TEST(Fluids, PressureIsTheInverseOfReducedPressure) {
  for (const auto equation :
       {Fluid::Equation::ideal, Fluid::Equation::aga, Fluid::Equation::papay, Fluid::Equation::liquid}) {
    Fluid fluid;
    fluid.equation = equation;
    for (const double p : {1e3, 1e5, 30e5, 70e5}) EXPECT_NEAR(fluid.pressure_of(fluid.reduced(p)) / p, 1.0, 1e-14);
  }
}

TEST(Fluids, RealGasFactorsAreThosePublished) {
  Fluid gas;
  gas.critical_pressure = 46e5;
  gas.critical_temperature = 190.0;
  gas.temperature = 285.0; // T_r = 1.5
  gas.equation = Fluid::Equation::aga;
  EXPECT_NEAR(gas.compressibility(46e5), 1.0 + 0.257 - 0.533 / 1.5, 1e-14);
  gas.equation = Fluid::Equation::papay;
  EXPECT_NEAR(gas.compressibility(46e5), 1.0 - 3.52 * std::exp(-3.39) + 0.274 * std::exp(-2.817), 1e-14);
}

TEST(Fluids, FrictionIsLaminarThenColebrooks) {
  EXPECT_DOUBLE_EQ(friction_times_reynolds(FrictionLaw::hofer, 1000.0, 1e-4), 64.0);
  const double lambda = turbulent_friction(FrictionLaw::colebrook, 1e6, 1e-4), x = 1.0 / std::sqrt(lambda);
  EXPECT_NEAR(x, -2.0 * std::log10(2.51 * x / 1e6 + 1e-4 / 3.71), 1e-10);
  EXPECT_NEAR(turbulent_friction(FrictionLaw::hofer, 1e6, 1e-4) / lambda, 1.0, 1e-2);
  EXPECT_NEAR(turbulent_friction(FrictionLaw::nikuradse, 1e9, 1e-4) /
                  turbulent_friction(FrictionLaw::colebrook, 1e9, 1e-4),
              1.0, 2e-3);
  for (const double Re : {2300.0, 4000.0}) // continuous
    EXPECT_NEAR(friction_times_reynolds(FrictionLaw::hofer, Re * (1 - 1e-12), 1e-4) /
                    friction_times_reynolds(FrictionLaw::hofer, Re * (1 + 1e-12), 1e-4),
                1.0, 1e-9);
}

TEST(Fluids, AnOrificeIsContinuousWhereItIsChoked) {
  Fluid gas;
  gas.heat_ratio = 1.4;
  EXPECT_NEAR(gas.critical_ratio(), 0.5283, 1e-4);
  const double p = 10e5, rho = 12.0, below = gas.critical_ratio() * p;
  EXPECT_NEAR(gas.orifice_flux_squared(p, rho, below, true) / gas.orifice_flux_squared(p, rho, below, false), 1.0,
              1e-12);
  EXPECT_NEAR(gas.orifice_flux_squared(p, rho, p, false), 0.0, 1e-6);
}

TEST(TimeSeries, AreLinesThatGoOnUntilTheirEndHasPassed) {
  const TimeSeries series({0.0, 10.0, 10.0, 20.0}, {1.0, 2.0, 5.0, 5.0});
  EXPECT_TRUE(series.jumps());
  EXPECT_DOUBLE_EQ(series.at(5.0, 0.0).value, 1.5);
  EXPECT_DOUBLE_EQ(series.at(12.0, 0.0).value, 2.2); // beyond the end of the line that is active
  EXPECT_DOUBLE_EQ(series.at(12.0, 10.0).value, 5.0);
  EXPECT_DOUBLE_EQ(series.at(30.0, 20.0).value, 5.0);
  EXPECT_THROW(TimeSeries({1.0, 0.0}, {1.0, 1.0}), core::BadInput);
  EXPECT_THROW(TimeSeries({-HUGE_VAL, 0.0}, {1.0, 2.0}), core::BadInput); // the line between them has no value
}

TEST(Xml, DocumentTypesAreRejectedWithTheirLine) {
  try {
    parse_xml("<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a/>", "file.net");
    FAIL();
  } catch (const core::BadInput& failure) {
    EXPECT_NE(std::string(failure.what()).find("file.net:2"), std::string::npos);
  }
}

Network two_nodes() {
  Network network;
  network.file = "test";
  network.nodes = {{.name = "a"}, {.name = "b"}};
  return network;
}

TEST(Bindings, APressureThatIsSetTwiceIsNamed) {
  Network network = two_nodes();
  network.machines = {{.type = Machine::Type::short_pipe, .name = "link", .from = 0, .to = 1}};
  network.boundaries = {{.type = Boundary::Type::pressure, .name = "one", .node = 0, .value = 1e5}};
  EXPECT_NO_THROW(Controls(network).check_bindings());
  network.boundaries.push_back({.type = Boundary::Type::pressure, .name = "other", .node = 1, .value = 1e5});
  try {
    Controls(network).check_bindings();
    FAIL();
  } catch (const core::BadInput& failure) {
    EXPECT_NE(std::string(failure.what()).find("link"), std::string::npos) << failure.what();
  }
}

TEST(Bindings, ACompressorThatFeedsItselfLeavesItsFlowUndetermined) {
  Network network = two_nodes();
  network.machines = {
      {.type = Machine::Type::compressor, .name = "up", .from = 0, .to = 1, .outlet_pressure = TimeSeries(2e5)},
      {.type = Machine::Type::control_valve, .name = "down", .from = 1, .to = 0, .outlet_pressure = TimeSeries(1e5)}};
  EXPECT_THROW(Controls(network).check_bindings(), core::BadInput);
}

TEST(Modes, ACheckValveOpensAndCloses) {
  Network network = two_nodes();
  network.machines = {{.type = Machine::Type::check_valve, .name = "flap", .from = 0, .to = 1}};
  Controls controls(network);
  const std::vector<double> forward{2e5, 1e5}, equal{2e5, 2e5}, backward{-1.0}, none{0.0};
  EXPECT_EQ(controls.machine(0), Mode::closed);
  EXPECT_TRUE(controls.settle(0.0, {forward, {}, none}));
  EXPECT_EQ(controls.machine(0), Mode::open);
  EXPECT_FALSE(controls.settle(0.0, {forward, {}, none}));
  EXPECT_TRUE(controls.settle(0.0, {equal, {}, backward}));
  EXPECT_EQ(controls.machine(0), Mode::closed);
}

} // namespace
} // namespace rhumb::network
