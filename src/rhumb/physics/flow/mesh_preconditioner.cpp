#include <rhumb/physics/flow/mesh_preconditioner.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/guard.hpp>
#include <memory>

namespace rhumb::flow {

using core::check;

namespace {

/// Larger pressure systems are not factored on every rank.
constexpr PetscInt factored_pressures = 40000;

MeshPreconditioner& self(PC pc) {
  void* context = nullptr;
  check(PCShellGetContext(pc, &context));
  return *static_cast<MeshPreconditioner*>(context);
}

/// A factorization that gives the same digits in every run: on several ranks, by each of them.
void factor(PC pc) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PC inner = pc;
  if (core::size_of(comm) > 1) {
    KSP whole = nullptr;
    check(PCSetType(pc, PCREDUNDANT));
    check(PCRedundantGetKSP(pc, &whole));
    check(KSPGetPC(whole, &inner));
  }
  check(PCSetType(inner, PCCHOLESKY));
  check(PCFactorSetMatSolverType(inner, MATSOLVERCHOLMOD));
}

/// ILU(0); on several ranks each rank's part with one layer of its neighbours' unknowns (restricted additive Schwarz).
void set_incomplete(PC pc) {
  if (core::size_of(PetscObjectComm(reinterpret_cast<PetscObject>(pc))) > 1) {
    check(PCSetType(pc, PCASM)); // ILU(0) is what its parts have by default
    return;
  }
  check(PCSetType(pc, PCILU));
  check(PCFactorSetMatOrderingType(pc, MATORDERINGRCM));
}

} // namespace

void MeshPreconditioner::install(PC pc, Mat matrix, Blocks blocks) {
  auto object = std::make_unique<MeshPreconditioner>(pc, matrix, std::move(blocks));
  check(PCSetType(pc, PCSHELL));
  check(PCShellSetName(pc, "Taylor-Hood block factorization"));
  check(PCShellSetContext(pc, object.get()));
  check(PCShellSetSetUp(pc, [](PC shell) -> PetscErrorCode { return core::guard([&] { self(shell).setup(); }); }));
  check(PCShellSetApply(
      pc, [](PC shell, Vec r, Vec z) -> PetscErrorCode { return core::guard([&] { self(shell).apply(r, z); }); }));
  check(PCShellSetApplyTranspose(pc, [](PC shell, Vec z, Vec r) -> PetscErrorCode {
    return core::guard([&] { self(shell).apply_transposed(z, r); });
  }));
  check(PCShellSetDestroy(pc, [](PC shell) -> PetscErrorCode {
    return core::guard([&] { const std::unique_ptr<MeshPreconditioner> last(&self(shell)); });
  }));
  object.release(); // the shell owns it now
}

MeshPreconditioner::MeshPreconditioner(PC pc, Mat matrix, Blocks blocks) : matrix_(matrix), blocks_(std::move(blocks)) {
  const char* prefix = nullptr;
  check(PCGetOptionsPrefix(pc, &prefix));
  prefix_ = prefix ? prefix : "";
}

void MeshPreconditioner::create() {
  for (std::size_t c = 0; c < blocks_.velocities.size(); ++c) components_.push_back(create_component(c));
  check(MatCreateVecs(components_[0].gradient, d_.out(), nullptr));
  phi_ = core::same_layout(d_);
  create_pressure_solver();
}

MeshPreconditioner::Component MeshPreconditioner::create_component(std::size_t component) const {
  Component made;
  made.unknowns = blocks_.velocities[component];
  const auto block = [&](IS rows, IS columns, core::MatHandle& out) {
    check(MatCreateSubMatrix(matrix_, rows, columns, MAT_INITIAL_MATRIX, out.out()));
  };
  block(made.unknowns, made.unknowns, made.momentum);
  block(made.unknowns, blocks_.pressures, made.gradient);
  block(blocks_.pressures, made.unknowns, made.divergence);
  check(MatCreateVecs(made.momentum, made.r.out(), nullptr));
  for (auto* v : {&made.u, &made.w, &made.inverse_mass}) *v = core::same_layout(made.r);
  check(VecCopy(blocks_.mass[component], made.inverse_mass));
  check(VecReciprocal(made.inverse_mass));
  check(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix_)), made.incomplete.out()));
  check(PCSetOptionsPrefix(made.incomplete, (prefix_ + "fieldsplit_velocity_").c_str()));
  check(PCSetOperators(made.incomplete, made.momentum, made.momentum));
  set_incomplete(made.incomplete);
  check(PCSetFromOptions(made.incomplete));
  return made;
}

/// A pressure that is held has an empty row in L: its equation is its own, and the diagonal is one.
void MeshPreconditioner::create_pressure_solver() {
  for (const auto& component : components_) {
    core::MatHandle scaled, part;
    check(MatDuplicate(component.gradient, MAT_COPY_VALUES, scaled.out()));
    check(MatDiagonalScale(scaled, component.inverse_mass, nullptr));
    check(MatMatMult(component.divergence, scaled, MAT_INITIAL_MATRIX, PETSC_DEFAULT, part.out()));
    if (laplacian_)
      check(MatAXPY(laplacian_, 1.0, part, DIFFERENT_NONZERO_PATTERN));
    else
      laplacian_ = std::move(part);
  }
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
  const bool plane = components_.size() == 2;
  if (plane && size <= factored_pressures) {
    factor(pressure_);
  } else {
    check(PCSetType(pressure_, PCHYPRE));
    check(PCHYPRESetType(pressure_, "boomeramg"));
  }
  check(PCSetFromOptions(pressure_));
  check(PCSetUp(pressure_));
}

void MeshPreconditioner::setup() {
  const bool first = components_.empty();
  if (first) create();
  for (auto& component : components_) {
    Mat block = component.momentum;
    if (!first) check(MatCreateSubMatrix(matrix_, component.unknowns, component.unknowns, MAT_REUSE_MATRIX, &block));
    check(PCSetUp(component.incomplete));
  }
}

void MeshPreconditioner::solve_pressure(core::VecHandle Component::*v) {
  check(VecScale(d_, -1.0));
  for (auto& component : components_) check(MatMultAdd(component.divergence, component.*v, d_, d_));
  check(PCApply(pressure_, d_, phi_));
}

void MeshPreconditioner::apply(Vec r, Vec z) {
  check(VecISCopy(r, blocks_.pressures, SCATTER_REVERSE, d_));
  {
    const core::Readable rp(d_);
    for (auto& [index, value] : alone_) value = rp[index];
  }
  for (auto& c : components_) {
    check(VecISCopy(r, c.unknowns, SCATTER_REVERSE, c.r));
    check(PCApply(c.incomplete, c.r, c.u));
  }
  solve_pressure(&Component::u);
  for (auto& c : components_) {
    check(MatMult(c.gradient, phi_, c.w));
    check(VecPointwiseMult(c.w, c.w, c.inverse_mass));
    check(VecAXPY(c.u, -1.0, c.w));
    check(MatMult(c.momentum, c.u, c.w));
    check(VecAYPX(c.w, -1.0, c.r));
    check(VecPointwiseMult(c.w, c.w, c.inverse_mass));
    check(VecISCopy(z, c.unknowns, SCATTER_FORWARD, c.u));
  }
  check(VecSet(d_, 0.0));
  solve_pressure(&Component::w);
  {
    const core::Writable p(phi_);
    for (const auto& [index, value] : alone_) p[index] = value;
  }
  check(VecISCopy(z, blocks_.pressures, SCATTER_FORWARD, phi_));
}

/// `apply`, line by line backwards; L is symmetric.
void MeshPreconditioner::apply_transposed(Vec z, Vec r) {
  check(VecISCopy(z, blocks_.pressures, SCATTER_REVERSE, d_));
  {
    const core::Writable p(d_);
    for (auto& [index, value] : alone_) value = std::exchange(p[index], 0.0);
  }
  check(PCApply(pressure_, d_, phi_));
  check(VecSet(d_, 0.0));
  for (auto& c : components_) {
    check(VecISCopy(z, c.unknowns, SCATTER_REVERSE, c.u));
    check(MatMultTranspose(c.divergence, phi_, c.r));
    check(VecPointwiseMult(c.r, c.r, c.inverse_mass));
    check(MatMultTranspose(c.momentum, c.r, c.w));
    check(VecAXPY(c.u, -1.0, c.w));
    check(VecPointwiseMult(c.w, c.u, c.inverse_mass));
    check(MatMultTransposeAdd(c.gradient, c.w, d_, d_));
  }
  check(VecScale(d_, -1.0));
  check(PCApply(pressure_, d_, phi_));
  for (auto& c : components_) {
    check(MatMultTransposeAdd(c.divergence, phi_, c.u, c.u));
    check(PCApplyTranspose(c.incomplete, c.u, c.w));
    check(VecAXPY(c.r, 1.0, c.w));
    check(VecISCopy(r, c.unknowns, SCATTER_FORWARD, c.r));
  }
  check(VecScale(phi_, -1.0));
  {
    const core::Writable rp(phi_);
    for (const auto& [index, value] : alone_) rp[index] += value;
  }
  check(VecISCopy(r, blocks_.pressures, SCATTER_FORWARD, phi_));
}

} // namespace rhumb::flow
