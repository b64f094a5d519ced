/// The look into Gmsh files before PETSc reads them.

#include "target.hpp"
#include <rhumb/grid/gmsh.hpp>

namespace rhumb::fuzz {

void test(std::string_view input) {
  const grid::GmshFile found = grid::inspect_gmsh(memory_file(input));
  grid::gmsh_from_text(grid::text(found));
}

} // namespace rhumb::fuzz
