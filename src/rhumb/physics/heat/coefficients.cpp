#include <rhumb/physics/heat/coefficients.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/heat/enthalpy.hpp>
#include <numbers>

namespace rhumb::heat {

namespace {

/// Throws on all ranks when any has a problem: the one that has it says it.
void agree(MPI_Comm comm, const std::string& problem) {
  int here = problem.empty() ? 0 : 1, anywhere = 0;
  core::check_mpi(MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, comm));
  if (here == 1) throw core::BadInput(problem);
  if (anywhere == 1) throw core::FailedElsewhere("a coefficient is not allowed on another rank");
}

} // namespace

Coefficients::Coefficients(const Case& heat_case, const grid::Box& box, double t_start)
    : case_(heat_case), box_(box), t_start_(t_start) {
  make_node_tables();
  make_wall_tables();
  walls_.stefan_boltzmann = case_.stefan_boltzmann;
  walls_.count = box_.count();

  // Everything once at the start: what is wrong from the beginning is bad input, not a difficult step.
  std::string problem;
  for (auto& wall : walls_.tables)
    if (wall.type == Wall::Type::dirichlet && problem.empty())
      problem = wall.value.update(t_start, {}, Table::With::values);
  std::vector<double> owned(static_cast<std::size_t>(box_.owned_nodes())), halo(box_.halo_nodes().size());
  for (std::size_t i = 0; i < owned.size(); ++i) owned[i] = initial(static_cast<PetscInt>(i));
  for (std::size_t i = 0; i < halo.size(); ++i)
    halo[i] = case_.initial({box_.position(box_.halo_point(i)), t_start, 0.0});
  for (std::size_t i = 0; i < owned.size() && problem.empty(); ++i)
    if (!std::isfinite(owned[i]))
      problem = "-initial: '" + case_.initial.text() + "' is not a finite number everywhere in the box";
  if (problem.empty()) problem = update_all(t_start, {owned.data(), halo.data()}, core::Need::values);
  agree(box_.comm(), problem);
  if (!capacity_.uses_T()) first_content_ = heat_content(owned);
}

std::vector<unsigned char> Coefficients::materials_at(PetscInt points, const Table::PositionOf& position) const {
  if (case_.materials.size() == 1) return {};
  std::vector<unsigned char> which(static_cast<std::size_t>(points), 0);
  for (PetscInt i = 0; i < points; ++i)
    for (std::size_t m = 1; m < case_.materials.size(); ++m)
      if ((*case_.materials[m].region)({position(i), 0.0, 0.0}) != 0.0) which[i] = static_cast<unsigned char>(m);
  return which;
}

void Coefficients::make_node_tables() {
  const auto pick = [&](Expression Material::*what) {
    std::vector<const Expression*> all;
    for (const auto& material : case_.materials) all.push_back(&(material.*what));
    return all;
  };
  const Table::PositionOf owned = [this](PetscInt i) { return box_.position(box_.point(i)); };
  const Table::PositionOf halo = [this](PetscInt i) {
    return box_.position(box_.halo_point(static_cast<std::size_t>(i)));
  };
  const auto halo_size = static_cast<PetscInt>(box_.halo_nodes().size());
  material_ = materials_at(box_.owned_nodes(), owned);
  const Demand k{"heat conductivity", true}, capacity{"heat capacity rho c", true}, source{"heat source", false};
  const auto kind = variety(case_);
  const auto layout = kind == Variety::uniform  ? Table::Layout::compact
                      : kind == Variety::tabled ? Table::Layout::full
                                                : Table::Layout::full_with_derivatives;
  k_owned_ = Table(pick(&Material::k), material_, box_.owned_nodes(), owned, k, layout);
  k_halo_ = Table(pick(&Material::k), materials_at(halo_size, halo), halo_size, halo, k, layout);
  capacity_ = Table(pick(&Material::capacity), material_, box_.owned_nodes(), owned, capacity, layout);
  source_ = Table(pick(&Material::source), material_, box_.owned_nodes(), owned, source, layout);
}

void Coefficients::make_wall_tables() {
  for (PetscInt owned = 0; owned < box_.owned_nodes(); ++owned) {
    const unsigned sides = box_.sides(box_.point(owned));
    for (std::size_t side = 0; side < 6; ++side)
      if ((sides >> side & 1U) != 0) wall_points_[side].push_back(owned);
  }
  for (std::size_t side = 0; side < 6; ++side) {
    const auto& wall = case_.walls[side];
    auto& tables = walls_.tables[side];
    tables.type = wall.type;
    const auto& points = wall_points_[side];
    const Table::PositionOf position = [this, side](PetscInt i) {
      return box_.position(box_.point(wall_points_[side][i]));
    };
    const auto table = [&](const std::optional<Expression>& expression, const Demand& demand) {
      return expression ? Table({&*expression}, {}, static_cast<PetscInt>(points.size()), position, demand,
                                Table::Layout::compact)
                        : Table();
    };
    tables.value = table(wall.value, {"value of the side", false});
    tables.coefficient = table(wall.coefficient, {"coefficient of the side", false});
    tables.ambient = table(wall.ambient, {"surrounding temperature", false});
  }
}

Coefficients::Variety Coefficients::variety(const Case& heat_case) {
  bool varies = heat_case.symmetry != Symmetry::planar || heat_case.materials.size() > 1, with_T = false;
  for (const auto& material : heat_case.materials)
    for (const Expression* e : {&material.k, &material.capacity, &material.source}) {
      varies = varies || e->uses_position();
      with_T = with_T || e->uses('T');
    }
  return with_T ? Variety::of_T : varies ? Variety::tabled : Variety::uniform;
}

std::string Coefficients::update_all(double t, const box::Nodal& T, core::Need need) {
  const auto with = need == core::Need::derivatives ? Table::With::derivatives : Table::With::values;
  const std::span owned(T.owned, static_cast<std::size_t>(box_.owned_nodes()));
  const std::span halo(T.halo, box_.halo_nodes().size());
  std::string problem;
  const auto bring = [&](Table& table, std::span<const double> at) {
    auto complaint = table.update(t, at, with);
    if (problem.empty()) problem = std::move(complaint);
  };
  bring(k_owned_, owned);
  bring(k_halo_, halo);
  bring(capacity_, owned);
  bring(source_, owned);
  for (std::size_t side = 0; side < 6; ++side) {
    auto& wall = walls_.tables[side];
    if (wall.value.uses_T() || wall.coefficient.uses_T()) {
      wall_T_.clear();
      for (const PetscInt point : wall_points_[side]) wall_T_.push_back(T.owned[point]);
    }
    for (Table* table : {&wall.value, &wall.coefficient, &wall.ambient}) bring(*table, wall_T_);
  }
  if (k_owned_.uniform())
    uniform_ = {k_owned_.row(0).value(0), capacity_.row(0).value(0), source_.row(0).value(0), &walls_};
  return problem;
}

void Coefficients::update(double t, const box::Nodal& T, core::Need need) {
  const auto problem = update_all(t, T, need);
  if (!problem.empty()) throw core::Recoverable(problem);
}

double Coefficients::volume(PetscInt owned) const {
  const auto point = box_.point(owned);
  if (case_.symmetry == Symmetry::planar) return box_.cell_volume() * box_.volume_share(point);
  const double r = box_.position(point)[0], h = box_.shape().spacing(0);
  const unsigned sides = box_.sides(point);
  const double inner = (sides & 1U) != 0 ? r : r - 0.5 * h, outer = (sides & 2U) != 0 ? r : r + 0.5 * h;
  return case_.symmetry == Symmetry::cylinder
             ? std::numbers::pi * (outer * outer - inner * inner)
             : 4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
}

double Coefficients::wall_area(PetscInt owned, std::size_t side) const {
  const auto point = box_.point(owned);
  if (case_.symmetry == Symmetry::planar) return volume(owned) * 2.0 / box_.shape().spacing(static_cast<int>(side / 2));
  const double r = box_.position(point)[0];
  return case_.symmetry == Symmetry::cylinder ? 2.0 * std::numbers::pi * r : 4.0 * std::numbers::pi * r * r;
}

double Coefficients::initial(PetscInt owned) const {
  const auto point = box_.point(owned);
  if (const std::size_t side = walls_.dirichlet_side(box_.sides(point)); side < 6)
    return (*case_.walls[side].value)({box_.position(point), t_start_, 0.0});
  return case_.initial({box_.position(point), t_start_, 0.0});
}

double Coefficients::heat_taken_up(std::span<const double> T) const {
  if (!capacity_.uses_T()) return heat_content(T) - first_content_;
  double sum = 0.0;
  for (PetscInt owned = 0; owned < box_.owned_nodes(); ++owned)
    sum += volume(owned) * heat_between(case_.materials[material_.empty() ? 0U : material_[owned]],
                                        box_.position(box_.point(owned)), initial(owned), T[owned]);
  return sum;
}

double Coefficients::heat_content(std::span<const double> T) const {
  const auto rho_c = capacity_.row(0);
  double sum = 0.0;
  each_volume([&](PetscInt owned, double volume) { sum += volume * rho_c.value(owned) * T[owned]; });
  return sum;
}

} // namespace rhumb::heat
