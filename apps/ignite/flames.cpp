#include "cases.hpp"
#include <rhumb/physics/combustion/detailed_gas.hpp>
#include <rhumb/physics/combustion/one_step_gas.hpp>
#include <rhumb/physics/combustion/vessel.hpp>

namespace rhumb::ignite_cases {

using namespace combustion;

namespace {
/// What flames have in common: a small sphere, a mesh that follows.
VesselDefaults flame(const std::string& name) {
  VesselDefaults defaults;
  defaults.name = name;
  defaults.geometry = "sphere";
  defaults.cells = 120;
  defaults.rtol = 1e-5;
  defaults.regrid_ratio = 3.0;
  return defaults;
}

std::unique_ptr<dae::Problem> detailed(MPI_Comm comm, const core::Options& options, const DetailedGas& gas,
                                       const VesselDefaults& defaults) {
  return std::make_unique<Vessel<DetailedGas>>(comm, options, gas, defaults);
}
} // namespace

std::unique_ptr<dae::Problem> onestep(MPI_Comm comm, const core::Options& options) {
  VesselDefaults defaults = flame("onestep");
  defaults.energy = 2e-3;
  defaults.sigma = 3e-4;
  defaults.duration = 1e-4;
  defaults.t_end = 1e-2;
  return std::make_unique<Vessel<OneStepGas>>(comm, options, OneStepGas(options), defaults);
}

std::unique_ptr<dae::Problem> hydrogen(MPI_Comm comm, const core::Options& options) {
  VesselDefaults defaults = flame("hydrogen");
  defaults.energy = 1e-3;
  defaults.sigma = 3e-4;
  defaults.duration = 5e-5;
  defaults.t_end = 1e-3;
  return detailed(comm, options, DetailedGas(options, "apps/ignite/h2_air.yaml", "H2:2,O2:1,N2:3.76", "H2"), defaults);
}

std::unique_ptr<dae::Problem> ozone(MPI_Comm comm, const core::Options& options) {
  VesselDefaults defaults = flame("ozone");
  defaults.energy = 2e-3;
  defaults.sigma = 3e-4;
  defaults.duration = 1e-4;
  defaults.t_end = 5e-3;
  return detailed(comm, options, DetailedGas(options, "apps/ignite/ozone.yaml", "O3:1,O2:1", "O3"), defaults);
}

} // namespace rhumb::ignite_cases
