#pragma once
/// A flow from options, as a driver would make it.

#include <rhumb/core/check.hpp>
#include <rhumb/physics/flow/flow.hpp>
#include <map>
#include <string>

namespace rhumb::tests {

inline std::unique_ptr<dae::Problem> make_flow(const std::map<std::string, std::string>& given) {
  core::check(PetscOptionsClear(nullptr));
  for (const auto& [name, value] : given)
    core::check(PetscOptionsSetValue(nullptr, ("-" + name).c_str(), value.c_str()));
  core::Options options;
  auto problem = flow::make_flow(options);
  core::check(PetscOptionsClear(nullptr));
  return problem;
}

} // namespace rhumb::tests
