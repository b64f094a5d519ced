#include <rhumb/pde/fem/patches.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/fem/small_matrix.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::fem {

Basis::Basis(const Space& space, const Rule& rule) : points_(rule.size()) {
  const auto d = static_cast<std::size_t>(space.mesh().dimension());
  for (int c = 0; c < space.components(); ++c) {
    const Tabulation table = space.element(c).at(rule.points);
    const std::size_t functions = table.functions;
    PerComponent made{static_cast<PetscInt>((1 + d) * functions), {}};
    for (std::size_t q = 0; q < static_cast<std::size_t>(points_); ++q) {
      for (std::size_t b = 0; b < functions; ++b) made.values.push_back(table.values[q * functions + b]);
      for (std::size_t k = 0; k < d; ++k)
        for (std::size_t b = 0; b < functions; ++b) made.values.push_back(table.gradients[(q * functions + b) * d + k]);
    }
    tables_.push_back(std::move(made));
  }
}

Patches::Patches(const Space& space)
    : dimension_(static_cast<std::size_t>(space.mesh().dimension())),
      straight_(space.mesh().simplex() && space.mesh().order() == 1) {}

void Patches::add(const Space& space, const PatchRecord& entry, const Rule& rule, const CellMaps::Table& map,
                  const Position* normal) {
  entries_.push_back(entry);
  double orientation = 0.0; // of the cell's map at its first point
  for (PetscInt q = 0; q < rule.size(); ++q) {
    const auto J = space.maps().jacobian(entry.cell, map, q);
    const double det = determinant(J, dimension_);
    const Position x = space.maps().position(entry.cell, map, q);
    if (q == 0) orientation = det;
    if (!(std::abs(det) > 0.0) || det * orientation < 0.0)
      throw core::BadInput(fmt::format("the mesh {} has a cell without volume, or one that is folded, near "
                                       "({:g}, {:g}, {:g})",
                                       space.mesh().file(), x[0], x[1], x[2]));
    const auto back = inverse(J, dimension_, det);
    double measure = std::abs(det);
    if (normal) { // n dS = det J^-T n dS of the reference cell
      Position n{};
      double length = 0.0;
      for (std::size_t i = 0; i < dimension_; ++i) {
        for (std::size_t k = 0; k < dimension_; ++k) n[i] += back[k * dimension_ + i] * (*normal)[k];
        length += n[i] * n[i];
      }
      length = std::sqrt(length);
      for (double& component : n) component /= length;
      normals_.push_back(n);
      measure *= length;
    }
    weights_.push_back(measure * rule.weights[q]);
    positions_.push_back(x);
    patch_of_.push_back(size() - 1);
    if (q == 0 || !straight_)
      inverses_.insert(inverses_.end(), back.begin(),
                       back.begin() + static_cast<std::ptrdiff_t>(dimension_ * dimension_));
  }
}

Patches Patches::cells(const Space& space, int degree) {
  return cells(space, cell_rule(space.cell(), degree));
}

Patches Patches::cells(const Space& space, const Rule& rule) {
  Patches out(space);
  const auto map = space.maps().at(rule.points);
  out.bases_.emplace_back(space, rule);
  core::run_and_agree(space.mesh().comm(), [&] {
    for (PetscInt cell = 0; cell < space.mesh().cells(); ++cell)
      out.add(space, {cell, out.points(), static_cast<PetscInt>(out.inverses_.size()), -1, 0}, rule, map, nullptr);
  });
  return out;
}

Patches Patches::facets(const Space& space, int degree) {
  Patches out(space);
  const auto rules = facet_rules(space.cell(), degree);
  std::vector<CellMaps::Table> maps;
  for (const auto& facet : rules) {
    maps.push_back(space.maps().at(facet.rule.points));
    out.bases_.emplace_back(space, facet.rule);
  }
  core::run_and_agree(space.mesh().comm(), [&] {
    for (const auto& facet : space.mesh().facets()) {
      const auto face = static_cast<std::size_t>(facet.face);
      const auto first_inverse = static_cast<PetscInt>(out.inverses_.size());
      out.add(space, {facet.cell, out.points(), first_inverse, facet.boundary, facet.face}, rules[face].rule,
              maps[face], &rules[face].normal);
    }
  });
  return out;
}

Patch Patches::operator[](PetscInt i) const {
  const PatchRecord& entry = entries_[i];
  return {.cell = entry.cell,
          .boundary = entry.boundary,
          .first = entry.first,
          .basis = &bases_[entry.face],
          .weights = weights_.data() + entry.first,
          .inverses = inverses_.data() + entry.first_inverse,
          .inverse_stride = straight_ ? 0 : static_cast<PetscInt>(dimension_ * dimension_),
          .positions = positions_.data() + entry.first,
          .normals = normals_.empty() ? nullptr : normals_.data() + entry.first};
}

} // namespace rhumb::fem
