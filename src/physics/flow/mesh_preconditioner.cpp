#include "physics/flow/mesh_preconditioner.hpp"

#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/guard.hpp"
#include <memory>

namespace rhumb::flow {

using core::check;

namespace {

constexpr PetscInt fill_levels = 1;
/// Larger pressure systems are not factored on every rank.
constexpr PetscInt factored_pressures = 40000;

MeshPreconditioner& self(PC pc) {
  void* context = nullptr;
  check(PCShellGetContext(pc, &context));
  return *static_cast<MeshPreconditioner*>(context);
}

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  core::check_mpi(MPI_Comm_size(comm, &ranks));
  return ranks;
}

/// A factorization that gives the same digits in every run: on several ranks, by each of them.
void factor(PC pc) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PC inner = pc;
  if (ranks_of(comm) > 1) {
    KSP whole = nullptr;
    check(PCSetType(pc, PCREDUNDANT));
    check(PCRedundantGetKSP(pc, &whole));
    check(KSPGetPC(whole, &inner));
  }
  check(PCSetType(inner, PCLU));
  check(PCFactorSetMatSolverType(inner, MATSOLVERUMFPACK));
}

/// On several ranks each rank's part with one layer of its neighbours' unknowns (restricted additive Schwarz).
void set_incomplete(PC pc) {
  if (ranks_of(PetscObjectComm(reinterpret_cast<PetscObject>(pc))) == 1) {
    check(PCSetType(pc, PCILU));
    check(PCFactorSetLevels(pc, fill_levels));
    check(PCFactorSetMatOrderingType(pc, MATORDERINGRCM));
    return;
  }
  check(PCSetType(pc, PCASM));
  check(PCSetUp(pc));
  PetscInt count = 0;
  KSP* parts = nullptr;
  check(PCASMGetSubKSP(pc, &count, nullptr, &parts));
  for (PetscInt i = 0; i < count; ++i) {
    PC part = nullptr;
    check(KSPGetPC(parts[i], &part));
    check(PCSetType(part, PCILU));
    check(PCFactorSetLevels(part, fill_levels));
    check(PCFactorSetMatOrderingType(part, MATORDERINGRCM));
  }
}

} // namespace

void MeshPreconditioner::install(PC pc, Mat matrix, Blocks blocks, const MeshStep& step) {
  auto object = std::make_unique<MeshPreconditioner>(pc, matrix, std::move(blocks), step);
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetName(pc, "Taylor-Hood block factorization"));
  check(PCShellSetContext(pc, object.get()));
  check(PCShellSetSetUp(pc, [](PC shell) -> PetscErrorCode { return core::guard([&] { self(shell).setup(); }); }));
  check(PCShellSetApply(
      pc, [](PC shell, Vec r, Vec z) -> PetscErrorCode { return core::guard([&] { self(shell).apply(r, z); }); }));
  check(PCShellSetDestroy(pc, [](PC shell) -> PetscErrorCode {
    return core::guard([&] { const std::unique_ptr<MeshPreconditioner> last(&self(shell)); });
  }));
  object.release(); // the shell owns it now
}

MeshPreconditioner::MeshPreconditioner(PC pc, Mat matrix, Blocks blocks, const MeshStep& step)
    : matrix_(matrix), blocks_(std::move(blocks)), step_(step) {
  const char* prefix = nullptr;
  check(PCGetOptionsPrefix(pc, &prefix));
  prefix_ = prefix ? prefix : "";
  check(PetscOptionsGetReal(nullptr, prefix_.c_str(), "-fieldsplit_exact_from", &long_step_, nullptr));
}

void MeshPreconditioner::create() {
  const auto block = [&](IS rows, IS columns, core::MatHandle& out) {
    check(MatCreateSubMatrix(matrix_, rows, columns, MAT_INITIAL_MATRIX, out.out()));
  };
  block(blocks_.velocities, blocks_.velocities, momentum_);
  block(blocks_.velocities, blocks_.pressures, gradient_);
  block(blocks_.pressures, blocks_.velocities, divergence_);
  check(MatCreateVecs(gradient_, d_.out(), ru_.out()));
  for (auto* v : {&u_, &w_, &inverse_mass_}) *v = core::same_layout(ru_);
  phi_ = core::same_layout(d_);
  check(VecCopy(blocks_.mass, inverse_mass_));
  check(VecReciprocal(inverse_mass_));
  create_pressure_solver();
  incomplete_ = momentum_solver(false);
  if (blocks_.plane) exact_ = momentum_solver(true);
}

core::PcHandle MeshPreconditioner::momentum_solver(bool exact) const {
  core::PcHandle out;
  check(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix_)), out.out()));
  check(PCSetOptionsPrefix(out, (prefix_ + (exact ? "fieldsplit_exact_" : "fieldsplit_velocity_")).c_str()));
  check(PCSetOperators(out, momentum_, momentum_));
  if (exact)
    factor(out);
  else
    set_incomplete(out);
  check(PCSetFromOptions(out));
  return out;
}

/// A pressure that is held has an empty row in L: its equation is its own, and the diagonal is one.
void MeshPreconditioner::create_pressure_solver() {
  core::MatHandle scaled;
  check(MatDuplicate(gradient_, MAT_COPY_VALUES, scaled.out()));
  check(MatDiagonalScale(scaled, inverse_mass_, nullptr));
  check(MatMatMult(divergence_, scaled, MAT_INITIAL_MATRIX, PETSC_DEFAULT, laplacian_.out()));
  {
    check(MatGetDiagonal(laplacian_, d_));
    const core::Writable diagonal(d_);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      if (diagonal[i] != 0.0) continue;
      diagonal[i] = 1.0;
      alone_.emplace_back(i, 0.0);
    }
  }
  check(MatSetOption(laplacian_, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  check(MatDiagonalSet(laplacian_, d_, INSERT_VALUES));
  PetscInt size = 0;
  check(MatGetSize(laplacian_, &size, nullptr));
  check(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix_)), pressure_.out()));
  check(PCSetOptionsPrefix(pressure_, (prefix_ + "fieldsplit_pressure_").c_str()));
  check(PCSetOperators(pressure_, laplacian_, laplacian_));
  if (blocks_.plane && size <= factored_pressures) {
    factor(pressure_);
  } else {
    check(PCSetType(pressure_, PCHYPRE));
    check(PCHYPRESetType(pressure_, "boomeramg"));
  }
  check(PCSetFromOptions(pressure_));
  check(PCSetUp(pressure_));
}

void MeshPreconditioner::setup() {
  if (!momentum_) {
    create();
  } else {
    Mat block = momentum_;
    check(MatCreateSubMatrix(matrix_, blocks_.velocities, blocks_.velocities, MAT_REUSE_MATRIX, &block));
  }
  momentum_now_ = exact_ && step_.cells_crossed > long_step_ ? exact_ : incomplete_;
  check(PCSetUp(momentum_now_));
}

void MeshPreconditioner::apply(Vec r, Vec z) {
  check(VecISCopy(r, blocks_.velocities, SCATTER_REVERSE, ru_));
  check(VecISCopy(r, blocks_.pressures, SCATTER_REVERSE, d_));
  {
    const core::Readable rp(d_);
    for (auto& [place, value] : alone_) value = rp[place];
  }
  check(PCApply(momentum_now_, ru_, u_));
  check(VecScale(d_, -1.0));
  check(MatMultAdd(divergence_, u_, d_, d_));
  check(PCApply(pressure_, d_, phi_));
  check(MatMult(gradient_, phi_, w_));
  check(VecPointwiseMult(w_, w_, inverse_mass_));
  check(VecAXPY(u_, -1.0, w_));
  check(MatMult(momentum_, u_, w_));
  check(VecAYPX(w_, -1.0, ru_));
  check(VecPointwiseMult(w_, w_, inverse_mass_));
  check(MatMult(divergence_, w_, d_));
  check(PCApply(pressure_, d_, phi_));
  {
    const core::Writable p(phi_);
    for (const auto& [place, value] : alone_) p[place] = value;
  }
  check(VecISCopy(z, blocks_.velocities, SCATTER_FORWARD, u_));
  check(VecISCopy(z, blocks_.pressures, SCATTER_FORWARD, phi_));
}

} // namespace rhumb::flow
