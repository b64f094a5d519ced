#include "cases.hpp"
#include <rhumb/physics/combustion/vessel.hpp>

namespace rhumb::ignite_cases {

/// Air in a closed cylinder, heated on the axis for a millisecond.
std::unique_ptr<dae::Problem> vessel(MPI_Comm comm, const core::Options& options) {
  combustion::InertGas gas(options);
  return std::make_unique<combustion::Vessel<combustion::InertGas>>(comm, options, gas, combustion::VesselDefaults{});
}

} // namespace rhumb::ignite_cases
