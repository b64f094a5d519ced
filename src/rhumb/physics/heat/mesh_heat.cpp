#include <rhumb/physics/heat/mesh_heat.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/heat/enthalpy.hpp>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace rhumb::heat {

std::unique_ptr<dae::Problem> make_mesh_heat(MPI_Comm comm, const core::Options& options) {
  auto mesh = grid::read_mesh(comm, options);
  const int order = fem::read_order(options);
  auto read = read_mesh_case(options, mesh);
  if (mesh.dimension() == 2) return std::make_unique<MeshHeat<2>>(std::move(read), std::move(mesh), order);
  return std::make_unique<MeshHeat<3>>(std::move(read), std::move(mesh), order);
}

namespace {
double sum_over(MPI_Comm comm, double value) {
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm));
  return value;
}
} // namespace

template <int D>
MeshHeat<D>::MeshHeat(MeshCase read, grid::Unstructured mesh, int order)
    : Base(std::move(mesh), {{"T", "K", "temperature"}}, {order}), case_(std::move(read)),
      coefficients_(case_, this->grid_mesh(), this->cells(), this->facets()),
      holds_(std::any_of(case_.walls.begin(), case_.walls.end(),
                         [](const Wall& wall) { return wall.type == Wall::Type::dirichlet; })),
      probes_(this->space(), case_.probes), natural_(this->space().create_vector()) {
  for (std::size_t boundary = 0; boundary < case_.walls.size(); ++boundary)
    if (const Wall& wall = case_.walls[boundary]; wall.type == Wall::Type::dirichlet)
      this->essential().hold(static_cast<int>(boundary), 0, &*wall.value);
  if (case_.exact) exactly_ = fem::Patches::cells(this->space(), 2 * order + 2);
  // Everything once at the start: what is wrong from the beginning is bad input, not a difficult step.
  core::run_and_agree(this->grid_mesh().comm(), [&] {
    if (const auto complaint = complaint_of_start(); !complaint.empty()) throw core::BadInput(complaint);
  });
}

/// Also notes what is stored at the start.
template <int D>
std::string MeshHeat<D>::complaint_of_start() {
  const auto& space = this->space();
  std::vector<double> T(static_cast<std::size_t>(space.local_count()));
  for (std::size_t i = 0; i < T.size(); ++i) T[i] = initial(0, space.position(static_cast<PetscInt>(i)));
  if (!std::all_of(T.begin(), T.end(), [](double value) { return std::isfinite(value); }))
    return "-initial: '" + case_.initial.text() + "' is not a finite number everywhere in the mesh";
  this->essential().put(this->t_start(), T.data(), nullptr);
  auto complaint = update(this->t_start(), T.data(), core::Need::values);
  if (!complaint.empty()) return complaint;
  if (coefficients_.capacity_uses_T())
    at_points(this->cells(), T.data(), at_start_);
  else
    first_content_ = heat_content(T.data());
  return "";
}

template <int D>
std::vector<std::string> MeshHeat<D>::remarks() const {
  const PetscInt bare = this->grid_mesh().unlabelled_boundary_facets();
  if (bare == 0) return {};
  return {fmt::format("{} facets of the mesh's rim are in no physical group: no heat flows through them", bare)};
}

template <int D>
dae::Offers MeshHeat<D>::offers() const {
  auto out = Base::offers();
  out.exact = case_.exact.has_value();
  return out;
}

template <int D>
void MeshHeat<D>::exact(double t, Vec y) const {
  const core::Writable T(y);
  for (PetscInt owned = 0; owned < this->space().owned_count(); ++owned)
    T[owned] = (*case_.exact)({this->space().position(this->space().local(owned)), t, 0.0});
}

/// The temperature at all points of the patches.
template <int D>
std::span<const double> MeshHeat<D>::at_points(const fem::Patches& patches, const double* T,
                                               std::vector<double>& out) const {
  out.resize(static_cast<std::size_t>(patches.points()));
  for (PetscInt i = 0; i < patches.size(); ++i) {
    const fem::Patch patch = patches[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q)
      out[patch.first + q] = this->at_point(patch, q, T, nullptr).value[0];
  }
  return out;
}

template <int D>
std::string MeshHeat<D>::update(double t, const double* T, core::Need need) {
  if (coefficients_.cells_use_T()) at_points(this->cells(), T, in_cells_);
  if (coefficients_.facets_use_T()) at_points(this->facets(), T, on_facets_);
  return coefficients_.update(t, in_cells_, on_facets_, need);
}

template <int D>
void MeshHeat<D>::prepare(double t, const double* T) {
  const auto problem = update(t, T, this->need());
  if (!problem.empty()) throw core::Recoverable(problem);
}

template <int D>
std::vector<double> MeshHeat<D>::held_powers(double t, Vec y, Vec ydot) {
  std::vector<double> out(case_.walls.size(), 0.0);
  if (!holds_) {
    prepare(t, this->load(t, y, ydot));
    return out;
  }
  this->natural_residual(t, y, ydot, natural_);
  const core::Readable natural(natural_);
  for (const auto& entry : this->essential().entries())
    if (entry.owned >= 0) out[entry.boundary] += natural[entry.owned];
  return out;
}

/// Source, walls, their turnover, then what flows through each boundary that is held.
template <int D>
std::vector<double> MeshHeat<D>::local_powers(double t, Vec y, Vec ydot) {
  const auto held = held_powers(t, y, ydot);
  double source = 0.0, walls = 0.0, turnover = 0.0;
  const double* T = this->values(); // loaded above; where that has failed, other ranks must not wait here
  this->for_each_point(t, [&](const fem::Patch& patch, PetscInt q, const fem::QuadraturePoint& p) {
    const double here = this->at_point(patch, q, T, nullptr).value[0];
    const bool on_facet = p.boundary >= 0;
    const double power = patch.weights[q] * (on_facet ? coefficients_.flux(p.boundary, p.index, here)
                                                      : coefficients_.source(p.index, here));
    (on_facet ? walls : source) += power;
    turnover += std::abs(power);
  });
  std::vector<double> out{source, walls, turnover};
  out.insert(out.end(), held.begin(), held.end());
  return out;
}

template <int D>
Powers MeshHeat<D>::powers(double t, Vec y, Vec ydot) {
  std::vector<double> sums(3 + case_.walls.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    sums = local_powers(t, y, ydot);
  } catch (const core::Recoverable&) { // stays NaN, on all ranks after the sum
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                                this->grid_mesh().comm()));
  Powers now{.source = sums[0], .walls = sums[1], .turnover = sums[2]};
  for (std::size_t i = 3; i < sums.size(); ++i) {
    now.dirichlet += sums[i];
    now.turnover += std::abs(sums[i]);
  }
  return now;
}

/// Integral of rho c T, where rho c does not depend on T.
template <int D>
double MeshHeat<D>::heat_content(const double* T) const {
  double sum = 0.0;
  for (PetscInt i = 0; i < this->cells().size(); ++i) {
    const fem::Patch patch = this->cells()[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q)
      sum += patch.weights[q] * coefficients_.capacity(patch.first + q, 0.0) *
             this->at_point(patch, q, T, nullptr).value[0];
  }
  return sum;
}

template <int D>
double MeshHeat<D>::stored(double t, Vec y) {
  const double* T = this->load(t, y, nullptr);
  double sum = 0.0;
  if (!coefficients_.capacity_uses_T()) {
    sum = heat_content(T) - first_content_;
  } else {
    const auto now = at_points(this->cells(), T, in_cells_);
    for (PetscInt i = 0; i < this->cells().points(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      sum += this->cells().weight(i) *
             heat_between(coefficients_.material(i), this->cells().position(i), at_start_[n], now[n]);
    }
  }
  return sum_over(this->grid_mesh().comm(), sum);
}

/// The largest error at nodes and points of the rule; the squares by the rule.
template <int D>
void MeshHeat<D>::take_errors(double t, Vec y) {
  if (!case_.exact) return;
  const auto& exact = *case_.exact;
  const double* T = this->load(t, y, nullptr);
  WorstErrors::Share here;
  for (PetscInt i = 0; i < this->space().local_count(); ++i)
    here.largest = std::max(here.largest, std::abs(T[i] - exact({this->space().position(i), t, 0.0})));
  for (PetscInt i = 0; i < exactly_->size(); ++i) {
    const fem::Patch patch = (*exactly_)[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q) {
      const double value = this->at_point(patch, q, T, nullptr).value[0];
      const double error = std::abs(value - exact({patch.positions[q], t, 0.0}));
      here.largest = std::max(here.largest, error);
      here.squares += patch.weights[q] * error * error;
      here.volume += patch.weights[q];
    }
  }
  findings_.errors.take(this->grid_mesh().comm(), here);
}

template <int D>
dae::Figures MeshHeat<D>::report(double t, Vec y, Vec /*ydot*/) {
  take_errors(t, y);
  const double taken_up = stored(t, y);
  return findings_.figures(t, y, taken_up, case_.exact ? Findings::Exact::known : Findings::Exact::unknown,
                           probes_.values(0, this->load(t, y, nullptr)));
}

template <int D>
std::vector<std::pair<std::string, double>> MeshHeat<D>::series(double t, Vec y, Vec /*ydot*/) {
  const double taken_up = stored(t, y);
  return findings_.series(t, taken_up, probes_.values(0, this->load(t, y, nullptr)));
}

template class MeshHeat<2>;
template class MeshHeat<3>;

} // namespace rhumb::heat
