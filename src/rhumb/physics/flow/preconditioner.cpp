#include <rhumb/physics/flow/preconditioner.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <rhumb/core/options.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

using core::check;
using core::Readable;
using core::Writable;

namespace {

constexpr PetscInt fill_levels = 1; // of ILU on the velocity block; none fails on carried vortices
/// Cells crossed in the time 1/alpha up to which sweeps of Gauss and Seidel replace ILU; carried vortices fail with
/// them from three cells on.
constexpr double short_step = 1.0;

BlockPreconditioner& self(PC pc) {
  void* context = nullptr;
  check(PCShellGetContext(pc, &context));
  return *static_cast<BlockPreconditioner*>(context);
}

core::VecHandle vector_of(MPI_Comm comm, std::size_t owned) {
  core::VecHandle vector;
  check(VecCreateMPI(comm, static_cast<PetscInt>(owned), PETSC_DETERMINE, vector.out()));
  check(VecSet(vector, 0.0));
  return vector;
}

} // namespace

void BlockPreconditioner::install(PC pc, Mat matrix, Equations& equations, const Linearization& at_point) {
  auto object = std::make_unique<BlockPreconditioner>(pc, matrix, equations, at_point);
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetName(pc, "flow block factorization"));
  check(PCShellSetContext(pc, object.get()));
  check(PCShellSetSetUp(pc, [](PC shell) -> PetscErrorCode { return core::guard([&] { self(shell).setup(); }); }));
  check(PCShellSetApply(
      pc, [](PC shell, Vec r, Vec z) -> PetscErrorCode { return core::guard([&] { self(shell).apply(r, z); }); }));
  check(PCShellSetApplyTranspose(pc, [](PC shell, Vec z, Vec r) -> PetscErrorCode {
    return core::guard([&] { self(shell).apply_transposed(z, r); });
  }));
  check(PCShellSetDestroy(pc, [](PC shell) -> PetscErrorCode {
    return core::guard([&] { const std::unique_ptr<BlockPreconditioner> last(&self(shell)); });
  }));
  object.release(); // the shell owns it now
}

BlockPreconditioner::BlockPreconditioner(PC pc, Mat matrix, Equations& equations, const Linearization& at_point)
    : matrix_(matrix), equations_(equations), point_(at_point) {
  const char* prefix = nullptr;
  check(PCGetOptionsPrefix(pc, &prefix));
  prefix_ = prefix ? prefix : "";
  check(PetscOptionsGetReal(nullptr, prefix_.c_str(), "-fieldsplit_stream_from", &stream_from_, nullptr));
  check(PetscOptionsGetReal(nullptr, prefix_.c_str(), "-fieldsplit_coupled_from", &coupled_from_, nullptr));
  number_unknowns();
}

void BlockPreconditioner::number_unknowns() {
  const Staggered& grid = equations_.grid();
  const MPI_Comm comm = grid.comm();
  std::vector<char> is_pressure(grid.owned_count(), 0);
  grid.for_each_cell([&](PetscInt base, const Index&) { is_pressure[grid.owned(base + grid.pressure_slot())] = 1; });
  for (PetscInt i = 0; i < grid.owned_count(); ++i) (is_pressure[i] != 0 ? pressures_ : transported_).push_back(i);
  const auto set = [&](std::vector<PetscInt> indices, core::IsHandle& out) {
    for (auto& index : indices) index += grid.first_unknown();
    check(ISCreateGeneral(comm, static_cast<PetscInt>(indices.size()), indices.data(), PETSC_COPY_VALUES, out.out()));
  };
  set(pressures_, pressure_set_);
  set(transported_, transported_set_);
  ru_ = vector_of(comm, transported_.size());
  u_ = core::same_layout(ru_);
  d_ = vector_of(comm, pressures_.size());
  for (auto* v : {&phi_, &p_, &volumes_}) *v = core::same_layout(d_);
}

void BlockPreconditioner::create_blocks() {
  const Staggered& grid = equations_.grid();
  check(MatCreateSubMatrix(matrix_, transported_set_, pressure_set_, MAT_INITIAL_MATRIX, gradient_.out()));
  check(MatCreateSubMatrix(matrix_, pressure_set_, transported_set_, MAT_INITIAL_MATRIX, divergence_.out()));
  check(MatScale(divergence_, 1.0 / equations_.constraint_scale(alpha_)));

  std::vector<PetscInt> pressure_of(grid.owned_count(), -1);
  for (std::size_t i = 0; i < pressures_.size(); ++i) pressure_of[pressures_[i]] = static_cast<PetscInt>(i);
  {
    const Writable volume(volumes_);
    grid.for_each_cell([&](PetscInt base, const Index& cell) {
      const PetscInt owned = grid.owned(base + grid.pressure_slot());
      if (equations_.boundary().row(owned) == RowKind::balance)
        volume[pressure_of[owned]] = grid.volume(grid.dimension(), cell);
    });
  }
  poisson_ = std::make_unique<Poisson>(equations_, Poisson::Blocks{divergence_, gradient_}, volumes_, prefix_);
}

/// A copy of the momentum block, for what cannot do with the whole matrix.
void BlockPreconditioner::take_momentum() {
  if (!momentum_) {
    check(MatCreateSubMatrix(matrix_, transported_set_, transported_set_, MAT_INITIAL_MATRIX, momentum_.out()));
    return;
  }
  Mat block = momentum_;
  check(MatCreateSubMatrix(matrix_, transported_set_, transported_set_, MAT_REUSE_MATRIX, &block));
}

/// One sweep of ILU(1); on several ranks each rank's with one layer of its neighbours' unknowns (restricted additive
/// Schwarz). Options under <prefix>fieldsplit_velocity_.
void BlockPreconditioner::create_momentum_factors() {
  const MPI_Comm comm = equations_.grid().comm();
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(comm, &ranks));
  check(PCCreate(comm, momentum_factors_.out()));
  check(PCSetOptionsPrefix(momentum_factors_, (prefix_ + "fieldsplit_velocity_").c_str()));
  check(PCSetOperators(momentum_factors_, momentum_, momentum_));
  check(PCSetType(momentum_factors_, ranks == 1 ? PCILU : PCASM));
  if (ranks == 1) check(PCFactorSetLevels(momentum_factors_, fill_levels));
  check(PCSetFromOptions(momentum_factors_));
  PetscBool parted = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(momentum_factors_.get()), PCASM, &parted));
  if (parted == PETSC_FALSE) return;
  check(PCSetUp(momentum_factors_));
  PetscInt count = 0;
  KSP* parts = nullptr;
  check(PCASMGetSubKSP(momentum_factors_, &count, nullptr, &parts));
  for (PetscInt i = 0; i < count; ++i) {
    PC part = nullptr;
    check(KSPGetPC(parts[i], &part));
    check(PCSetType(part, PCILU));
    check(PCFactorSetLevels(part, fill_levels));
    check(KSPSetFromOptions(parts[i]));
  }
}

/// Pressure's number in its block, at every place of the local array; -1 outside the fluid.
void BlockPreconditioner::index_pressures() {
  const Staggered& grid = equations_.grid();
  PetscInt first = 0;
  check(VecGetOwnershipRange(d_, &first, nullptr));
  const core::VecHandle indices = grid.create_vector(), local = grid.create_local();
  check(VecSet(indices, -1.0));
  {
    const Writable index(indices);
    for (std::size_t i = 0; i < pressures_.size(); ++i)
      if (equations_.boundary().row(pressures_[i]) == RowKind::balance)
        index[pressures_[i]] = static_cast<double>(first + static_cast<PetscInt>(i));
  }
  check(VecSet(local, -1.0));
  grid.scatter(indices, local);
  const Readable index(local);
  pressure_index_.resize(index.size());
  for (std::size_t i = 0; i < index.size(); ++i) pressure_index_[i] = static_cast<PetscInt>(index[i]);
}

/// N_p: convection of the pressure in skew form; beyond the fluid the pressure is that of the cell.
template <class Emit>
void BlockPreconditioner::sweep_convection(const double* y, Emit&& emit) const {
  const Staggered& grid = equations_.grid();
  grid.for_each_cell([&](PetscInt base, const Index& cell) {
    const PetscInt p = base + grid.pressure_slot(), row = pressure_index_[p];
    if (row < 0) return;
    for (int d = 0; d < grid.dimension(); ++d) {
      const PetscInt face = base + grid.velocity_slot(d), stride = grid.stride(d);
      const double half = 0.5 * grid.line(d).inverse_width(cell[d]);
      const PetscInt up = pressure_index_[p + stride], down = pressure_index_[p - stride];
      emit(row, up < 0 ? row : up, half * y[face + stride]);
      emit(row, down < 0 ? row : down, -half * y[face]);
    }
  });
}

void BlockPreconditioner::create_pressure_convection() {
  index_pressures();
  const std::vector<double> zeros(equations_.grid().places(), 0.0);
  const auto owned = static_cast<PetscInt>(pressures_.size());
  convection_ = create_swept_matrix(equations_.grid().comm(), owned, owned,
                                    [&](auto&& emit) { sweep_convection(zeros.data(), emit); });
}

void BlockPreconditioner::update_pressure_convection() {
  const GhostedVec local = equations_.ghosted(point_.t, point_.y);
  convection_assembly_.assemble(convection_, [&](auto&& emit) { sweep_convection(local.data(), emit); });
}

double BlockPreconditioner::cells_crossed() const {
  const Staggered& grid = equations_.grid();
  double rate = 0.0;
  {
    const Readable y(point_.y);
    for (int d = 0; d < grid.dimension(); ++d)
      grid.for_each_unknown(d, [&](PetscInt owned, const Index& cell) {
        rate = std::max(rate, std::abs(y[owned]) * grid.line(d).inverse_gap(cell[d]));
      });
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MAX, grid.comm()));
  return rate / point_.alpha;
}

void BlockPreconditioner::set_up_stream() {
  take_momentum();
  if (!stream_)
    stream_ = std::make_unique<StreamSolver>(
        equations_, transported_, StreamSolver::Blocks{momentum_, divergence_, gradient_}, *poisson_, prefix_);
  stream_->setup();
}

void BlockPreconditioner::setup() {
  alpha_ = point_.alpha;
  method_transposed_.reset();
  if (!poisson_) {
    create_blocks();
    create_pressure_convection();
  }
  const double cells = cells_crossed();
  method_ = choose(cells);
  if (method_ == Method::stream) {
    set_up_stream();
    return;
  }
  update_pressure_convection();
  if (method_ == Method::coupled) {
    set_up_coupled();
    return;
  }
  set_up_momentum(cells);
}

BlockPreconditioner::Method BlockPreconditioner::choose(double cells) const {
  if (cells > stream_from_ && StreamSolver::fits(equations_)) return Method::stream;
  return cells > coupled_from_ ? Method::coupled : Method::blocks;
}

void BlockPreconditioner::set_up_coupled() {
  if (!coupled_) {
    coupled_ = std::make_unique<CoupledMultigrid>(equations_);
    coupled_right_ = coupled_->finest().create();
    coupled_solution_ = coupled_->finest().create();
  }
  coupled_->set_up(point_.t, point_.y, point_.alpha);
}

/// A sweep is as good as factors where the flow crosses less than a cell, and takes neither their memory nor that of a
/// copy of the block. Factors are made when they are needed first.
void BlockPreconditioner::set_up_momentum(double cells) {
  sweeps_ = cells < short_step && !core::option_given(prefix_ + "fieldsplit_velocity_pc_type");
  if (sweeps_) {
    if (!sweep_) sweep_.emplace(matrix_, transported_);
  } else {
    set_up_factors();
  }
}

void BlockPreconditioner::set_up_factors() {
  take_momentum();
  if (!momentum_factors_) create_momentum_factors();
  check(PCSetUp(momentum_factors_));
}

/// r_u, and r_p with the factor of the constraint taken out.
void BlockPreconditioner::split(Vec r) {
  const double constraint_scale = equations_.constraint_scale(alpha_);
  const Readable given(r), volume(volumes_);
  const Writable ru(ru_), rp(d_);
  for (std::size_t i = 0; i < transported_.size(); ++i) ru[i] = given[transported_[i]];
  for (std::size_t i = 0; i < pressures_.size(); ++i)
    rp[i] = volume[i] > 0.0 ? given[pressures_[i]] / constraint_scale : 0.0;
}

void BlockPreconditioner::apply(Vec r, Vec z) {
  split(r);
  switch (method_) {
  case Method::stream:
    stream_->solve(ru_, d_, u_, p_);
    break;
  case Method::coupled:
    cycle();
    break;
  case Method::blocks:
    factorize();
    break;
  }
  poisson_->centre(p_);
  join(r, z);
}

/// ru_, d_ (r_p) to u_, p_.
void BlockPreconditioner::factorize() {
  if (sweeps_)
    sweep_->apply(ru_, u_);
  else
    check(PCApply(momentum_factors_, ru_, u_));
  check(VecSet(p_, 0.0));
  project();
}

/// One cycle of multigrid, and what makes its constraint exact.
void BlockPreconditioner::cycle() {
  const SplitVec &r = coupled_right_, &x = coupled_solution_;
  check(VecCopy(ru_, r.u));
  check(VecCopy(d_, r.p));
  coupled_->cycle(r, x);
  check(VecCopy(x.u, u_));
  check(VecCopy(x.p, p_));
  project();
}

/// Takes from u_ the gradient that makes its divergence d_ (r_p), and adds to p_ what belongs to it.
void BlockPreconditioner::project() {
  check(VecScale(d_, -1.0));
  check(MatMultAdd(divergence_, u_, d_, d_));
  poisson_->solve(d_, phi_);
  check(MatMultAdd(convection_, phi_, p_, p_));
  check(MatMult(gradient_, phi_, ru_));
  check(VecAXPY(u_, -1.0, ru_));
  // L phi = d, and `solve` has left -V d in d.
  const Writable p(p_);
  const Readable phi(phi_), d(d_), volume(volumes_);
  for (std::size_t i = 0; i < pressures_.size(); ++i)
    p[i] += volume[i] > 0.0 ? alpha_ * phi[i] + equations_.medium().nu * d[i] / volume[i] : 0.0;
}

void BlockPreconditioner::join(Vec r, Vec z) {
  const Readable given(r), u(u_), p(p_), volume(volumes_);
  const Writable out(z);
  for (std::size_t i = 0; i < transported_.size(); ++i) out[transported_[i]] = u[i];
  for (std::size_t i = 0; i < pressures_.size(); ++i)
    out[pressures_[i]] = volume[i] > 0.0 ? p[i] : given[pressures_[i]];
}

} // namespace rhumb::flow
