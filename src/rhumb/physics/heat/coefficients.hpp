#pragma once
/// The tables of a case on a rank's part of a box: k at its points and their halo, rho c, the source, and the walls.

#include <rhumb/pde/box/stencil.hpp>
#include <rhumb/physics/heat/kernel.hpp>

namespace rhumb::heat {

class Coefficients {
public:
  /// Fills everything at the initial state. Throws core::BadInput, on all ranks, for a coefficient that is not allowed
  /// to be what it is.
  Coefficients(const Case& heat_case, const grid::Box& box, double t_start);

  /// Which kernel a case needs: that for constant numbers, or tables, without or with slopes in T.
  enum class Variety : std::uint8_t { uniform, tabled, of_T };
  static Variety variety(const Case& heat_case);

  /// Brings all tables to (t, T). Throws core::Recoverable that says which value is not allowed, and where.
  void update(double t, const box::Nodal& T, core::Need need);

  /// Volume of a point's control volume, m^3 (per metre or square metre of what the box does not resolve; all around in
  /// radial geometry).
  double volume(PetscInt owned) const;
  /// body(owned, volume) for all points of this rank.
  template <class Body>
  void each_volume(const Body& body) const;
  /// Area of a point's piece of the wall on that side.
  double wall_area(PetscInt owned, std::size_t side) const;
  /// Initial temperature of an own point; on a Dirichlet side the side's.
  double initial(PetscInt owned) const;
  /// The heat that this rank's volumes took up since the start, J.
  double heat_taken_up(std::span<const double> T) const;

  const UniformKernel& uniform_kernel() const { return uniform_; }
  template <int D, Derivatives derivatives_of>
  TableKernel<D, derivatives_of> table_kernel(const grid::Segment<D>& segment) const;

  const Walls& walls() const { return walls_; }
  const Table& source() const { return source_; }
  bool has_source() const { return !(source_.uniform() && source_.row(0).value(0) == 0.0); }
  /// The own points on a side.
  std::span<const PetscInt> wall_points(std::size_t side) const { return wall_points_[side]; }
  double diffusivity() const { return k_owned_.row(0).value(0) / capacity_.row(0).value(0); }

private:
  std::string update_all(double t, const box::Nodal& T, core::Need need);
  void make_node_tables();
  void make_wall_tables();
  /// Sum of V rho c T, where rho c does not depend on T.
  double heat_content(std::span<const double> T) const;
  std::vector<unsigned char> materials_at(PetscInt points, const Table::PositionOf& position) const;

  const Case& case_;
  const grid::Box& box_;
  double t_start_;
  Table k_owned_, k_halo_, capacity_, source_;
  std::vector<unsigned char> material_; ///< of the own points; empty where there is but the body
  Walls walls_;
  std::array<std::vector<PetscInt>, 6> wall_points_; ///< own points on each side, in the walls' numbering
  std::vector<double> wall_T_;
  double first_content_ = 0.0; ///< `heat_content` of the start
  UniformKernel uniform_;      ///< up to date where that is the case's variety
};

template <int D, Derivatives derivatives_of>
TableKernel<D, derivatives_of> Coefficients::table_kernel(const grid::Segment<D>& segment) const {
  TableKernel<D, derivatives_of> kernel;
  const auto from = [](const Table& table, PetscInt first) {
    return TableSegment{table.values(first), table.derivatives(first)};
  };
  const auto row = [&](const grid::NeighbourRow& neighbour) {
    return from(neighbour.in_halo ? k_halo_ : k_owned_, neighbour.index);
  };
  kernel.k = from(k_owned_, segment.first);
  for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
    kernel.lower[d] = row(segment.minus[d]);
    kernel.upper[d] = row(segment.plus[d]);
  }
  kernel.capacity = from(capacity_, segment.first);
  kernel.source = from(source_, segment.first);
  kernel.mean = case_.mean;
  kernel.symmetry = case_.symmetry;
  kernel.walls = &walls_;
  kernel.first = segment.first;
  return kernel;
}

template <class Body>
void Coefficients::each_volume(const Body& body) const {
  const bool planar = case_.symmetry == Symmetry::planar;
  const PetscInt length = box_.count()[0];
  for (PetscInt first = 0; first < box_.owned_nodes(); first += length) {
    // Along a row volumes differ at its ends only, unless they are shells.
    const double inside = volume(first + length / 2);
    for (PetscInt owned = first; owned < first + length; ++owned) {
      const bool at_end = owned == first || owned + 1 == first + length;
      body(owned, planar && !at_end ? inside : volume(owned));
    }
  }
}

} // namespace rhumb::heat
