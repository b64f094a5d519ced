/// Netlists of rhumb-dae -problem circuit, with what their topology says.

#include "netlist.hpp"
#include "target.hpp"
#include <sstream>

namespace rhumb::fuzz {

void test(std::string_view input) {
  std::istringstream text{std::string(input)};
  problems::read_netlist(text, "net");
}

} // namespace rhumb::fuzz
