#include <rhumb/physics/heat/mesh_coefficients.hpp>

#include <algorithm>

namespace rhumb::heat {

MeshCoefficients::MeshCoefficients(const MeshCase& heat_case, const grid::Unstructured& mesh, const fem::Patches& cells,
                                   const fem::Patches& facets)
    : case_(heat_case), cells_(cells), facets_(facets) {
  make_cell_tables(mesh);
  make_wall_tables();
}

void MeshCoefficients::make_cell_tables(const grid::Unstructured& mesh) {
  if (case_.materials.size() > 1)
    for (PetscInt point = 0; point < cells_.points(); ++point) {
      const int region = mesh.region_of(cells_[cells_.patch_of(point)].cell);
      material_.push_back(region < 0 ? 0 : case_.material_of_region[region]);
    }
  const Table::PositionOf position = [this](PetscInt i) { return cells_.position(i); };
  const auto table = [&](Expression Material::*what, const Demand& demand) {
    std::vector<const Expression*> all;
    for (const auto& material : case_.materials) all.push_back(&(material.*what));
    return Table(std::move(all), material_, cells_.points(), position, demand, Table::Layout::compact);
  };
  k_ = table(&Material::k, {"heat conductivity", true});
  capacity_ = table(&Material::capacity, {"heat capacity rho c", true});
  source_ = table(&Material::source, {"heat source", false});
}

void MeshCoefficients::make_wall_tables() {
  points_.resize(case_.walls.size());
  for (PetscInt point = 0; point < facets_.points(); ++point) {
    auto& on_boundary = points_[facets_[facets_.patch_of(point)].boundary];
    number_.push_back(static_cast<PetscInt>(on_boundary.size()));
    on_boundary.push_back(point);
  }
  for (std::size_t boundary = 0; boundary < case_.walls.size(); ++boundary) {
    const Wall& wall = case_.walls[boundary];
    const auto count = static_cast<PetscInt>(points_[boundary].size());
    const Table::PositionOf position = [this, boundary](PetscInt i) { return facets_.position(points_[boundary][i]); };
    const auto table = [&](const std::optional<Expression>& expression, const char* name) {
      return expression ? Table({&*expression}, {}, count, position, {name, false}, Table::Layout::compact) : Table();
    };
    walls_.push_back({wall.type, table(wall.value, "value of the boundary"),
                      table(wall.coefficient, "coefficient of the boundary"),
                      table(wall.ambient, "surrounding temperature")});
  }
}

bool MeshCoefficients::facets_use_T() const {
  return std::any_of(walls_.begin(), walls_.end(),
                     [](const WallTables& wall) { return wall.value.uses_T() || wall.coefficient.uses_T(); });
}

std::string MeshCoefficients::update(double t, std::span<const double> in_cells, std::span<const double> on_facets,
                                     core::Need need) {
  const auto with = need == core::Need::derivatives ? Table::With::derivatives : Table::With::values;
  std::string problem;
  const auto bring = [&](Table& table, std::span<const double> T) {
    auto complaint = table.update(t, T, with);
    if (problem.empty()) problem = std::move(complaint);
  };
  for (Table* table : {&k_, &capacity_, &source_}) bring(*table, in_cells);
  for (std::size_t boundary = 0; boundary < walls_.size(); ++boundary) {
    auto& wall = walls_[boundary];
    wall_T_.clear();
    if (wall.value.uses_T() || wall.coefficient.uses_T())
      for (const PetscInt point : points_[boundary]) wall_T_.push_back(on_facets[point]);
    for (Table* table : {&wall.value, &wall.coefficient, &wall.ambient}) bring(*table, wall_T_);
  }
  return problem;
}

const Material& MeshCoefficients::material(PetscInt point) const {
  return case_.materials[material_.empty() ? 0U : material_[point]];
}

} // namespace rhumb::heat
