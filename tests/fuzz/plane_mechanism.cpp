/// Mechanisms of bodies and joints in the plane, as rhumb-dae -problem mechanism reads them, with the search for start
/// values on their constraints.

#include "mechanism/plane_case.hpp"
#include "target.hpp"
#include <rhumb/physics/mechanics/mechanism.hpp>

namespace rhumb::fuzz {

void test(std::string_view input) {
  start_petsc();
  const core::Options none;
  mechanics::Mechanism mechanism(PETSC_COMM_SELF, problems::plane::read_plane_mechanism(memory_file(input)), none);
  const core::VecHandle y = mechanism.create_vector(), ydot = mechanism.create_vector();
  mechanism.initial_values(0.0, y, ydot);
}

} // namespace rhumb::fuzz
