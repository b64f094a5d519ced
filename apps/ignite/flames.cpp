#include "cases.hpp"
#include <rhumb/physics/combustion/detailed_gas.hpp>
#include <rhumb/physics/combustion/one_step_gas.hpp>
#include <rhumb/physics/combustion/vessel.hpp>

namespace rhumb::ignite_cases {

using namespace combustion;

namespace {
/// What flames have in common: a small sphere, a mesh that follows.
VesselDefaults flame(const std::string& name) {
  VesselDefaults standard;
  standard.name = name;
  standard.geometry = "sphere";
  standard.cells = 120;
  standard.rtol = 1e-5;
  standard.regrid_ratio = 3.0;
  return standard;
}

std::unique_ptr<dae::Problem> detailed(MPI_Comm comm, const core::Options& options, const DetailedGas& gas,
                                       const VesselDefaults& standard) {
  return std::make_unique<Vessel<DetailedGas>>(comm, options, gas, standard);
}
} // namespace

std::unique_ptr<dae::Problem> onestep(MPI_Comm comm, const core::Options& options) {
  VesselDefaults standard = flame("onestep");
  standard.energy = 2e-3;
  standard.sigma = 3e-4;
  standard.duration = 1e-4;
  standard.t_end = 1e-2;
  return std::make_unique<Vessel<OneStepGas>>(comm, options, OneStepGas(options), standard);
}

std::unique_ptr<dae::Problem> hydrogen(MPI_Comm comm, const core::Options& options) {
  VesselDefaults standard = flame("hydrogen");
  standard.energy = 1e-3;
  standard.sigma = 3e-4;
  standard.duration = 5e-5;
  standard.t_end = 1e-3;
  return detailed(comm, options, DetailedGas(options, "apps/ignite/h2_air.yaml", "H2:2,O2:1,N2:3.76", "H2"), standard);
}

std::unique_ptr<dae::Problem> ozone(MPI_Comm comm, const core::Options& options) {
  VesselDefaults standard = flame("ozone");
  standard.energy = 2e-3;
  standard.sigma = 3e-4;
  standard.duration = 1e-4;
  standard.t_end = 5e-3;
  return detailed(comm, options, DetailedGas(options, "apps/ignite/ozone.yaml", "O3:1,O2:1", "O3"), standard);
}

} // namespace rhumb::ignite_cases
