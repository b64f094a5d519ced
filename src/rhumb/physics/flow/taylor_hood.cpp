#include <rhumb/physics/flow/taylor_hood.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/flow/case.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::flow {

using core::check;
using dae::Kind;

namespace {

std::vector<dae::Field> fields_of(int dimension) {
  std::vector<dae::Field> out{{"u", "", "velocity in x"}, {"v", "", "velocity in y"}};
  if (dimension == 3) out.push_back({"w", "", "velocity in z"});
  out.push_back({.name = "p", .long_name = "pressure over density", .kind = Kind::index2});
  return out;
}

std::vector<int> orders_of(int dimension, int order) {
  std::vector<int> out(dimension, order);
  out.push_back(order - 1);
  return out;
}

} // namespace

std::unique_ptr<dae::Problem> make_mesh_flow(MPI_Comm comm, const core::Options& options) {
  MeshCase read = read_mesh_case(comm, options);
  if (read.dimension() == 2) return std::make_unique<TaylorHood<2>>(std::move(read));
  return std::make_unique<TaylorHood<3>>(std::move(read));
}

/// The mesh moves on into the system; `case_` keeps the rest.
template <int D>
TaylorHood<D>::TaylorHood(MeshCase read)
    : Base(std::move(read.mesh), fields_of(D), orders_of(D, read.order)), case_(std::move(read)),
      probes_(this->space(), case_.probes), pressure_pair_(this->space(), case_.pressure_pair, "pressure_pair"),
      work_(this->space().create_vector()) {
  for (PetscInt i = 0; i < this->cells().points(); ++i) volume_ += this->cells().weight(i);
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &volume_, 1, MPI_DOUBLE, MPI_SUM, this->grid_mesh().comm()));
  hold_velocities();
  for (std::size_t c = 0; c < D; ++c) {
    if (!case_.force[c]) continue;
    for (PetscInt i = 0; i < this->cells().points(); ++i) {
      const PetscInt index = force_values_.add(&*case_.force[c], this->cells().position(i));
      if (i == 0) first_force_[c] = index;
    }
  }
}

template <int D>
void TaylorHood<D>::hold_velocities() {
  for (std::size_t b = 0; b < case_.boundaries.size(); ++b) {
    const auto& boundary = case_.boundaries[b];
    if (boundary.type == MeshBoundary::Type::outflow) continue;
    const int only = boundary.type == MeshBoundary::Type::slip ? slip_direction(static_cast<int>(b)) : -1;
    for (int c = 0; c < D; ++c) {
      const auto& formula = boundary.velocity[c];
      if (only < 0 || only == c) this->essential().hold(static_cast<int>(b), c, formula ? &*formula : nullptr);
    }
  }
  // The first vertex of the mesh as it was read: u, v, (w,) p.
  if (case_.closed()) this->essential().pin(D);
  reject_lost_pressures();
}

/// A pressure none of whose cells has a velocity that is free acts on nothing: a cell in a corner, all of whose nodes
/// are on boundaries.
template <int D>
void TaylorHood<D>::reject_lost_pressures() {
  const auto& space = this->space();
  const core::VecHandle local = space.create_local();
  const auto of_cell = [&](PetscInt cell, int component) {
    return std::span(space.closure(cell) + space.offset(component), space.element(component).size());
  };
  {
    const core::Writable acts(local);
    for (PetscInt cell = 0; cell < this->grid_mesh().cells(); ++cell) {
      bool any = false;
      for (int c = 0; c < D; ++c)
        for (const PetscInt velocity : of_cell(cell, c)) any = any || !this->essential().holds(velocity);
      for (const PetscInt p : of_cell(cell, D)) acts[p] += any ? 1.0 : 0.0;
    }
  }
  space.sum_up(local, work_);
  space.to_local(work_, local);
  const core::Readable acts(local);
  core::run_and_agree(this->grid_mesh().comm(), [&] {
    for (PetscInt i = 0; i < space.local_count(); ++i) {
      if (space.component_of(i) != D || acts[i] > 0.0 || this->essential().holds(i)) continue;
      const auto& x = space.position(i);
      throw core::BadInput(
          fmt::format("the mesh {} has a cell at ({:g}, {:g}, {:g}) whose velocities are all given, so "
                      "that nothing determines its pressure: cut that corner's cells differently",
                      this->grid_mesh().file(), x[0], x[1], x[2]));
    }
  });
}

/// A boundary along which the flow slips must face one direction of the axes: only that component is held.
template <int D>
int TaylorHood<D>::slip_direction(int boundary) const {
  std::array<double, 4> across{}; // largest component of a normal in each direction, and their number
  for (PetscInt i = 0; i < this->facets().size(); ++i) {
    const fem::Patch patch = this->facets()[i];
    if (patch.boundary != boundary) continue;
    for (PetscInt q = 0; q < patch.basis->points(); ++q)
      for (std::size_t d = 0; d < D; ++d) across[d] = std::max(across[d], std::abs(patch.normals[q][d]));
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, across.data(), 4, MPI_DOUBLE, MPI_MAX, this->grid_mesh().comm()));
  int direction = -1, count = 0;
  for (int d = 0; d < D; ++d)
    if (across[d] > 1e-6) direction = d, ++count;
  if (count == 1) return direction;
  throw core::BadInput(
      fmt::format("-bc_{}_type slip: the boundary must be plane and face x, y or z", case_.boundaries[boundary].name));
}

template <int D>
dae::Offers TaylorHood<D>::offers() const {
  dae::Offers out = Base::offers();
  out.hidden_constraint = true;
  out.exact = case_.exact_in_elements;
  return out;
}

/// Velocities are measured against the flow's own speed, not against what they happen to be at a wall.
template <int D>
dae::Tolerances TaylorHood<D>::tolerances(double rtol) const {
  dae::Tolerances tolerances;
  tolerances.rtol = rtol;
  tolerances.atol = rtol * case_.speed;
  tolerances.atol_of_field.assign(D + 1, -1.0);
  tolerances.atol_of_field[pressure] = rtol * case_.speed * case_.speed;
  return tolerances;
}

template <int D>
double TaylorHood<D>::initial(int component, const fem::Position& x) const {
  const auto& formula = case_.initial[component];
  return formula ? (*formula)({.x = x}) : 0.0;
}

/// The pressure with the level that its held vertex has.
template <int D>
void TaylorHood<D>::exact(double t, Vec y) const {
  const auto& space = this->space();
  double level = 0.0;
  for (const auto& entry : this->essential().entries())
    if (entry.boundary < 0 && entry.owned >= 0) level = (*case_.exact[D])({.x = space.position(entry.local), .t = t});
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_DOUBLE, MPI_SUM, this->grid_mesh().comm()));
  const core::Writable values(y);
  for (PetscInt owned = 0; owned < space.owned_count(); ++owned) {
    const PetscInt local = space.local(owned);
    const int c = space.component_of(local);
    values[owned] = (*case_.exact[c])({.x = space.position(local), .t = t}) - (c == D ? level : 0.0);
  }
}

template <int D>
void TaylorHood<D>::prepare(double t, const double* values) {
  force_values_.update(t);
  if (!case_.closed() || excess_time_ == t) return;
  excess_ = -net_inflow(values) / volume_; // of given velocities alone
  excess_time_ = t;
}

/// What flows in through all boundaries, less what flows out.
template <int D>
double TaylorHood<D>::net_inflow(const double* values) const {
  double sum = 0.0;
  for (PetscInt i = 0; i < this->facets().size(); ++i) {
    const fem::Patch patch = this->facets()[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q) {
      const auto u = this->at_point(patch, q, values, nullptr);
      for (std::size_t d = 0; d < D; ++d) sum -= patch.weights[q] * u.value[d] * patch.normals[q][d];
    }
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, this->grid_mesh().comm()));
  return sum;
}

/// The derivative of -(div u - excess, q), for the given velocities' own derivatives.
template <int D>
void TaylorHood<D>::hidden_constraint(double t, Vec y, Vec ydot, Vec residual) {
  this->load(t, y, ydot);
  const double excess = case_.closed() ? -net_inflow(this->rates()) / volume_ : 0.0;
  this->integrate(
      [&](double* out) {
        for (PetscInt i = 0; i < this->cells().size(); ++i) {
          const fem::Patch patch = this->cells()[i];
          for (PetscInt q = 0; q < patch.basis->points(); ++q) {
            const auto rate = this->at_point(patch, q, this->rates(), nullptr);
            fem::Terms<double, D, D + 1> terms;
            terms.source[pressure] = excess;
            for (std::size_t d = 0; d < D; ++d) terms.source[pressure] -= rate.gradient[d][d];
            this->test(patch, q, terms, out);
          }
        }
      },
      work_);
  const core::Readable sums(work_);
  const core::Writable out(residual);
  for (PetscInt owned = 0; owned < this->space().owned_count(); ++owned)
    if (this->variable_kind(owned) == Kind::index2) out[owned] = sums[owned];
}

template <int D>
core::IsHandle TaylorHood<D>::unknowns(int component) const {
  PetscInt first = 0;
  check(VecGetOwnershipRange(work_, &first, nullptr));
  std::vector<PetscInt> indices;
  for (PetscInt owned = 0; owned < this->space().owned_count(); ++owned)
    if (this->field_of(owned) == component) indices.push_back(first + owned);
  core::IsHandle out;
  check(ISCreateGeneral(this->grid_mesh().comm(), static_cast<PetscInt>(indices.size()), indices.data(),
                        PETSC_COPY_VALUES, out.out()));
  return out;
}

/// Integrals of phi_i^2, of one component.
template <int D>
core::VecHandle TaylorHood<D>::mass_diagonal(int component, IS of_component) const {
  const auto& space = this->space();
  const core::VecHandle local = space.create_local(), all = space.create_vector();
  {
    const core::Writable sums(local);
    for (PetscInt i = 0; i < this->cells().size(); ++i) {
      const fem::Patch patch = this->cells()[i];
      const PetscInt* unknowns_of_cell = space.closure(patch.cell) + space.offset(component);
      for (PetscInt q = 0; q < patch.basis->points(); ++q) {
        const double* phi = patch.basis->functions(component, q);
        for (PetscInt b = 0; b < space.element(component).size(); ++b)
          sums[unknowns_of_cell[b]] += patch.weights[q] * phi[b] * phi[b];
      }
    }
  }
  space.sum_up(local, all);
  core::VecHandle out;
  PetscInt count = 0;
  check(ISGetLocalSize(of_component, &count));
  check(VecCreateMPI(this->grid_mesh().comm(), count, PETSC_DETERMINE, out.out()));
  check(VecISCopy(all, of_component, SCATTER_REVERSE, out));
  return out;
}

template <int D>
void TaylorHood<D>::configure(PC preconditioner, Mat matrix) const {
  MeshPreconditioner::Blocks blocks;
  blocks.pressures = unknowns(D);
  for (int c = 0; c < D; ++c) {
    blocks.velocities.push_back(unknowns(c));
    blocks.mass.push_back(mass_diagonal(c, blocks.velocities.back()));
  }
  MeshPreconditioner::install(preconditioner, matrix, std::move(blocks));
}

template class TaylorHood<2>;
template class TaylorHood<3>;

} // namespace rhumb::flow
