#include "cases.hpp"

#include <algorithm>
#include <array>

namespace rhumb::mesh_cases {

namespace {
struct Entry {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&);
};

constexpr std::array registry{
    Entry{"reaction", reaction}, Entry{"burgers", burgers}, Entry{"dwyer_sanders", dwyer_sanders},
    Entry{"fisher", fisher},     Entry{"wave", wave},       Entry{"pdepe", pdepe},
};
} // namespace

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  std::vector<std::string> names;
  for (const auto& entry : registry) names.emplace_back(entry.name);
  const std::string chosen = options.choice("problem", "reaction", names, {"which case to solve"});
  const auto found = std::find_if(registry.begin(), registry.end(), [&](const Entry& e) { return chosen == e.name; });
  return found->make(comm, options);
}

} // namespace rhumb::mesh_cases
