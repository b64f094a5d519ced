#include <rhumb/physics/flow/flow.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/flow/taylor_hood.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace rhumb::flow {

using core::check;
using dae::Kind;

namespace {
Staggered::Scalar scalar_of(const Case& read) {
  return read.has_scalar ? Staggered::Scalar::present : Staggered::Scalar::absent;
}
} // namespace

std::unique_ptr<dae::Problem> make_flow(MPI_Comm comm, const core::Options& options) {
  if (!options.string("mesh", "", grid::about_mesh()).empty()) return make_mesh_flow(comm, options);
  return std::make_unique<Flow>(comm, read_case(options));
}

Flow::Flow(MPI_Comm comm, Case flow_case)
    : case_(std::move(flow_case)), grid_(comm, case_.shape, case_.stretch, scalar_of(case_)),
      equations_(case_, grid_, case_.level), field_of_(grid_.owned_count()) {
  if (case_.solid && !equations_.boundary().any_solid())
    throw core::BadInput("-solid: no cell's centre lies inside the obstacle; use more cells");
  point_.y = grid_.create_vector();
  for (int f = 0; f < grid_.field_count(); ++f)
    grid_.for_each_unknown(f, [&](PetscInt owned, const Index&) { field_of_[owned] = f; });
  check_net_inflow(t_start());
  select_cells();
  if (case_.average_from) averages_ = std::make_unique<TimeAverages>(equations_, *case_.average_from);
  if (Poisson::method(equations_, "dae_") == Poisson::Method::multigrid)
    remark_on_pressure_ =
        fmt::format("the pressure is solved for by conjugate gradients with multigrid: {}",
                    equations_.boundary().any_solid() ? "there are obstacles"
                    : grid_.dimension() == 3          ? "eigenvectors need slabs of the last direction, at least "
                                                        "4 cells thick on each rank"
                                                      : "the grid is too large for factors");
}

std::vector<std::string> Flow::remarks() const {
  auto all = remarks_;
  if (!remark_on_pressure_.empty() && !is_pinned()) all.insert(all.begin(), remark_on_pressure_);
  return all;
}

bool Flow::is_pinned() const {
  return case_.closed() && (case_.level == Level::pinned || (case_.level == Level::automatic && direct_solve_));
}

void Flow::set_direct_solve(bool direct) {
  if (direct && case_.level == Level::mean) throw core::BadInput("-pressure_level mean: a direct solve needs pinned");
  const bool was_pinned = is_pinned();
  direct_solve_ = direct;
  if (is_pinned() != was_pinned) equations_.pin_pressure(is_pinned());
}

std::string Flow::location(PetscInt local) const {
  std::string text;
  grid_.for_each_unknown(field_of(local), [&](PetscInt owned, const Index& cell) {
    if (owned != local) return;
    const Position x = grid_.position(field_of(local), cell);
    text = grid::position_text(std::span(x).first(grid_.dimension()));
  });
  return text;
}

std::vector<dae::Field> Flow::fields() const {
  std::vector<dae::Field> out{{"u", "", "velocity in x"}, {"v", "", "velocity in y"}};
  if (grid_.dimension() == 3) out.push_back({"w", "", "velocity in z"});
  const Kind pressure = case_.formulation == Formulation::index2 ? Kind::index2 : Kind::index1;
  out.push_back({.name = "p", .long_name = "pressure over density", .kind = pressure});
  if (grid_.has_scalar()) out.push_back({"T", "", "scalar"});
  return out;
}

Kind Flow::variable_kind(PetscInt local) const {
  if (equations_.rate_given(local)) return Kind::differential;
  if (equations_.boundary().row(local) != RowKind::balance) return Kind::index1;
  if (field_of(local) != grid_.dimension()) return Kind::differential;
  return case_.formulation == Formulation::index2 ? Kind::index2 : Kind::index1;
}

dae::Offers Flow::offers() const {
  const bool known =
      std::any_of(case_.semidiscrete.begin(), case_.semidiscrete.end(), [](const auto& e) { return bool(e); });
  return {.jacobian = true,
          .product = case_.bulk_velocity.has_value(),
          .mass_product = true,
          .hidden_constraint = true,
          .exact = known,
          .algebraic_rates = true,
          .exact_constraints = true};
}

/// Through the sides of a closed box flows nothing on the whole: refused here, since no step could mend it.
void Flow::check_net_inflow(double t) const {
  if (!case_.closed()) return;
  const core::VecHandle y = grid_.create_vector(), ydot = core::same_layout(y);
  std::array<double, 2> sums{};
  for (const double time : {t, t + 0.37 * case_.t_end, t + case_.t_end}) {
    equations_.set_given(time, y, ydot);
    const core::Readable values(y);
    sums = {};
    for (int d = 0; d < grid_.dimension(); ++d)
      grid_.for_each_face(d, [&](PetscInt base, const Index& cell) {
        const PetscInt n = grid_.line(d).cells(), i = cell[d];
        if (grid_.line(d).periodic() || (i != 0 && i != n)) return;
        const double area = grid_.volume(d, cell) * 2.0 * grid_.line(d).inverse_gap(i);
        const double flux = area * values[grid_.owned(base + grid_.velocity_slot(d))];
        sums[0] += i == 0 ? flux : -flux;
        sums[1] += std::abs(flux);
      });
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, grid_.comm()));
    if (std::abs(sums[0]) > 1e-10 * sums[1])
      throw core::BadInput(fmt::format("a net inflow of {:.6g} at t = {:g} has nowhere to go: make one side an outflow "
                                       "(-bc_right_type outflow), or let inflows balance",
                                       sums[0], time));
  }
}

core::VecHandle Flow::volumes() const {
  core::VecHandle out = grid_.create_vector();
  const core::Writable values(out);
  for (int f = 0; f < grid_.field_count(); ++f)
    grid_.for_each_unknown(f, [&](PetscInt owned, const Index& cell) { values[owned] = grid_.volume(f, cell); });
  return out;
}

void Flow::residual(double t, Vec y, Vec ydot, Vec out) {
  equations_.residual(t, y, ydot, out);
}

void Flow::jacobian(double t, Vec y, Vec /*ydot*/, double alpha, Mat jacobian) {
  equations_.jacobian(t, y, alpha, jacobian);
  point_.t = t;
  point_.alpha = alpha;
  check(VecCopy(y, point_.y));
  if (!case_.bulk_velocity) return;
  check(PetscObjectReference(reinterpret_cast<PetscObject>(jacobian)));
  matrix_ = core::MatHandle(jacobian);
}

/// The force that keeps the mean of u couples all of u with all of u: the matrix does without it.
void Flow::product(double /*t*/, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  check(MatMult(matrix_, v, product));
  if (alpha != point_.alpha) {
    const core::VecHandle mass = core::same_layout(v);
    mass_product(0.0, y, ydot, v, mass);
    check(VecAXPY(product, alpha - point_.alpha, mass));
  }
  equations_.add_drive_derivative(alpha, v, product);
}

void Flow::mass_product(double /*t*/, Vec /*y*/, Vec /*ydot*/, Vec v, Vec product) {
  check(VecCopy(v, product));
  {
    const core::Writable out(product);
    for (PetscInt i = 0; i < grid_.owned_count(); ++i)
      if (variable_kind(i) != Kind::differential) out[i] = 0.0;
  }
  if (case_.formulation == Formulation::index2) return;
  const core::VecHandle free = core::same_layout(v);
  check(VecCopy(product, free));
  equations_.divergence(free, product);
}

void Flow::hidden_constraint(double t, Vec /*y*/, Vec ydot, Vec residual) {
  equations_.hidden_constraint(t, ydot, residual);
}

void Flow::exact(double t, Vec y) const {
  const core::Writable values(y);
  for (int f = 0; f < grid_.field_count(); ++f) {
    const auto& formula = case_.semidiscrete[f];
    grid_.for_each_unknown(f, [&](PetscInt owned, const Index& cell) {
      values[owned] = formula ? (*formula)({.x = grid_.position(f, cell), .t = t}) : 0.0;
    });
  }
}

void Flow::configure(PC preconditioner, Mat matrix) const {
  if (is_pinned())
    check(PCSetType(preconditioner, PCLU));
  else
    BlockPreconditioner::install(preconditioner, matrix, equations_, point_);
}

std::vector<double> Flow::saved_state() const {
  std::vector<double> values{largest_divergence_, start_change_};
  if (averages_) std::ranges::copy(averages_->numbers(), std::back_inserter(values));
  return values;
}

void Flow::restore_state(std::span<const double> values) {
  if (values.size() != 2 && values.size() != 2 + TimeAverages::number_count)
    throw core::BadInput("the checkpoint is not one of a flow");
  largest_divergence_ = values[0];
  start_change_ = values[1];
  if (averages_ && values.size() > 2) averages_->restore(values.subspan(2));
  requested_initial_velocity_.reset();
}

std::vector<dae::SavedVectors::Named> Flow::saved_vectors() const {
  return averages_ ? averages_->vectors() : std::vector<Named>{};
}

/// A run that takes averages may continue one that took none: they begin then.
void Flow::restore_vectors(std::span<const Named> saved) {
  for (const auto& [name, target] : saved_vectors())
    for (const auto& [other, values] : saved)
      if (name == other) check(VecCopy(values, target));
}

/// Velocities are measured against the flow's own speed, not against what they happen to be at a wall.
dae::Tolerances Flow::tolerances(double rtol) const {
  dae::Tolerances tolerances;
  tolerances.rtol = rtol;
  tolerances.atol = rtol * case_.speed;
  tolerances.atol_of_field.assign(grid_.field_count(), -1.0);
  tolerances.atol_of_field[grid_.dimension()] = rtol * case_.speed * case_.speed;
  return tolerances;
}

void Flow::after_step(double t, Vec y, Vec /*ydot*/) {
  if (requested_initial_velocity_) compare_start(y);
  largest_divergence_ = std::max(largest_divergence_, largest_divergence(equations_, y));
  if (averages_) averages_->add(t, y);
}

} // namespace rhumb::flow
