#include <rhumb/physics/combustion/fresh_gas.hpp>

#include <rhumb/core/failure.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

using core::BadInput;

namespace {
/// Oxygen atoms, in mol per kg, that complete burning takes from elsewhere; negative where it leaves some.
double oxygen_needed(const Mechanism& gas, const std::vector<double>& Y) {
  double needed = 0.0;
  for (std::size_t k = 0; k < gas.size(); ++k)
    needed += Y[k] / gas.species[k].weight *
              (2.0 * gas.atoms("C", k) + 0.5 * gas.atoms("H", k) + 2.0 * gas.atoms("S", k) - gas.atoms("O", k));
  return needed;
}

/// phi = (fuel/oxidizer) / (fuel/oxidizer) at complete burning, by mass.
std::vector<double> of_ratio(const Mechanism& gas, double phi, const std::string& fuel, const std::string& oxidizer) {
  auto burning = read_mixture(gas, fuel);
  const auto carrying = read_mixture(gas, oxidizer);
  const double needed = oxygen_needed(gas, burning), offered = -oxygen_needed(gas, carrying);
  if (!(needed > 0.0)) throw BadInput(fmt::format("option -fuel {}: it takes no oxygen", fuel));
  if (!(offered > 0.0)) throw BadInput(fmt::format("option -oxidizer {}: it has no oxygen to give", oxidizer));
  const double ratio = phi * offered / needed;
  for (std::size_t k = 0; k < gas.size(); ++k) burning[k] = (ratio * burning[k] + carrying[k]) / (1.0 + ratio);
  return burning;
}
} // namespace

std::vector<double> read_fresh_gas(const Mechanism& gas, const core::Options& options,
                                   const FreshGasDefaults& defaults) {
  const auto mixture = options.string("mixture", defaults.mixture, {"moles of the fresh gas, SPECIES:MOLES,..."});
  const double phi =
      options.real("phi", 0.0,
                   {"equivalence ratio: the fresh gas is of -fuel and -oxidizer in place of -mixture; 0: "
                    "by -mixture"},
                   core::Range::at_least(0.0));
  if (!options.given("phi")) {
    if (options.given("oxidizer")) throw BadInput("option -oxidizer needs -phi, the equivalence ratio");
    return read_mixture(gas, mixture);
  }
  if (options.given("mixture")) throw BadInput("options -mixture and -phi: one of them says what the fresh gas is");
  if (phi == 0.0) throw BadInput("option -phi 0: a gas without fuel; it must be > 0");
  const auto fuel = options.string("fuel", defaults.fuel, {"with -phi: moles of the fuel, SPECIES:MOLES,..."});
  const auto oxidizer = options.string("oxidizer", "O2:1,N2:3.76", {"with -phi: moles of what brings oxygen"});
  return of_ratio(gas, phi, fuel, oxidizer);
}

} // namespace rhumb::combustion
