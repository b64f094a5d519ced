#pragma once
/// Triangles or tetrahedra whose points move while their neighbours stay. They come from a box (box_simplices.cpp: each
/// cell of a plane cut into two triangles, each cell of space into six tetrahedra around one of its diagonals, Kuhn's
/// cut) or from a Gmsh file of triangles (mesh_simplices.cpp). The mesh as it was made is the reference: with a constant
/// monitor points rest there.
///
/// A rank computes all rows of its own points, from all cells that touch them; cells along the cut between two ranks
/// are looked at by both, and nothing but the points' values is exchanged.

#include <rhumb/core/handle.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <rhumb/pde/moving_box/pde.hpp>
#include <span>

namespace rhumb::moving_box {

class Simplices {
public:
  /// `unknowns` at each point.
  Simplices(MPI_Comm comm, const grid::BoxShape& shape, int unknowns, Diagonal diagonal);
  /// Throws core::BadInput where the mesh is not of triangles.
  Simplices(const grid::Unstructured& mesh, int unknowns);

  MPI_Comm comm() const { return comm_; }
  int dimension() const { return dimension_; }
  int unknowns() const { return unknowns_; }
  int vertices() const { return dimension_ + 1; }
  /// "box 40 x 40, [0, 1] x [0, 1] cut into simplices"
  const std::string& description() const { return description_; }

  PetscInt nodes() const { return static_cast<PetscInt>(sides_.size()); } ///< points here, with those of neighbours
  PetscInt owned_nodes() const { return static_cast<PetscInt>(own_.size()); }
  std::uint64_t total_nodes() const { return total_nodes_; }
  PetscInt owned(PetscInt i) const { return own_[i]; } ///< local index of the i-th own point
  bool is_own(PetscInt node) const { return is_own_[node]; }
  PetscInt global(PetscInt node) const { return global_[node]; }   ///< PETSc's index
  PetscInt natural(PetscInt node) const { return natural_[node]; } ///< independent of the ranks
  double reference(PetscInt node, int direction) const {
    return reference_[static_cast<std::size_t>(node * dimension_ + direction)];
  }
  /// How many simplices have the own point as a corner.
  int touching(PetscInt node) const { return touching_[node]; }

  PetscInt count() const { return static_cast<PetscInt>(corners_.size()) / vertices(); }
  const PetscInt* corners(PetscInt element) const { return corners_.data() + element * vertices(); }
  /// Every simplex is counted on exactly one rank.
  bool is_counted(PetscInt element) const { return counted_[element]; }
  std::uint64_t total() const { return total_; } ///< simplices on all ranks
  std::uint64_t index(PetscInt element) const { return index_[element]; }

  /// Names of the parts of the boundary: the box's sides, or the file's physical groups. A point has a bit for each of
  /// them that it lies on.
  const std::vector<std::string>& side_names() const { return side_names_; }
  unsigned sides(PetscInt node) const { return sides_[node]; }

  /// A face of a simplex on a named part of the boundary: all its corners but one.
  struct Facet {
    PetscInt element;
    int opposite;
    std::size_t side;
  };
  std::span<const Facet> facets() const { return facets_; }

  /// Two simplices on both sides of a face that has a point of this rank, and their corners off the face.
  struct Face {
    PetscInt one, other;
    int far_one, far_other;
  };
  std::span<const Face> faces() const { return faces_; }

  /// A neighbour and what the difference to it is multiplied with.
  struct Link {
    PetscInt node;
    double factor;
  };
  /// The mesh's Laplacian in the reference at the i-th own point, sum factor (x_l - x) in 1/length^2: over all
  /// neighbours inside, over those on the same straight side for a point that slides there.
  std::span<const Link> pulls(PetscInt i) const { return pulls_.of(i); }
  /// The same in units of the local cell's size, with nothing beyond the boundary, for the smoothing of the monitor.
  std::span<const Link> smoothed(PetscInt i) const { return smoothed_.of(i); }

  /// Whether the coordinate of the i-th own point is bound to the boundary: sum_d binding[d] (x_d - X_d) = 0 is its row,
  /// with one in the coordinate's own place.
  bool is_bound(PetscInt i, int direction) const { return (bound_[i] >> direction & 1U) != 0; }
  /// On a straight side the normal, where one coordinate is bound; else the coordinates stand alone.
  double binding(PetscInt i, int bound, int direction) const {
    return bound == direction ? 1.0 : slant_[static_cast<std::size_t>(i * dimension_ + direction)];
  }

  /// Of a cell of the box; on a mesh of two mean triangles.
  double cell_volume() const { return cell_volume_; }
  double volume() const { return volume_; } ///< of the whole
  /// The side of a cube or square of the same volume.
  double length() const;
  const std::array<double, 3>& lower() const { return lower_; }
  const std::array<double, 3>& upper() const { return upper_; } ///< corners of the box around all

  core::VecHandle create_vector() const;
  core::VecHandle create_local() const;
  void to_local(Vec y, Vec local) const;

private:
  struct BoxPart; ///< of this rank, for the making
  struct MeshPart;
  /// Lists of different lengths, one after another.
  struct Lists {
    std::vector<std::size_t> first{0};
    std::vector<Link> links;
    std::span<const Link> of(PetscInt i) const {
      const auto k = static_cast<std::size_t>(i);
      return {links.data() + first[k], first[k + 1] - first[k]};
    }
    void add(const std::vector<Link>& list) {
      links.insert(links.end(), list.begin(), list.end());
      first.push_back(links.size());
    }
  };

  void create_exchange();
  void find_faces();
  void add_box_nodes(const BoxPart& part);
  void add_box_cells(const BoxPart& part, Diagonal diagonal);
  void add_box_cell(const BoxPart& part, const std::array<PetscInt, 3>& cell, unsigned mirror);
  void find_box_facets();
  void link_box(const BoxPart& part);
  void add_mesh_nodes(MeshPart& part);
  void add_mesh_cells(MeshPart& part);
  void add_mesh_facets(MeshPart& part);
  void link_mesh(MeshPart& part);
  std::vector<Link> bind(const MeshPart& part, std::size_t i);

  MPI_Comm comm_;
  int dimension_, unknowns_;
  std::string description_;
  core::ScatterHandle scatter_;
  std::uint64_t total_nodes_ = 0, total_ = 0;
  double cell_volume_ = 0.0, volume_ = 0.0;
  std::array<double, 3> lower_{}, upper_{};
  std::vector<PetscInt> own_, global_, natural_;
  std::vector<double> reference_;
  std::vector<unsigned> sides_;
  std::vector<std::string> side_names_;
  std::vector<bool> is_own_, counted_;
  std::vector<int> touching_;
  std::vector<PetscInt> corners_;
  std::vector<std::uint64_t> index_;
  std::vector<Facet> facets_;
  std::vector<Face> faces_;
  Lists pulls_, smoothed_;
  std::vector<unsigned> bound_; ///< of the own points
  std::vector<double> slant_;
};

} // namespace rhumb::moving_box
