#pragma once
/// A flow from options, as a driver would make it.

#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <map>
#include <string>

namespace rhumb::tests {

inline std::unique_ptr<dae::Problem> make_flow(const std::map<std::string, std::string>& given) {
  const core::Options options(given);
  const core::PetscOptionsScope scope(options);
  return flow::make_flow(PETSC_COMM_WORLD, options);
}

} // namespace rhumb::tests
