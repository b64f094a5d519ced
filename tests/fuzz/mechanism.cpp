/// Mechanisms: what is read is used for a mixture.

#include "target.hpp"
#include <rhumb/physics/combustion/mechanism.hpp>

namespace rhumb::fuzz {

void test(std::string_view input) {
  const combustion::Mechanism gas = combustion::read_mechanism(memory_file(input));
  gas.lowest_temperature();
  gas.highest_temperature();
  for (const auto& element : gas.elements)
    for (std::size_t k = 0; k < gas.size(); ++k) gas.atoms(element, k);
  combustion::read_mixture(gas, "O2:1");
}

} // namespace rhumb::fuzz
