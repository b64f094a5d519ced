#pragma once
/// Where integrals are taken: on each cell, or on each facet of the boundaries, a rule's points with their weights, the
/// basis functions there and the slope of the cell's map. All is found once, since meshes stand still.

#include <rhumb/pde/fem/space.hpp>

namespace rhumb::fem {

/// Basis functions of all components at the points of one rule, [point, alpha, function]: alpha = 0 is the value, the
/// others are slopes in the directions of the reference cell.
class Basis {
public:
  Basis(const Space& space, const Rule& rule);
  PetscInt points() const { return points_; }
  const double* functions(int component, PetscInt point) const {
    const auto& table = tables_[component];
    return table.values.data() + point * table.stride;
  }

private:
  struct PerComponent {
    PetscInt stride = 0;
    std::vector<double> values;
  };
  PetscInt points_ = 0;
  std::vector<PerComponent> tables_;
};

/// One cell or facet.
struct Patch {
  PetscInt cell = 0;
  int boundary = -1;  ///< of a facet
  PetscInt first = 0; ///< number of its first point among all points of the patches
  const Basis* basis = nullptr;
  const double* weights = nullptr;  ///< [point], with the measure
  const double* inverses = nullptr; ///< dxi_k/dx_i at [point * stride + k * d + i]
  PetscInt inverse_stride = 0;      ///< 0 on straight simplices
  const Position* positions = nullptr;
  const Position* normals = nullptr; ///< of a facet, outward, unit length
};

class Patches {
public:
  /// All cells of the rank, with a rule of that degree.
  static Patches cells(const Space& space, int degree);
  static Patches cells(const Space& space, const Rule& rule);
  /// All facets of the rank on boundaries.
  static Patches facets(const Space& space, int degree);

  PetscInt size() const { return static_cast<PetscInt>(entries_.size()); }
  Patch operator[](PetscInt i) const;
  /// Of all patches together.
  PetscInt points() const { return static_cast<PetscInt>(weights_.size()); }
  const Position& position(PetscInt index) const { return positions_[index]; }
  double weight(PetscInt index) const { return weights_[index]; }
  /// The patch that a point belongs to.
  PetscInt patch_of(PetscInt index) const { return patch_of_[index]; }

private:
  explicit Patches(const Space& space);
  struct PatchRecord {
    PetscInt cell, first, first_inverse;
    int boundary, face;
  };
  void add(const Space& space, const PatchRecord& entry, const Rule& rule, const CellMaps::Table& map,
           const Position* normal);

  std::size_t dimension_;
  bool straight_;
  std::vector<Basis> bases_; ///< one, or one per face of the reference cell
  std::vector<PatchRecord> entries_;
  std::vector<double> weights_, inverses_;
  std::vector<Position> positions_, normals_;
  std::vector<PetscInt> patch_of_;
};

} // namespace rhumb::fem
