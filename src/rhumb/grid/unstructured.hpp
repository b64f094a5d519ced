#pragma once
/// A mesh of triangles, quadrilaterals, tetrahedra or hexahedra from a Gmsh file, distributed by a DMPlex. Its physical
/// groups become named boundaries (of facets) and named regions (of cells).
///
/// Every point of the mesh (cell, vertex, edge, face) keeps the number it had before the mesh was cut into ranks: what
/// is written and what is restarted does not depend on the number of ranks.

#include <rhumb/core/handle.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/grid/gmsh.hpp>
#include <span>

namespace rhumb::grid {

class Unstructured {
public:
  /// Reads the file on the first rank, refines every cell `refinements` times, distributes.
  Unstructured(MPI_Comm comm, const std::string& file, int refinements);

  MPI_Comm comm() const { return comm_; }
  DM dm() const { return dm_; }
  int dimension() const { return kind_.dimension; }
  CellShape shape() const { return kind_.shape; }
  int order() const { return kind_.order; } ///< of the cells: 1 straight, 2 and more curved
  bool simplex() const { return kind_.shape == CellShape::triangle || kind_.shape == CellShape::tetrahedron; }
  const std::string& file() const { return file_; }
  /// "mesh of 512 triangles, 289 vertices (0123456789abcdef)", the last being the file's digest
  std::string describe() const;

  const std::vector<std::string>& boundaries() const { return boundaries_; }
  const std::vector<std::string>& regions() const { return regions_; }
  /// The number of the boundary with that name; core::BadInput, with what asked for it, when there is none.
  int boundary(const std::string& name, const std::string& option) const;
  int region(const std::string& name, const std::string& option) const;

  /// This rank's cells are the points [0, cells()).
  PetscInt cells() const { return cells_; }
  PetscInt points() const { return static_cast<PetscInt>(original_.size()); }
  int region_of(PetscInt cell) const { return region_of_[cell]; } ///< -1: none

  /// A facet on a boundary, seen from its cell, which is this rank's: `face` is its place in the cell's cone.
  struct Facet {
    PetscInt cell, point;
    int face;
    int boundary;
  };
  std::span<const Facet> facets() const { return facets_; }
  /// Facets of the whole mesh that lie on its rim and in no group.
  PetscInt unlabelled_boundary_facets() const { return bare_facets_; }

  /// Depth of a point (0: vertex), its number before distribution, and how many points of each depth there are in all.
  int depth(PetscInt point) const { return depth_[point]; }
  PetscInt original(PetscInt point) const { return original_[point]; }
  /// Of all original points of a depth: the first, and how many.
  struct Stratum {
    PetscInt first, count;
  };
  const Stratum& stratum(int depth) const { return strata_[depth]; }

private:
  void read(int refinements);
  void check_memory_demand(int refinements) const;
  void check_boundary();
  std::vector<std::array<double, 3>> centres() const;
  void choose_parts();
  void distribute();
  void note_strata();
  void note_points(PetscSF migration);
  void note_groups();

  MPI_Comm comm_;
  std::string file_;
  GmshFile kind_;
  core::DmHandle dm_;
  std::vector<std::string> boundaries_, regions_;
  std::vector<int> boundary_tags_, region_tags_;
  PetscInt cells_ = 0, bare_facets_ = 0;
  std::vector<int> region_of_, depth_;
  std::vector<PetscInt> original_;
  std::vector<Stratum> strata_;
  std::vector<Facet> facets_;
};

/// What -mesh is, for drivers that have boxes too.
core::About about_mesh();
/// Reads -mesh and -refine.
Unstructured read_mesh(MPI_Comm comm, const core::Options& options);

} // namespace rhumb::grid
