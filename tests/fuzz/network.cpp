/// Networks of pipes: GasLib's XML where the input begins with '<', JSON where it begins with '{', else YAML. What stands
/// behind a line "=== scenario" is the scenario. What is read is checked as a run checks it.

#include "target.hpp"
#include <rhumb/physics/network/read_other.hpp>

namespace rhumb::fuzz {

namespace {
network::Network read(std::string_view input) {
  constexpr std::string_view mark = "=== scenario\n";
  const std::size_t end = input.find(mark);
  const std::string file = memory_file(input.substr(0, end));
  const std::string scenario =
      end == std::string_view::npos ? "" : memory_file(input.substr(end + mark.size()), MemoryFile::second);
  if (input.starts_with('<')) return network::read_gaslib(file, scenario);
  if (input.starts_with('{')) return network::read_json(file, scenario);
  return network::read_yaml(file);
}
} // namespace

void test(std::string_view input) {
  const network::Network found = read(input);
  network::element_names(found);
  network::check_network(found);
  network::check_pressures(found);
}

} // namespace rhumb::fuzz
