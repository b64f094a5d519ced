#pragma once
/// The tables of a case at the quadrature points of a rank's cells and of its facets on boundaries.

#include <rhumb/core/need.hpp>
#include <rhumb/pde/fem/patches.hpp>
#include <rhumb/physics/heat/mesh_case.hpp>
#include <rhumb/physics/heat/wall_flux.hpp>

namespace rhumb::heat {

class MeshCoefficients {
public:
  /// All of them must outlive this.
  MeshCoefficients(const MeshCase& heat_case, const grid::Unstructured& mesh, const fem::Patches& cells,
                   const fem::Patches& facets);
  MeshCoefficients(const MeshCoefficients&) = delete;
  MeshCoefficients& operator=(const MeshCoefficients&) = delete;

  /// Whether the temperature is needed at the points of cells, or of facets, to bring the tables up to date.
  bool cells_use_T() const { return k_.uses_T() || capacity_.uses_T() || source_.uses_T(); }
  bool facets_use_T() const;
  bool capacity_uses_T() const { return capacity_.uses_T(); }

  /// Brings all tables to t and the temperatures at the points. Returns a complaint about the first value that is not
  /// allowed to be what it is, else nothing.
  std::string update(double t, std::span<const double> in_cells, std::span<const double> on_facets, core::Need need);

  template <class S>
  S k(PetscInt point, const S& T) const {
    return coefficient(k_.row(0), point, T);
  }
  template <class S>
  S capacity(PetscInt point, const S& T) const {
    return coefficient(capacity_.row(0), point, T);
  }
  template <class S>
  S source(PetscInt point, const S& T) const {
    return coefficient(source_.row(0), point, T);
  }
  /// Into the body, at a point of the facets; zero through boundaries that are held at a temperature.
  template <class S>
  S flux(int boundary, PetscInt point, const S& T) const {
    return wall_flux(walls_[boundary], number_[point], T, case_.stefan_boltzmann);
  }
  const Material& material(PetscInt point) const;

private:
  void make_cell_tables(const grid::Unstructured& mesh);
  void make_wall_tables();

  const MeshCase& case_;
  const fem::Patches& cells_;
  const fem::Patches& facets_;
  std::vector<unsigned char> material_; ///< of the cells' points; empty where there is but the body
  Table k_, capacity_, source_;
  std::vector<WallTables> walls_;             ///< by boundary
  std::vector<std::vector<PetscInt>> points_; ///< of the facets, on each boundary
  std::vector<PetscInt> number_;              ///< of each facet's point on its boundary
  std::vector<double> wall_T_;
};

} // namespace rhumb::heat
