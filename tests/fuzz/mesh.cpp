/// Whole meshes: what the look into the file lets through, PETSc reads, and the groups are made of it.

#include "target.hpp"
#include <rhumb/grid/unstructured.hpp>

namespace rhumb::fuzz {

void test(std::string_view input) {
  start_petsc();
  const grid::Unstructured mesh(PETSC_COMM_WORLD, memory_file(input), 0);
  mesh.describe();
}

} // namespace rhumb::fuzz
