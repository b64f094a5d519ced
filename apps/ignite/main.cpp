/// rhumb-ignite: combustion in closed vessels and ignition delays, by -problem or a case file; -study mie.

#include "cases.hpp"
#include <rhumb/run/run.hpp>

int main(int argc, char** argv) {
  const rhumb::run::NamedStudy minimum_ignition_energy{
      .name = "mie",
      .about = "the minimum ignition energy, from -energy on",
      .option = "energy",
      .until = "fate=ignited",
      .options = {{"stop_at_fate", "true"}},
      .undecided = "neither ignited nor died: a later -t_end, another -flame_level or -burnt_radius is needed",
      .found = "mie",
      .tried = "energies",
      .held = "ignited"};
  return rhumb::run::run(argc, argv, rhumb::ignite_cases::make, {minimum_ignition_energy});
}
