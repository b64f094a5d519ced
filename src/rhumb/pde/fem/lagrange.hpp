#pragma once
/// Lagrange elements on the reference cell, [-1, 1]^d or the simplex in it, as PetscFE has them: basis functions and
/// their slopes at given points, and the rules of quadrature. Points are [n, d] in C order.

#include <rhumb/core/handle.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <petscfe.h>

namespace rhumb::fem {

using FeHandle = core::Handle<PetscFE, PetscFEDestroy>;
using QuadratureHandle = core::Handle<PetscQuadrature, PetscQuadratureDestroy>;

/// The cell that elements are defined on.
struct ReferenceCell {
  int dimension = 2;
  bool simplex = true;
};

/// Points of the reference cell with weights.
struct Rule {
  std::vector<double> points;
  std::vector<double> weights;
  PetscInt size() const { return static_cast<PetscInt>(weights.size()); }
};

/// Exact for polynomials of that degree (in each direction, on boxes).
Rule cell_rule(const ReferenceCell& cell, int degree);

/// A facet of the reference cell: its rule in the cell's coordinates, and the outward normal of unit length.
struct FacetRule {
  Rule rule;
  std::array<double, 3> normal{};
};
/// In the order of a cell's cone.
std::vector<FacetRule> facet_rules(const ReferenceCell& cell, int degree);

/// Basis functions at points: values [point, function], slopes [point, function, direction].
struct Tabulation {
  PetscInt points = 0, functions = 0;
  std::vector<double> values, gradients;
};

/// Reads -order: of the elements, 1 to 3.
int read_order(const core::Options& options, int default_value = 1);

class Lagrange {
public:
  Lagrange(const ReferenceCell& cell, int order);

  int order() const { return order_; }
  PetscFE fe() const { return fe_; }
  PetscInt size() const { return size_; } ///< number of basis functions
  /// Where each basis function is one and the others are zero, [size, d].
  const std::vector<double>& nodes() const { return nodes_; }
  Tabulation at(const std::vector<double>& points) const;

private:
  ReferenceCell cell_;
  int order_;
  FeHandle fe_;
  PetscInt size_ = 0;
  std::vector<double> nodes_;
};

} // namespace rhumb::fem
