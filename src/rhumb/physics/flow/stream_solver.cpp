#include <rhumb/physics/flow/stream_solver.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>

namespace rhumb::flow {

using core::check;
using core::Readable;
using core::Writable;

namespace {
/// Nodes in all up to which the reduced matrix is factored; beyond, multigrid takes less memory and time. On several
/// ranks each has the factors, 4 kB per node.
constexpr PetscInt most_factored = 40'000, most_redundant = 10'000;

PetscInt cells(const Equations& equations) {
  return equations.grid().line(0).cells() * equations.grid().line(1).cells();
}
} // namespace

bool StreamSolver::fits(const Equations& equations) {
  const bool few = cells(equations) <= most_redundant || core::size_of(equations.grid().comm()) == 1;
  return few && fits_transposed(equations);
}

bool StreamSolver::fits_transposed(const Equations& equations) {
  return StreamNodes::fits(equations) && cells(equations) <= most_factored;
}

StreamSolver::StreamSolver(const Equations& equations, std::span<const PetscInt> transported, const Blocks& blocks,
                           const Poisson& poisson, const std::string& prefix)
    : equations_(equations), transported_(transported), blocks_(blocks), poisson_(poisson) {
  assign_roles();
  create_solver(prefix);
}

/// Most runs never need it: made when first used.
void StreamSolver::create_matrices() {
  create_curl();
  rhs_ = core::same_layout(psi_);
  for (auto* v : {&work_, &diagonal_}) *v = core::same_layout(residual_);
  check(MatMatMult(blocks_.momentum, curl_, MAT_INITIAL_MATRIX, PETSC_DEFAULT, product_.out()));
  check(MatMatMult(test_, product_, MAT_INITIAL_MATRIX, PETSC_DEFAULT, reduced_.out()));
}

/// The scalar, and velocities inside obstacles that mirror those outside, are unknowns of their own: no continuity has
/// them.
void StreamSolver::assign_roles() {
  const Boundary& boundary = equations_.boundary();
  const Staggered& grid = equations_.grid();
  std::vector<Role> by_owned(grid.owned_count(), Role::explicit_row);
  for (const int c : {0, 1})
    grid.for_each_unknown(c, [&](PetscInt owned, const Index&) {
      by_owned[owned] = boundary.row(owned) == RowKind::balance ? Role::curl : Role::given;
    });
  for (const auto& row : boundary.special_rows())
    if (!boundary.terms(row).empty()) by_owned[row.owned] = Role::explicit_row;
  for (const PetscInt owned : transported_) {
    roles_.push_back(by_owned[owned]);
    if (roles_.back() == Role::explicit_row) ++owned_rows_;
  }
}

void StreamSolver::create_curl() {
  const Staggered& grid = equations_.grid();
  const StreamNodes nodes(equations_, owned_rows_);
  std::vector<PetscInt> row_of(grid.owned_count(), -1);
  check(MatCreate(grid.comm(), curl_.out()));
  check(
      MatSetSizes(curl_, static_cast<PetscInt>(roles_.size()), nodes.owned_count(), PETSC_DETERMINE, PETSC_DETERMINE));
  check(MatSetType(curl_, MATAIJ));
  constexpr PetscInt entries = 2; // per row
  check(MatSeqAIJSetPreallocation(curl_, entries, nullptr));
  check(MatMPIAIJSetPreallocation(curl_, entries, nullptr, entries, nullptr));
  check(MatCreateVecs(curl_, psi_.out(), residual_.out()));
  PetscInt first = 0, next = nodes.first_of_more();
  check(MatGetOwnershipRange(curl_, &first, nullptr));
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    row_of[transported_[i]] = static_cast<PetscInt>(i);
    if (roles_[i] == Role::explicit_row)
      check(MatSetValue(curl_, first + static_cast<PetscInt>(i), next++, 1.0, ADD_VALUES));
  }
  check(VecSet(residual_, 1.0));
  {
    const Writable volume(residual_);
    for (const int c : {0, 1})
      grid.for_each_unknown(c, [&](PetscInt owned, const Index& cell) {
        const PetscInt row = row_of[owned];
        if (roles_[row] != Role::curl) return;
        volume[row] = grid.volume(c, cell);
        Index other = cell;
        other[1 - c] += 1;
        const double gradient = (c == 0 ? 1.0 : -1.0) * grid.line(1 - c).inverse_width(cell[1 - c]);
        // Numbers below zero, where psi is held, are left out by PETSc.
        check(MatSetValue(curl_, first + row, nodes.index(other[0], other[1]), gradient, ADD_VALUES));
        check(MatSetValue(curl_, first + row, nodes.index(cell[0], cell[1]), -gradient, ADD_VALUES));
      });
  }
  check(MatAssemblyBegin(curl_, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(curl_, MAT_FINAL_ASSEMBLY));
  check(MatTranspose(curl_, MAT_INITIAL_MATRIX, test_.out()));
  check(MatDiagonalScale(test_, nullptr, residual_));
}

/// On several ranks each has the whole matrix and its factors: solves need one exchange, and give the same bits in
/// every run.
void StreamSolver::create_solver(const std::string& prefix) {
  const MPI_Comm comm = equations_.grid().comm();
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(comm, &ranks));
  check(KSPCreate(comm, solver_.out()));
  check(KSPSetOptionsPrefix(solver_, (prefix + "fieldsplit_stream_").c_str()));
  check(KSPSetType(solver_, KSPPREONLY));
  PC pc = nullptr;
  check(KSPGetPC(solver_, &pc));
  if (ranks > 1) {
    check(PCSetType(pc, PCREDUNDANT));
    KSP inner = nullptr;
    check(PCRedundantGetKSP(pc, &inner));
    check(KSPSetType(inner, KSPPREONLY));
    check(KSPGetPC(inner, &pc));
  }
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, MATSOLVERUMFPACK));
  check(KSPSetFromOptions(solver_));
}

void StreamSolver::setup() {
  if (!curl_) {
    create_matrices();
  } else {
    Mat product = product_, reduced = reduced_;
    check(MatMatMult(blocks_.momentum, curl_, MAT_REUSE_MATRIX, PETSC_DEFAULT, &product));
    check(MatMatMult(test_, product_, MAT_REUSE_MATRIX, PETSC_DEFAULT, &reduced));
  }
  check(MatGetDiagonal(blocks_.momentum, diagonal_));
  check(KSPSetOperators(solver_, reduced_, reduced_));
  check(KSPSetUp(solver_));
}

void StreamSolver::solve(Vec ru, Vec rp, Vec u, Vec p) const {
  // u_0: given values, and the gradient that makes their divergence r_p.
  {
    const Readable given(ru), diagonal(diagonal_);
    const Writable value(u);
    for (std::size_t i = 0; i < roles_.size(); ++i) value[i] = roles_[i] == Role::given ? given[i] / diagonal[i] : 0.0;
  }
  check(VecScale(rp, -1.0));
  check(MatMultAdd(blocks_.divergence, u, rp, rp));
  poisson_.solve(rp, p);
  check(MatMult(blocks_.gradient, p, work_));
  check(VecAXPY(u, -1.0, work_));

  check(MatMult(blocks_.momentum, u, residual_));
  check(VecAYPX(residual_, -1.0, ru));
  check(MatMult(test_, residual_, rhs_));
  check(KSPSolve(solver_, rhs_, psi_));
  check(MatMultAdd(curl_, psi_, u, u));

  check(MatMult(product_, psi_, work_));
  check(VecAXPY(residual_, -1.0, work_));
  check(MatMult(blocks_.divergence, residual_, rp));
  poisson_.solve(rp, p);
}

/// `solve`, line by line backwards.
void StreamSolver::solve_transposed(Vec u, Vec p, Vec ru, Vec rp) const {
  poisson_.solve_transposed(p, rp);
  check(MatMultTranspose(blocks_.divergence, rp, ru));

  check(MatMultTranspose(curl_, u, rhs_));
  check(MatMultTranspose(product_, ru, psi_));
  check(VecAXPY(rhs_, -1.0, psi_));
  check(KSPSolveTranspose(solver_, rhs_, psi_));
  check(MatMultTransposeAdd(test_, psi_, ru, ru));
  check(MatMultTranspose(blocks_.momentum, ru, work_));
  check(VecAXPY(u, -1.0, work_));

  check(MatMultTranspose(blocks_.gradient, u, p));
  check(VecScale(p, -1.0));
  poisson_.solve_transposed(p, rp);
  check(MatMultTransposeAdd(blocks_.divergence, rp, u, u));
  check(VecScale(rp, -1.0));
  const Readable value(u), diagonal(diagonal_);
  const Writable given(ru);
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] == Role::given) given[i] += value[i] / diagonal[i];
}

} // namespace rhumb::flow
