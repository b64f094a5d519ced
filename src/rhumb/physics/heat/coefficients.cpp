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
  std::vector<double> own(static_cast<std::size_t>(box_.own_nodes())), halo(box_.halo_nodes().size());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = initial(static_cast<PetscInt>(i));
  for (std::size_t i = 0; i < halo.size(); ++i)
    halo[i] = case_.initial({box_.position(box_.halo_point(i)), t_start, 0.0});
  for (std::size_t i = 0; i < own.size() && problem.empty(); ++i)
    if (!std::isfinite(own[i]))
      problem = "-initial: '" + case_.initial.text() + "' is not a finite number everywhere in the box";
  if (problem.empty()) problem = update_all(t_start, {own.data(), halo.data()}, core::Need::values);
  agree(box_.comm(), problem);
  if (!capacity_.uses_T()) first_content_ = heat_content(own);
}

std::vector<unsigned char> Coefficients::materials_at(PetscInt points, const Table::Position& position) const {
  if (case_.materials.size() == 1) return {};
  std::vector<unsigned char> which(static_cast<std::size_t>(points), 0);
  for (PetscInt i = 0; i < points; ++i)
    for (std::size_t m = 1; m < case_.materials.size(); ++m)
      if ((*case_.materials[m].region)({position(i), 0.0, 0.0}) != 0.0)
        which[static_cast<std::size_t>(i)] = static_cast<unsigned char>(m);
  return which;
}

void Coefficients::make_node_tables() {
  const auto pick = [&](Expression Material::*what) {
    std::vector<const Expression*> all;
    for (const auto& material : case_.materials) all.push_back(&(material.*what));
    return all;
  };
  const Table::Position own = [this](PetscInt i) { return box_.position(box_.point(i)); };
  const Table::Position halo = [this](PetscInt i) {
    return box_.position(box_.halo_point(static_cast<std::size_t>(i)));
  };
  const auto halo_size = static_cast<PetscInt>(box_.halo_nodes().size());
  material_ = materials_at(box_.own_nodes(), own);
  const Demand k{"heat conductivity", true}, capacity{"heat capacity rho c", true}, source{"heat source", false};
  const auto kind = variety(case_);
  const auto layout = kind == Variety::uniform  ? Table::Layout::compact
                      : kind == Variety::tabled ? Table::Layout::full
                                                : Table::Layout::full_with_slopes;
  k_own_ = Table(pick(&Material::k), material_, box_.own_nodes(), own, k, layout);
  k_halo_ = Table(pick(&Material::k), materials_at(halo_size, halo), halo_size, halo, k, layout);
  capacity_ = Table(pick(&Material::capacity), material_, box_.own_nodes(), own, capacity, layout);
  source_ = Table(pick(&Material::source), material_, box_.own_nodes(), own, source, layout);
}

void Coefficients::make_wall_tables() {
  for (PetscInt own = 0; own < box_.own_nodes(); ++own) {
    const unsigned sides = box_.sides(box_.point(own));
    for (std::size_t side = 0; side < 6; ++side)
      if ((sides >> side & 1U) != 0) wall_points_[side].push_back(own);
  }
  for (std::size_t side = 0; side < 6; ++side) {
    const auto& wall = case_.walls[side];
    auto& tables = walls_.tables[side];
    tables.type = wall.type;
    const auto& points = wall_points_[side];
    const Table::Position position = [this, side](PetscInt i) {
      return box_.position(box_.point(wall_points_[side][static_cast<std::size_t>(i)]));
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
      varies = varies || e->uses_place();
      with_T = with_T || e->uses('T');
    }
  return with_T ? Variety::of_T : varies ? Variety::tabled : Variety::uniform;
}

std::string Coefficients::update_all(double t, const box::Nodal& T, core::Need need) {
  const auto with = need == core::Need::slopes ? Table::With::slopes : Table::With::values;
  const std::span own(T.own, static_cast<std::size_t>(box_.own_nodes()));
  const std::span halo(T.halo, box_.halo_nodes().size());
  std::string problem;
  const auto bring = [&](Table& table, std::span<const double> at) {
    auto complaint = table.update(t, at, with);
    if (problem.empty()) problem = std::move(complaint);
  };
  bring(k_own_, own);
  bring(k_halo_, halo);
  bring(capacity_, own);
  bring(source_, own);
  for (std::size_t side = 0; side < 6; ++side) {
    auto& wall = walls_.tables[side];
    if (wall.value.uses_T() || wall.coefficient.uses_T()) {
      wall_T_.clear();
      for (const PetscInt point : wall_points_[side]) wall_T_.push_back(T.own[point]);
    }
    for (Table* table : {&wall.value, &wall.coefficient, &wall.ambient}) bring(*table, wall_T_);
  }
  if (k_own_.uniform())
    uniform_ = {k_own_.row(0).value(0), capacity_.row(0).value(0), source_.row(0).value(0), &walls_};
  return problem;
}

void Coefficients::update(double t, const box::Nodal& T, core::Need need) {
  const auto problem = update_all(t, T, need);
  if (!problem.empty()) throw core::Recoverable(problem);
}

double Coefficients::volume(PetscInt own) const {
  const auto point = box_.point(own);
  if (case_.symmetry == Symmetry::planar) return box_.cell_volume() * box_.volume_share(point);
  const double r = box_.position(point)[0], h = box_.shape().spacing(0);
  const unsigned sides = box_.sides(point);
  const double inner = (sides & 1U) != 0 ? r : r - 0.5 * h, outer = (sides & 2U) != 0 ? r : r + 0.5 * h;
  return case_.symmetry == Symmetry::cylinder
             ? std::numbers::pi * (outer * outer - inner * inner)
             : 4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
}

double Coefficients::wall_area(PetscInt own, std::size_t side) const {
  const auto point = box_.point(own);
  if (case_.symmetry == Symmetry::planar) return volume(own) * 2.0 / box_.shape().spacing(static_cast<int>(side / 2));
  const double r = box_.position(point)[0];
  return case_.symmetry == Symmetry::cylinder ? 2.0 * std::numbers::pi * r : 4.0 * std::numbers::pi * r * r;
}

double Coefficients::initial(PetscInt own) const {
  const auto point = box_.point(own);
  if (const std::size_t side = walls_.dirichlet_side(box_.sides(point)); side < 6)
    return (*case_.walls[side].value)({box_.position(point), t_start_, 0.0});
  return case_.initial({box_.position(point), t_start_, 0.0});
}

double Coefficients::heat_taken_up(std::span<const double> T) const {
  if (!capacity_.uses_T()) return heat_content(T) - first_content_;
  double sum = 0.0;
  for (PetscInt own = 0; own < box_.own_nodes(); ++own)
    sum +=
        volume(own) * heat_between(case_.materials[material_.empty() ? 0U : material_[static_cast<std::size_t>(own)]],
                                   box_.position(box_.point(own)), initial(own), T[static_cast<std::size_t>(own)]);
  return sum;
}

double Coefficients::heat_content(std::span<const double> T) const {
  const auto rho_c = capacity_.row(0);
  const bool planar = case_.symmetry == Symmetry::planar;
  const PetscInt length = box_.count()[0];
  double sum = 0.0;
  for (PetscInt first = 0; first < box_.own_nodes(); first += length) {
    // Along a row volumes differ at its ends only, unless they are shells.
    const double inside = volume(first + length / 2);
    for (PetscInt own = first; own < first + length; ++own) {
      const bool at_end = own == first || own + 1 == first + length;
      sum += (planar && !at_end ? inside : volume(own)) * rho_c.value(own) * T[static_cast<std::size_t>(own)];
    }
  }
  return sum;
}

} // namespace rhumb::heat
