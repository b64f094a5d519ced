#include <rhumb/physics/flow/equations.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>

namespace rhumb::flow {

using core::check;

namespace {
/// Rate at which a divergence that rounding brings in, or the error of a value on a side, dies out with index1.
constexpr double damping = 10.0;
} // namespace

GhostedVec::GhostedVec(const Staggered& grid, const Boundary* boundary, Vec y, Vec local) : local_(local) {
  grid.scatter(y, local);
  check(VecGetArray(local, &data_));
  if (boundary) boundary->fill_ghosts(data_);
}

GhostedVec::~GhostedVec() {
  VecRestoreArray(local_, &data_);
}

Equations::Equations(const Case& flow_case, const Staggered& grid, Level level, double upwinding)
    : case_(flow_case), grid_(grid), boundary_(flow_case, grid, level),
      medium_{grid, flow_case.convection, flow_case.nu, flow_case.kappa, flow_case.buoyancy, upwinding},
      formulation_(flow_case.formulation), local_(grid.create_local()), local_dot_(grid.create_local()),
      work_(grid.create_vector()) {
  for (int c = 0; c < grid.dimension(); ++c) {
    const auto& force = flow_case.force[c];
    if (!force) continue;
    const PetscInt one = force->uses_position() ? -1 : forces_.add(&*force, {});
    grid.for_each_face(c, [&](PetscInt, const Index& cell) {
      force_at_[c].push_back(one >= 0 ? one : forces_.add(&*force, grid.position(c, cell)));
    });
  }
  mark_given();
  if (flow_case.subgrid != Subgrid::none) eddy_ = std::make_unique<EddyViscosity>(flow_case, grid, boundary_);
  for (int d = 0; d < grid.dimension() && flow_case.backflow > 0.0; ++d)
    for (const int upper : {0, 1})
      if (flow_case.side(d, upper).type == Side::Type::outflow) open_sides_.push_back({d, upper});
  if (!flow_case.bulk_velocity) return;
  check(VecSet(work_, 1.0)); // whose mean over a volume taken as 1 is the volume
  fluid_volume_ = 1.0;
  fluid_volume_ = mean_of_u(work_, work_)[0];
}

void Equations::pin_pressure(bool pinned) {
  pinned ? boundary_.pin() : boundary_.unpin();
  mark_given();
  assembly_ = {};
}

/// With index1 constants on the sides enter the constraint by what they are, not by their unknowns.
void Equations::mark_given() {
  given_at_.assign(grid_.places(), 0);
  rate_given_.assign(grid_.owned_count(), 0);
  if (formulation_ == Formulation::index2) return;
  check(VecSet(work_, 0.0));
  {
    const core::Writable mark(work_);
    for (const auto& row : boundary_.special_rows()) {
      rate_given_[row.owned] = boundary_.moves(row) ? 1 : 0;
      mark[row.owned] = rate_given(row.owned) ? 0.0 : 1.0;
    }
  }
  const GhostedVec marks(grid_, nullptr, work_, local_);
  for (std::size_t i = 0; i < given_at_.size(); ++i) given_at_[i] = marks.data()[i] == 1.0 ? 1 : 0;
}

double Equations::constraint_scale(double alpha) const {
  return formulation_ == Formulation::index1 ? alpha + damping : 1.0;
}

std::array<std::array<bool, 2>, 3> Equations::open_ends() const {
  std::array<std::array<bool, 2>, 3> open{};
  for (int d = 0; d < grid_.dimension(); ++d)
    for (const int upper : {0, 1}) open[d][upper] = case_.side(d, upper).type == Side::Type::outflow;
  return open;
}

GhostedVec Equations::ghosted(double t, Vec y) {
  boundary_.update(t);
  return {grid_, &boundary_, y, local_};
}

void Equations::residual(double t, Vec y, Vec ydot, Vec out) {
  boundary_.update(t);
  forces_.update(t);
  const GhostedVec local(grid_, &boundary_, y, local_);
  if (eddy_) eddy_->update(local.data());
  const bool differentiated = formulation_ == Formulation::index1;
  if (differentiated) combine_rates(y, ydot);
  sweep_rows(t, local, ydot, out);
  if (!case_.bulk_velocity) return;
  const auto [imbalance, rate] = mean_of_u(out, ydot);
  drive_ = imbalance - rate + damping * (*case_.bulk_velocity - mean_of_u(y, y)[0]);
  add_to_u(out, -drive_);
}

void Equations::sweep_rows(double t, const GhostedVec& local, Vec ydot, Vec out) {
  const bool differentiated = formulation_ == Formulation::index1;
  const core::Readable rates(ydot), local_rates(local_dot_);
  const core::Writable result(out);
  const double* constrained = differentiated ? local_rates.begin() : local.data();
  with_dimension(grid_.dimension(),
                 [&]<int D>() { sweep_residual<D>(local.data(), constrained, rates.begin(), result.begin()); });
  for (const auto& row : boundary_.special_rows()) {
    double value = local.data()[row.offset] - boundary_.value(row);
    for (const BoundaryTerm& term : boundary_.terms(row)) value -= term.factor * local.data()[term.offset];
    const bool rate = rate_given(row.owned);
    result[row.owned] = rate ? rates[row.owned] - boundary_.rate(row, t) + damping * value : value;
  }
}

/// Means of two vectors over the momentum of u.
std::array<double, 2> Equations::mean_of_u(Vec a, Vec b) const {
  std::array<double, 2> sums{};
  {
    const core::Readable first(a), second(b);
    grid_.for_each_unknown(0, [&](PetscInt owned, const Index& cell) {
      if (boundary_.row(owned) != RowKind::balance) return;
      const double volume = grid_.volume(0, cell);
      sums[0] += volume * first[owned];
      sums[1] += volume * second[owned];
    });
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, grid_.comm()));
  return {sums[0] / fluid_volume_, sums[1] / fluid_volume_};
}

void Equations::add_to_u(Vec v, double value) const {
  const core::Writable out(v);
  grid_.for_each_unknown(0, [&](PetscInt owned, const Index&) {
    if (boundary_.row(owned) == RowKind::balance) out[owned] += value;
  });
}

void Equations::add_drive_derivative(double alpha, Vec v, Vec product) const {
  const auto [image, mean] = mean_of_u(product, v);
  add_to_u(product, -(image - (alpha + damping) * mean));
}

const double* Equations::eddy_viscosity(const double* y) {
  if (!eddy_) return nullptr;
  eddy_->update(y);
  return eddy_->values();
}

/// y' + damping y into the local array of rates, with constants on the sides taken as what they are.
void Equations::combine_rates(Vec y, Vec ydot) {
  check(VecWAXPY(work_, damping, y, ydot));
  {
    const core::Writable rate(work_);
    for (const auto& row : boundary_.special_rows())
      if (!rate_given(row.owned)) rate[row.owned] = damping * boundary_.value(row);
  }
  grid_.scatter(work_, local_dot_);
}

template <int D, int C>
void Equations::momentum(const double* y, const double* ydot, double* out) const {
  const Momentum<D, C> kernel{medium_};
  const Backflow<C> backflow{grid_, case_.backflow, open_sides_};
  const PetscInt slot = grid_.velocity_slot(C);
  const auto& force = force_at_[C];
  std::size_t face = 0;
  grid_.for_each_face(C, [&](PetscInt base, const Index& cell) {
    const PetscInt owned = grid_.owned(base + slot);
    const std::size_t index = face++;
    if (boundary_.row(owned) != RowKind::balance) return;
    out[owned] = ydot[owned] + kernel.value(y, base, cell) - (force.empty() ? 0.0 : forces_.value(force[index]));
    if (!open_sides_.empty()) out[owned] += backflow.value(y, base, cell);
    if (eddy_) out[owned] += EddyStress<D, C>{grid_, eddy_->values()}.value(y, base, cell);
  });
}

template <int D>
void Equations::sweep_residual(const double* y, const double* constrained, const double* ydot, double* out) const {
  momentum<D, 0>(y, ydot, out);
  momentum<D, 1>(y, ydot, out);
  if constexpr (D == 3) momentum<D, 2>(y, ydot, out);
  const Continuity<D> continuity{grid_};
  const CellTransport<D> scalar{medium_, medium_.kappa};
  grid_.for_each_cell([&](PetscInt base, const Index& cell) {
    const PetscInt p = grid_.owned(base + grid_.pressure_slot());
    if (boundary_.row(p) == RowKind::balance) out[p] = continuity.value(constrained, base, cell);
    if (!grid_.has_scalar()) return;
    const PetscInt s = grid_.owned(base + grid_.scalar_slot());
    if (boundary_.row(s) == RowKind::balance) out[s] = ydot[s] + scalar.value(y, base, cell);
  });
}

void Equations::divergence(Vec y, Vec out) {
  const GhostedVec local(grid_, nullptr, y, local_dot_);
  const core::Writable result(out);
  with_dimension(grid_.dimension(), [&]<int D>() {
    const Continuity<D> continuity{grid_};
    grid_.for_each_cell([&](PetscInt base, const Index& cell) {
      const PetscInt p = grid_.owned(base + grid_.pressure_slot());
      if (boundary_.row(p) == RowKind::balance) result[p] = continuity.value(local.data(), base, cell);
    });
  });
}

void Equations::hidden_constraint(double t, Vec ydot, Vec out) {
  check(VecCopy(ydot, work_));
  {
    const core::Writable rates(work_);
    for (const auto& row : boundary_.special_rows()) rates[row.owned] = boundary_.rate(row, t);
  }
  divergence(work_, out);
}

void Equations::set_given(double t, Vec y, Vec ydot) {
  boundary_.update(t);
  const core::Writable values(y), derivatives(ydot);
  for (const auto& row : boundary_.special_rows()) {
    values[row.owned] = boundary_.value(row);
    derivatives[row.owned] = boundary_.rate(row, t);
  }
}

/// The derivative at a place inside the box is an entry; at a ghost it is one for each unknown the ghost is made of.
template <class Emit>
void Equations::unfold(PetscInt row, PetscInt offset, double value, Emit&& emit) const {
  const PetscInt column = grid_.global(offset);
  if (column >= 0) {
    emit(row, column, value);
    return;
  }
  for (const BoundaryTerm& term : boundary_.ghost(offset)) emit(row, grid_.global(term.offset), term.factor * value);
}

template <int D, class Emit>
void Equations::sweep_jacobian(const double* y, double alpha, Emit&& emit) const {
  const PetscInt first = grid_.first_unknown();
  const auto component = [&]<int C>() {
    const Momentum<D, C> kernel{medium_};
    const Backflow<C> backflow{grid_, case_.backflow, open_sides_};
    const PetscInt slot = grid_.velocity_slot(C);
    grid_.for_each_face(C, [&](PetscInt base, const Index& cell) {
      const PetscInt row = grid_.global(base + slot);
      if (boundary_.row(row - first) != RowKind::balance) return;
      const auto add = [&](PetscInt offset, double value) { unfold(row, offset, value, emit); };
      emit(row, row, alpha);
      kernel.derivatives(y, base, cell, add);
      if (!open_sides_.empty()) backflow.derivatives(y, base, cell, add);
      if (eddy_) EddyStress<D, C>{grid_, eddy_->values()}.derivatives(base, cell, add);
    });
  };
  component.template operator()<0>();
  component.template operator()<1>();
  if constexpr (D == 3) component.template operator()<2>();
  const Continuity<D> continuity{grid_};
  const CellTransport<D> scalar{medium_, medium_.kappa};
  const double scale = constraint_scale(alpha);
  grid_.for_each_cell([&](PetscInt base, const Index& cell) {
    const PetscInt p = grid_.global(base + grid_.pressure_slot());
    if (boundary_.row(p - first) == RowKind::balance) {
      emit(p, p, 0.0); // factorizations want a diagonal
      continuity.derivatives(base, cell, [&](PetscInt offset, double value) {
        emit(p, grid_.global(offset), given_at_[offset] != 0 ? 0.0 : scale * value);
      });
    }
    if (!grid_.has_scalar()) return;
    const PetscInt s = grid_.global(base + grid_.scalar_slot());
    if (boundary_.row(s - first) != RowKind::balance) return;
    emit(s, s, alpha);
    scalar.derivatives(y, base, cell, [&](PetscInt offset, double value) { unfold(s, offset, value, emit); });
  });
  for (const auto& row : boundary_.special_rows()) {
    emit(row.owned + first, row.owned + first, rate_given(row.owned) ? alpha + damping : 1.0);
    for (const BoundaryTerm& term : boundary_.terms(row))
      emit(row.owned + first, grid_.global(term.offset), -term.factor);
  }
}

core::MatHandle Equations::create_matrix() const {
  const std::vector<double> zeros(grid_.places(), 0.0);
  return create_swept_matrix(grid_.comm(), grid_.owned_count(), grid_.owned_count(), [&](auto&& emit) {
    with_dimension(grid_.dimension(), [&]<int D>() { sweep_jacobian<D>(zeros.data(), 1.0, emit); });
  });
}

void Equations::jacobian(double t, Vec y, double alpha, Mat matrix) {
  const GhostedVec local = ghosted(t, y);
  if (eddy_) eddy_->update(local.data());
  assembly_.assemble(matrix, [&](auto&& emit) {
    with_dimension(grid_.dimension(), [&]<int D>() { sweep_jacobian<D>(local.data(), alpha, emit); });
  });
}

} // namespace rhumb::flow
