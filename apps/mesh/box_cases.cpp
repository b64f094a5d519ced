#include "box_cases.hpp"

#include <algorithm>
#include <array>

namespace rhumb::mesh_cases {

namespace {
struct NamedCase {
  const char* name;
  std::unique_ptr<dae::Problem> (*make)(MPI_Comm comm, const core::Options&, int dimension);
  int most_directions;
};

constexpr std::array registry{
    NamedCase{"burgers", box_burgers, 3},   NamedCase{"curved", box_curved, 2}, NamedCase{"turning", box_turning, 2},
    NamedCase{"reaction", box_reaction, 2}, NamedCase{"porous", box_porous, 2}, NamedCase{"blowup", box_blowup, 2},
    NamedCase{"flame", box_flame, 2},       NamedCase{"pde", box_formulas, 2},
};
} // namespace

std::unique_ptr<dae::Problem> make_on_box(MPI_Comm comm, const core::Options& options, int dimension) {
  std::vector<std::string> names;
  for (const auto& entry : registry)
    if (dimension <= entry.most_directions) names.emplace_back(entry.name);
  const std::string chosen = options.choice("problem", "burgers", names, {"which case to solve"});
  const auto found = std::ranges::find_if(registry, [&](const NamedCase& e) { return chosen == e.name; });
  return found->make(comm, options, dimension);
}

} // namespace rhumb::mesh_cases
