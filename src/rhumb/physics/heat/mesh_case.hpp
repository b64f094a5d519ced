#pragma once
/// A heat problem on a mesh, in the language of case.hpp: its physical groups of facets are the boundaries of -bc,
/// those of cells the materials.

#include <rhumb/grid/unstructured.hpp>
#include <rhumb/physics/heat/case.hpp>

namespace rhumb::heat {

struct MeshCase : Statement {
  std::vector<Wall> walls{};                       ///< by boundary of the mesh
  std::vector<unsigned char> material_of_region{}; ///< by region of the mesh: which of the materials
  double t_end = 1.0;
};

/// Throws core::BadInput that names the option, also for those that only a box has.
MeshCase read_mesh_case(const core::Options& options, const grid::Unstructured& mesh);

} // namespace rhumb::heat
