#include "cases.hpp"
#include "box_cases.hpp"

#include <algorithm>
#include <array>

namespace rhumb::mesh_cases {

namespace {
struct RegisteredPde {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&);
};

constexpr std::array registry{
    RegisteredPde{"reaction", reaction},
    RegisteredPde{"burgers", burgers},
    RegisteredPde{"dwyer_sanders", dwyer_sanders},
    RegisteredPde{"fisher", fisher},
    RegisteredPde{"wave", wave},
    RegisteredPde{"pdepe", pdepe},
};
} // namespace

std::unique_ptr<dae::Problem> make(MPI_Comm comm, const core::Options& options) {
  const long dimension = options.integer("dim", 1, {"directions of space"}, core::Range::between(1, 3));
  if (dimension > 1) return make_on_box(comm, options, static_cast<int>(dimension));
  std::vector<std::string> names;
  for (const auto& entry : registry) names.emplace_back(entry.name);
  const std::string chosen = options.choice("problem", "reaction", names, {"which case to solve"});
  const auto found =
      std::find_if(registry.begin(), registry.end(), [&](const RegisteredPde& e) { return chosen == e.name; });
  return found->make(comm, options);
}

} // namespace rhumb::mesh_cases
