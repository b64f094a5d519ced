#include "cases.hpp"

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/reactor.hpp>
#include <algorithm>
#include <array>

namespace rhumb::ignite_cases {

namespace {
std::unique_ptr<dae::Problem> delay(MPI_Comm comm, const core::Options& options) {
  return std::make_unique<combustion::Reactor>(comm, options);
}

struct RegisteredCase {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&);
};

constexpr std::array registry{RegisteredCase{"vessel", vessel}, RegisteredCase{"onestep", onestep},
                              RegisteredCase{"hydrogen", hydrogen}, RegisteredCase{"ozone", ozone},
                              RegisteredCase{"delay", delay}};
} // namespace

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  std::vector<std::string> names;
  for (const auto& entry : registry) names.emplace_back(entry.name);
  const std::string chosen = options.choice("problem", "vessel", names, {"which case to solve"});
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const RegisteredCase& e) { return chosen == e.name; });
  return found->make(comm, options);
}

} // namespace rhumb::ignite_cases
