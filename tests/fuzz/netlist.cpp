/// Netlists of rhumb-dae -problem circuit, with what their topology says.

#include "netlist.hpp"
#include "spice/network.hpp"
#include "target.hpp"
#include <sstream>

namespace rhumb::fuzz {

void test(std::string_view input) {
  if (const std::string deck(input); problems::spice::is_spice(deck)) {
    problems::spice::make_network(problems::spice::read_deck(deck, "net"));
    return;
  }
  std::istringstream text{std::string(input)};
  problems::read_netlist(text, "net");
}

} // namespace rhumb::fuzz
