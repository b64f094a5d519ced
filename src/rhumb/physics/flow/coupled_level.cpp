#include <rhumb/physics/flow/coupled_level.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>

namespace rhumb::flow {

using core::check;
using core::Readable;
using core::Writable;

namespace {
/// Share of first-order upwinding in the cycle, on every level; central differences are not smoothed, and more of it
/// corrects the wrong problem. Measured on the cavity at Re 1000.
constexpr double upwinding = 0.3;
/// Damping of the smoother; 1.5 and 3 take more iterations.
constexpr double omega = 2.0;
} // namespace

CoupledLevel::CoupledLevel(const Case& flow_case, const Staggered& grid)
    : grid_(grid), equations_(flow_case, grid, Level::mean, upwinding) {
  create_sets();
}

CoupledLevel::CoupledLevel(const Case& flow_case, std::unique_ptr<Staggered> grid)
    : owned_grid_(std::move(grid)), grid_(*owned_grid_), equations_(flow_case, grid_, Level::mean, upwinding) {
  create_sets();
}

PetscInt CoupledLevel::cells() const {
  return grid_.line(0).cells() * grid_.line(1).cells() * grid_.line(2).cells();
}

void CoupledLevel::create_sets() {
  std::vector<char> is_pressure(static_cast<std::size_t>(grid_.owned_count()), 0);
  grid_.for_each_cell([&](PetscInt base, const Index&) { is_pressure[grid_.owned(base + grid_.pressure_slot())] = 1; });
  std::vector<PetscInt> transported, pressures;
  for (PetscInt i = 0; i < grid_.owned_count(); ++i)
    (is_pressure[i] != 0 ? pressures : transported).push_back(grid_.first_unknown() + i);
  const auto set = [&](const std::vector<PetscInt>& indices, core::IsHandle& out) {
    check(ISCreateGeneral(grid_.comm(), static_cast<PetscInt>(indices.size()), indices.data(), PETSC_COPY_VALUES,
                          out.out()));
  };
  set(transported, transported_);
  set(pressures, pressures_);
  state_ = grid_.create_vector();
  const auto part = [&](std::size_t size, core::VecHandle& out) {
    check(VecCreateMPI(grid_.comm(), static_cast<PetscInt>(size), PETSC_DETERMINE, out.out()));
    check(VecSet(out, 0.0));
  };
  part(transported.size(), ru_);
  part(pressures.size(), d_);
  for (auto* v : {&step_, &inverse_diagonal_, &work_}) *v = core::same_layout(ru_);
  for (auto* v : {&phi_, &volumes_}) *v = core::same_layout(d_);
  measure(transported, pressures);
}

/// Volumes of the fluid cells, and the damping: 1 where a row gives a value.
void CoupledLevel::measure(std::span<const PetscInt> transported, std::span<const PetscInt> pressures) {
  const Boundary& boundary = equations_.boundary();
  {
    const Writable volume(volumes_), step(step_);
    std::vector<double> by_owned(static_cast<std::size_t>(grid_.owned_count()), 0.0);
    grid_.for_each_cell([&](PetscInt base, const Index& cell) {
      const PetscInt owned = grid_.owned(base + grid_.pressure_slot());
      if (boundary.row(owned) == RowKind::balance) by_owned[owned] = grid_.volume(grid_.dimension(), cell);
    });
    for (std::size_t i = 0; i < pressures.size(); ++i) volume[i] = by_owned[pressures[i] - grid_.first_unknown()];
    for (std::size_t i = 0; i < transported.size(); ++i)
      step[i] = boundary.row(transported[i] - grid_.first_unknown()) == RowKind::balance ? 1.0 / omega : 1.0;
    for (std::size_t i = 0; i < pressures.size() && held_ < 0; ++i)
      if (volume[i] > 0.0) held_ = pressures[i];
  }
  check(VecSum(volumes_, &total_volume_));
}

SplitVec CoupledLevel::create() const {
  return {core::same_layout(ru_), core::same_layout(d_)};
}

void CoupledLevel::set_up(double t, double alpha) {
  const bool first = !matrix_;
  if (first) matrix_ = equations_.create_matrix();
  equations_.jacobian(t, state_, alpha, matrix_);
  scale_ = equations_.constraint_scale(alpha);
  if (first) {
    create_blocks();
  } else {
    Mat block = momentum_;
    check(MatCreateSubMatrix(matrix_, transported_, transported_, MAT_REUSE_MATRIX, &block));
  }
  update_diagonal();
}

void CoupledLevel::create_blocks() {
  check(MatCreateSubMatrix(matrix_, transported_, transported_, MAT_INITIAL_MATRIX, momentum_.out()));
  check(MatCreateSubMatrix(matrix_, transported_, pressures_, MAT_INITIAL_MATRIX, gradient_.out()));
  check(MatCreateSubMatrix(matrix_, pressures_, transported_, MAT_INITIAL_MATRIX, divergence_.out()));
  check(MatScale(divergence_, 1.0 / scale_));
}

/// D^-1, and S with a diagonal of 1 where a cell is solid.
void CoupledLevel::update_diagonal() {
  check(MatGetDiagonal(momentum_, inverse_diagonal_));
  check(VecReciprocal(inverse_diagonal_));
  core::MatHandle scaled;
  check(MatDuplicate(gradient_, MAT_COPY_VALUES, scaled.out()));
  check(MatDiagonalScale(scaled, inverse_diagonal_, nullptr));
  Mat schur = schur_;
  check(MatMatMult(divergence_, scaled, schur ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT,
                   schur ? &schur : schur_.out()));
  if (equations_.boundary().any_solid()) {
    check(MatGetDiagonal(schur_, phi_));
    {
      const Writable entry(phi_);
      const Readable volume(volumes_);
      for (std::size_t i = 0; i < entry.size(); ++i)
        if (volume[i] == 0.0) entry[i] = 1.0;
    }
    check(MatSetOption(schur_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    check(MatDiagonalSet(schur_, phi_, INSERT_VALUES));
  }
  if (!schur_sweeps_) {
    check(PCCreate(grid_.comm(), schur_sweeps_.out()));
    check(PCSetType(schur_sweeps_, PCSOR));
    check(PCSORSetSymmetric(schur_sweeps_, SOR_LOCAL_SYMMETRIC_SWEEP));
  }
  check(PCSetOperators(schur_sweeps_, schur_, schur_));
  check(PCSetUp(schur_sweeps_));
}

void CoupledLevel::factor() {
  if (!factors_) {
    whole_ = grid_.create_vector();
    solution_ = core::same_layout(whole_);
    check(PCCreate(grid_.comm(), factors_.out()));
    check(PCSetType(factors_, PCLU));
    check(PCFactorSetMatSolverType(factors_, MATSOLVERUMFPACK));
  }
  // With a right side without net inflow a diagonal entry changes nothing but the constant.
  if (equations_.closed()) {
    check(MatSetValue(matrix_, held_, held_, scale_, INSERT_VALUES));
    check(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  }
  check(PCSetOperators(factors_, matrix_, matrix_));
  check(PCSetUp(factors_));
}

void CoupledLevel::solve(const SplitVec& r, const SplitVec& x) {
  check(VecISCopy(whole_, transported_, SCATTER_FORWARD, r.u));
  check(VecCopy(r.p, d_));
  check(VecScale(d_, scale_));
  check(VecISCopy(whole_, pressures_, SCATTER_FORWARD, d_));
  check(PCApply(factors_, whole_, solution_));
  check(VecISCopy(solution_, transported_, SCATTER_REVERSE, x.u));
  check(VecISCopy(solution_, pressures_, SCATTER_REVERSE, x.p));
}

void CoupledLevel::product(const SplitVec& x, const SplitVec& out) {
  check(MatMult(momentum_, x.u, out.u));
  check(MatMultAdd(gradient_, x.p, out.u, out.u));
  check(MatMult(divergence_, x.u, out.p));
}

void CoupledLevel::residual(const SplitVec& r, const SplitVec& x, const SplitVec& out) {
  product(x, out);
  check(VecAYPX(out.u, -1.0, r.u));
  check(VecAYPX(out.p, -1.0, r.p));
}

void CoupledLevel::smooth(const SplitVec& r, const SplitVec& x, int sweeps, Initial initial) {
  for (int i = 0; i < sweeps; ++i) sweep(r, x, i == 0 ? initial : Initial::given);
}

void CoupledLevel::sweep(const SplitVec& r, const SplitVec& x, Initial initial) {
  if (initial == Initial::zero) {
    check(VecPointwiseMult(x.u, inverse_diagonal_, r.u));
    check(VecPointwiseMult(x.u, x.u, step_));
    check(VecSet(x.p, 0.0));
  } else {
    check(MatMult(momentum_, x.u, ru_));
    check(MatMultAdd(gradient_, x.p, ru_, ru_));
    const Readable given(r.u), inverse(inverse_diagonal_), step(step_), image(ru_);
    const Writable u(x.u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += step[i] * inverse[i] * (given[i] - image[i]);
  }
  check(MatMult(divergence_, x.u, d_));
  check(VecAXPY(d_, -1.0, r.p));
  check(PCApply(schur_sweeps_, d_, phi_));
  check(MatMult(gradient_, phi_, work_));
  {
    const Readable change(work_), inverse(inverse_diagonal_);
    const Writable u(x.u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= inverse[i] * change[i];
  }
  check(VecAXPY(x.p, omega, phi_));
}

void CoupledLevel::centre(Vec p) const {
  if (!equations_.closed()) return;
  PetscScalar sum = 0.0;
  check(VecDot(p, volumes_, &sum));
  const double mean = sum / total_volume_;
  const Readable volume(volumes_);
  const Writable value(p);
  for (std::size_t i = 0; i < value.size(); ++i)
    if (volume[i] > 0.0) value[i] -= mean;
}

} // namespace rhumb::flow
