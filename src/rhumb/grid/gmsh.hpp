#pragma once
/// A look into a Gmsh file before PETSc reads it: which physical groups it names, what its cells are, whether it is
/// whole. PETSc's reader stops at what it does not know with words for its own developers, and on one rank alone.

#include <rhumb/grid/geometry.hpp>
#include <filesystem>

namespace rhumb::grid {

struct GmshGroup {
  int dimension = 0;
  int tag = 0;
  std::string name;
};

struct GmshFile {
  int dimension = 0;                     ///< of the cells
  CellShape shape = CellShape::triangle; ///< of all cells
  int order = 1;                         ///< of the cells: 2 and more are curved
  std::vector<GmshGroup> groups;         ///< in the order of the file
  std::uint64_t digest = 0;              ///< of the file's text: another mesh has another
};

/// Throws core::BadInput (what and where) or core::InputOutput. Made on one rank; see `text` and `gmsh_from_text`.
GmshFile inspect_gmsh(const std::filesystem::path& file);

/// For the way to other ranks.
std::string text(const GmshFile& file);
GmshFile gmsh_from_text(const std::string& text);

} // namespace rhumb::grid
