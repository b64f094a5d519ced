/// Systems of PDEs from text, as rhumb-pde reads them: parsed, put on four cells in each direction (or on four triangles,
/// whatever mesh the case names), and evaluated with their matrix.

#include "target.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/case.hpp>
#include <rhumb/run/case_file.hpp>
#include <algorithm>

namespace rhumb::fuzz {

namespace {
constexpr std::string_view small_mesh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                        "$PhysicalNames\n5\n1 1 \"left\"\n1 2 \"right\"\n1 3 \"bottom\"\n1 4 \"top\"\n"
                                        "2 5 \"inside\"\n$EndPhysicalNames\n"
                                        "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0.5 0\n$EndNodes\n"
                                        "$Elements\n8\n1 1 2 3 1 1 2\n2 1 2 2 2 2 3\n3 1 2 4 3 3 4\n4 1 2 1 4 4 1\n"
                                        "5 2 2 5 5 1 2 5\n6 2 2 5 5 2 3 5\n7 2 2 5 5 3 4 5\n8 2 2 5 5 4 1 5\n"
                                        "$EndElements\n";

/// As many fours as there are numbers of cells.
std::string few_cells(const std::string& cells) {
  std::string out = "4";
  for (const char c : cells)
    if (c == ',' || c == 'x') out.append(",4");
  return out;
}

core::Options options_of(std::string_view input) {
  std::vector<core::FileValue> values = run::parse_case(std::string(input), "case.yaml");
  for (auto& value : values) {
    if (value.name == "n") value.value = few_cells(value.value);
    if (value.name == "mesh") value.value = memory_file(small_mesh);
    if (value.name == "refine") value.value = std::to_string(0);
  }
  const bool has_geometry =
      std::ranges::any_of(values, [](const auto& value) { return value.name == "n" || value.name == "mesh"; });
  if (!has_geometry) values.push_back({.name = "n", .value = few_cells(""), .location = ""});
  core::Options options;
  run::take_case(values, options);
  return options;
}
} // namespace

void test(std::string_view input) {
  start_petsc();
  const auto problem = text::make_pde(PETSC_COMM_SELF, options_of(input));
  const core::VecHandle y = problem->create_vector(), ydot = problem->create_vector(), f = problem->create_vector();
  problem->initial_values(0.0, y, ydot);
  problem->residual(0.0, y, ydot, f);
  const core::MatHandle matrix = problem->create_matrix();
  problem->jacobian(0.0, y, ydot, 1.0, matrix);
}

} // namespace rhumb::fuzz
