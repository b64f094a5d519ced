#include <rhumb/physics/combustion/detailed_gas.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/elements.hpp>
#include <rhumb/physics/combustion/fresh_gas.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

DetailedGas::DetailedGas(const core::Options& options, const std::string& mechanism, const std::string& mixture,
                         const std::string& fuel)
    : gas_(read_mechanism(options.string("mechanism", mechanism, {"file with the species and reactions"}))),
      transport_(gas_), mixture_(read_fresh_gas(gas_, options, {.mixture = mixture, .fuel = fuel})) {
  const auto name = options.string("fuel", fuel, {"species whose consumption measures burning"});
  const auto k = gas_.find(name);
  if (!k || !(mixture_[*k] > 0.0)) throw core::BadInput(fmt::format("option -fuel {}: it is not in the mixture", name));
  fuel_ = static_cast<int>(*k);
  if (options.choice("thermal_diffusion", "none", {"none", "light"},
                     {"Soret effect: none, or that of species lighter than 5 g/mol"}) == "light")
    transport_.add_thermal_diffusion(gas_);
}

std::vector<std::string> DetailedGas::species() const {
  std::vector<std::string> names;
  for (const auto& s : gas_.species) names.push_back(s.name);
  return names;
}

std::vector<std::pair<std::string, std::vector<double>>> DetailedGas::elements() const {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  for (const auto& element : gas_.elements) {
    std::vector<double> share;
    for (std::size_t k = 0; k < gas_.size(); ++k)
      share.push_back(gas_.atoms(element, k) * atomic_weight(element).value() / gas_.species[k].weight);
    all.emplace_back(element, share);
  }
  return all;
}

} // namespace rhumb::combustion
