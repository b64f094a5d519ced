#include <rhumb/pde/fem/lagrange.hpp>

#include <rhumb/core/check.hpp>
#include <cmath>
#include <petscdmplex.h>
#include <petscdt.h>

namespace rhumb::fem {

using core::check;

namespace {

QuadratureHandle quadrature(const ReferenceCell& cell, int degree) {
  QuadratureHandle out;
  if (cell.simplex)
    check(PetscDTSimplexQuadrature(cell.dimension, degree, PETSCDTSIMPLEXQUAD_DEFAULT, out.out()));
  else
    check(PetscDTGaussTensorQuadrature(cell.dimension, 1, degree / 2 + 1, -1.0, 1.0, out.out()));
  return out;
}

Rule rule_of(PetscQuadrature quadrature) {
  PetscInt dimension = 0, count = 0;
  const PetscReal *points = nullptr, *weights = nullptr;
  check(PetscQuadratureGetData(quadrature, &dimension, nullptr, &count, &points, &weights));
  return {{points, points + count * dimension}, {weights, weights + count}};
}

/// The vector that is normal to the columns of a facet's map and as long as the facet's measure is stretched.
std::array<double, 3> normal_of(int dimension, const std::vector<double>& map) {
  if (dimension == 2) return {map[1], -map[0], 0.0};
  const std::array<double, 3> a{map[0], map[2], map[4]}, b{map[1], map[3], map[5]};
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

} // namespace

int read_order(const core::Options& options, int default_value) {
  return static_cast<int>(options.integer("order", default_value, {"polynomial order of the elements on a mesh"},
                                          core::Range::between(1, 3)));
}

Rule cell_rule(const ReferenceCell& cell, int degree) {
  return rule_of(quadrature(cell, degree));
}

std::vector<FacetRule> facet_rules(const ReferenceCell& cell, int degree) {
  const auto d = static_cast<std::size_t>(cell.dimension);
  const Rule on_facet = cell_rule({cell.dimension - 1, cell.simplex}, degree);
  core::DmHandle shape;
  check(DMPlexCreateReferenceCell(PETSC_COMM_SELF,
                                  DMPolytopeTypeSimpleShape(cell.dimension, cell.simplex ? PETSC_TRUE : PETSC_FALSE),
                                  shape.out()));
  const PetscInt* cone = nullptr;
  PetscInt count = 0;
  check(DMPlexGetCone(shape, 0, &cone));
  check(DMPlexGetConeSize(shape, 0, &count));
  const double centre = cell.simplex ? -1.0 + 2.0 / (cell.dimension + 1) : 0.0;
  std::vector<FacetRule> out;
  for (PetscInt facet = 0; facet < count; ++facet) {
    // x = corner + J (xi + 1), with J of d rows and d - 1 columns, stored as d by d.
    std::vector<double> corner(d), full(d * d), inverse(d * d), map(d * (d - 1));
    double stretch = 0.0;
    check(DMPlexComputeCellGeometryFEM(shape, cone[facet], nullptr, corner.data(), full.data(), inverse.data(),
                                       &stretch));
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j + 1 < d; ++j) map[i * (d - 1) + j] = full[i * d + j];
    FacetRule made;
    made.normal = normal_of(cell.dimension, map);
    double length = 0.0, outward = 0.0;
    for (std::size_t q = 0; q < on_facet.weights.size(); ++q)
      for (std::size_t i = 0; i < d; ++i) {
        double x = corner[i];
        for (std::size_t j = 0; j + 1 < d; ++j) x += map[i * (d - 1) + j] * (on_facet.points[q * (d - 1) + j] + 1.0);
        made.rule.points.push_back(x);
        if (q == 0) outward += made.normal[i] * (x - centre);
      }
    for (const double component : made.normal) length += component * component;
    length = std::sqrt(length);
    for (double& component : made.normal) component /= outward > 0.0 ? length : -length;
    for (const double weight : on_facet.weights) made.rule.weights.push_back(weight * length);
    out.push_back(std::move(made));
  }
  return out;
}

Lagrange::Lagrange(const ReferenceCell& cell, int order) : cell_(cell), order_(order) {
  check(PetscFECreateLagrange(PETSC_COMM_SELF, cell.dimension, 1, cell.simplex ? PETSC_TRUE : PETSC_FALSE, order,
                              PETSC_DETERMINE, fe_.out()));
  check(PetscFEGetDimension(fe_, &size_));
  PetscDualSpace dual = nullptr;
  check(PetscFEGetDualSpace(fe_, &dual));
  for (PetscInt i = 0; i < size_; ++i) {
    PetscQuadrature functional = nullptr;
    check(PetscDualSpaceGetFunctional(dual, i, &functional));
    const Rule node = rule_of(functional);
    nodes_.insert(nodes_.end(), node.points.begin(), node.points.end());
  }
}

Tabulation Lagrange::at(const std::vector<double>& points) const {
  const auto d = static_cast<std::size_t>(cell_.dimension);
  Tabulation out{static_cast<PetscInt>(points.size() / d), size_, {}, {}};
  PetscTabulation found = nullptr;
  check(PetscFECreateTabulation(fe_, 1, out.points, points.data(), 1, &found));
  const auto count = static_cast<std::size_t>(out.points * size_);
  out.values.assign(found->T[0], found->T[0] + count);
  out.gradients.assign(found->T[1], found->T[1] + count * d);
  check(PetscTabulationDestroy(&found));
  return out;
}

} // namespace rhumb::fem
