#include "bdf/linear.hpp"

#include "bdf/timer.hpp"
#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include "core/guard.hpp"
#include "dae/block_tridiagonal.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <vector>

namespace rhumb::bdf {

using core::check;
using core::guard;
using core::Readable;
using core::Writable;

namespace {

/// GMRES restarts after this many iterations, at first; each restart doubles the number, up to the second: a good
/// preconditioner is not charged with the vectors of a poor one. Other KSPs, and users who say how theirs restarts or
/// begins, have the second number or their own.
constexpr PetscInt first_room = 4, most_room = 40;
/// In all; -dae_ksp_max_it.
constexpr PetscInt most_iterations = 200;
/// A smallest singular value below this is not believed: the solve then fails and the preconditioner is renewed.
constexpr double least_singular_value = 1e-8;

/// Whether a setup failed on the numbers in the matrix (a zero pivot), which another step may mend.
bool is_numerical(const core::LibraryError& error) {
  constexpr std::array codes{PETSC_ERR_MAT_LU_ZRPVT, PETSC_ERR_MAT_CH_ZRPVT, PETSC_ERR_FP,
                             PETSC_ERR_LIB,          PETSC_ERR_CONV_FAILED,  PETSC_ERR_NOT_CONVERGED};
  return std::ranges::find(codes, error.code()) != codes.end();
}

bool option_given(const std::string& name) {
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, nullptr, ("-" + name).c_str(), &given));
  return given == PETSC_TRUE;
}

bool any_option_begins_with(const std::string& begin) {
  char* all = nullptr;
  check(PetscOptionsGetAll(nullptr, &all));
  const bool found = std::string_view(all).find(begin) != std::string_view::npos;
  check(PetscFree(all));
  return found;
}

bool factors(PC pc) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(pc), &answer, PCLU, PCCHOLESKY, ""));
  return answer == PETSC_TRUE;
}

bool is_gmres(KSP ksp) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPGMRES, &answer));
  return answer == PETSC_TRUE;
}

Operator choose(Operator wish, const dae::Offers& offers) {
  if (wish == Operator::product && !offers.product)
    throw core::BadInput("-dae_operator product: this system has no product of its own; nearest: differences");
  if (wish != Operator::automatic) return wish;
  return offers.product ? Operator::product : Operator::assembled;
}

} // namespace

Linear::Linear(dae::GuardedSystem& system, dae::Weights& weights, const Options& options, Phases& phases)
    : system_(system), weights_(weights), phases_(phases), prefix_(options.prefix),
      operator_(choose(options.linear_operator, system.offers())), matrix_(system.system().create_matrix()),
      inverse_scale_(weights.inverse()) {
  if (options.resumable)
    for (auto* v : {&setup_y_, &setup_ydot_}) *v = core::same_layout(inverse_scale_);
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  if (!system.offers().jacobian) differences_ = std::make_unique<dae::ColouredJacobian>(system, matrix_);
  create_preconditioner();
  if (!direct_) create_krylov();
}

Linear::~Linear() = default;

void Linear::create_preconditioner() {
  check(PCCreate(system_.comm(), preconditioner_.out()));
  check(PCSetOptionsPrefix(preconditioner_, prefix_.c_str()));
  check(PCSetOperators(preconditioner_, matrix_, matrix_));
  system_.system().configure(preconditioner_, matrix_);
  check(PCSetFromOptions(preconditioner_));
  const bool own = dae::is_block_tridiagonal(preconditioner_);
  direct_ = (own || factors(preconditioner_)) && !option_given(prefix_ + "ksp_type");
  if (!factors(preconditioner_)) return;
  MatSolverType chosen = nullptr; // by the system
  check(PCFactorGetMatSolverType(preconditioner_, &chosen));
  const bool sequential = chosen && std::string_view(chosen) == MATSOLVERUMFPACK;
  if ((!chosen || sequential) && !option_given(prefix_ + "pc_factor_mat_solver_type"))
    choose_factorization(sequential ? MATSOLVERUMFPACK : MATSOLVERKLU);
  if (factors(preconditioner_)) give_mumps_room();
}

/// Saddle points make MUMPS delay pivots, for which its own estimate of the workspace is too small (its error -9).
void Linear::give_mumps_room() {
  constexpr PetscInt workspace_option = 14, percent_more = 200; // MUMPS has 20
  MatSolverType chosen = nullptr;
  check(PCFactorGetMatSolverType(preconditioner_, &chosen));
  if (!chosen || std::string_view(chosen) != MATSOLVERMUMPS || option_given(prefix_ + "mat_mumps_icntl_14")) return;
  Mat factors_of_matrix = nullptr;
  check(PCFactorSetUpMatSolverType(preconditioner_));
  check(PCFactorGetMatrix(preconditioner_, &factors_of_matrix));
  check(MatMumpsSetIcntl(factors_of_matrix, workspace_option, percent_more));
}

/// PETSc's own LU does not pivot, which a saddle point does not survive; KLU and MUMPS do, and they equilibrate rows,
/// which is the scaling by 1/h of algebraic rows that LP2 section 3 asks for. MUMPS adds what other ranks send in the
/// order of arrival, so its last digits differ from run to run; small systems are therefore factored on every rank.
void Linear::choose_factorization(const char* sequential) {
  int ranks = 1;
  PetscInt size = 0;
  core::check_mpi(MPI_Comm_size(system_.comm(), &ranks));
  check(MatGetSize(matrix_, &size, nullptr));
  const bool own = option_given(prefix_ + "pc_type") || any_option_begins_with("-" + prefix_ + "pc_factor_");
  if (direct_ && ranks == 1 && !own && DenseFactors::suit(matrix_)) dense_.emplace(matrix_);
  if (ranks == 1 || size > dae::small_system || own) {
    check(PCFactorSetMatSolverType(preconditioner_, ranks > 1 ? MATSOLVERMUMPS : sequential));
    return;
  }
  KSP whole = nullptr;
  PC factorization = nullptr;
  check(PCSetType(preconditioner_, PCREDUNDANT));
  check(PCRedundantGetKSP(preconditioner_, &whole));
  check(KSPGetPC(whole, &factorization));
  check(PCSetType(factorization, PCLU));
  check(PCFactorSetMatSolverType(factorization, sequential));
}

void Linear::create_krylov() {
  PetscInt local = 0, global = 0;
  check(VecGetLocalSize(inverse_scale_, &local));
  check(VecGetSize(inverse_scale_, &global));
  root_size_ = std::sqrt(static_cast<double>(global));
  work_ = core::same_layout(inverse_scale_);
  if (operator_ == Operator::differences)
    for (auto* v : {&moved_, &moved_dot_}) *v = core::same_layout(inverse_scale_);
  check(MatCreateShell(system_.comm(), local, local, global, global, this, scaled_operator_.out()));
  check(MatShellSetOperation(scaled_operator_, MATOP_MULT, reinterpret_cast<void (*)()>(&Linear::apply_operator)));
  check(
      MatShellSetOperation(scaled_operator_, MATOP_CREATE_VECS, reinterpret_cast<void (*)()>(&Linear::create_vectors)));
  check(KSPCreate(system_.comm(), krylov_.out()));
  check(KSPSetOptionsPrefix(krylov_, prefix_.c_str()));
  check(KSPSetOperators(krylov_, scaled_operator_, scaled_operator_));
  check(KSPSetType(krylov_, KSPGMRES));
  check(KSPGMRESSetRestart(krylov_, most_room));
  check(KSPSetPCSide(krylov_, PC_LEFT));
  check(KSPSetNormType(krylov_, KSP_NORM_PRECONDITIONED));
  check(KSPSetTolerances(krylov_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  check(KSPSetComputeSingularValues(krylov_, PETSC_TRUE));
  // The KSP's own PC wraps ours; another prefix keeps -dae_pc_* for the inner one.
  PC outer = nullptr;
  check(KSPGetPC(krylov_, &outer));
  check(PCSetOptionsPrefix(outer, (prefix_ + "scaled_").c_str()));
  check(PCSetType(outer, PCSHELL));
  check(PCShellSetContext(outer, this));
  check(PCShellSetApply(outer, &Linear::apply_preconditioner));
  check(KSPSetFromOptions(krylov_));
  check(KSPGetTolerances(krylov_, nullptr, nullptr, nullptr, &most_iterations_));
  check(KSPSetConvergenceTest(krylov_, &Linear::converged, this, nullptr));
  constexpr std::array own_ways{"gmres_restart", "initial_guess_nonzero", "knoll", "guess_type",
                                "error_if_not_converged"};
  const auto wanted = [&](const char* way) { return option_given(prefix_ + "ksp_" + way); };
  room_grows_ = is_gmres(krylov_) && std::ranges::none_of(own_ways, wanted);
  if (!room_grows_) return;
  set_room(first_room);
  // All vectors now: those that come with the first solves would lie in the way of the preconditioner's next arrays.
  check(KSPGMRESSetPreAllocateVectors(krylov_));
  check(KSPSetUp(krylov_));
}

SetupResult Linear::setup(const Point& at, Vec residual, double alpha) {
  ready_ = false;
  {
    const Timer timer(phases_.jacobian);
    fill_matrix(at, residual, alpha);
  }
  ++counts_.jacobian_evals;
  if (!system_.all_well()) return SetupResult::residual_failed;
  const SetupResult result = set_up_preconditioner();
  if (result != SetupResult::good) return result;
  if (setup_y_) {
    check(VecCopy(at.y, setup_y_));
    check(VecCopy(at.ydot, setup_ydot_));
  }
  setup_time_ = at.t;
  alpha_of_setup_ = alpha;
  ready_ = true;
  return SetupResult::good;
}

SetupResult Linear::set_up_preconditioner() {
  const Timer timer(phases_.pc_setup);
  if (dense_) {
    ++counts_.pc_setups;
    switch (dense_->factor(matrix_)) {
    case DenseFactors::Outcome::good:
      return SetupResult::good;
    case DenseFactors::Outcome::not_a_number:
      return SetupResult::residual_failed;
    default:
      return SetupResult::singular;
    }
  }
  // A block-tridiagonal factorization fails on entries that are no numbers; others may go on with them.
  const bool notices = dae::is_block_tridiagonal(preconditioner_);
  if (!notices && !matrix_is_finite()) return SetupResult::residual_failed;

  ++counts_.pc_setups;
  check(PCSetReusePreconditioner(preconditioner_, PETSC_FALSE));
  bool good = true;
  try {
    check(PCSetUp(preconditioner_));
    PCFailedReason reason = PC_NOERROR;
    check(PCGetFailedReasonRank(preconditioner_, &reason));
    good = reason == PC_NOERROR;
  } catch (const core::LibraryError& error) {
    if (!is_numerical(error)) throw; // an unknown type, say: no other step would mend it
    good = false;
  }
  if (!good) system_.fail_here();
  if (system_.all_well()) return SetupResult::good;
  forget_factors();
  return notices && !matrix_is_finite() ? SetupResult::residual_failed : SetupResult::singular;
}

bool Linear::matrix_is_finite() const {
  PetscReal size = 0.0;
  PetscBool has_norm = PETSC_FALSE; // a matrix of the user's own making may have none
  check(MatHasOperation(matrix_, MATOP_NORM, &has_norm));
  if (has_norm) check(MatNorm(matrix_, NORM_FROBENIUS, &size));
  return std::isfinite(size);
}

/// PETSc would lose what a factorization that failed has left behind.
void Linear::forget_factors() {
  if (!direct_ && !factors(preconditioner_)) return;
  check(PCReset(preconditioner_));
  check(PCSetOperators(preconditioner_, matrix_, matrix_));
}

void Linear::fill_matrix(const Point& at, Vec residual, double alpha) {
  if (differences_)
    differences_->evaluate(at.t, at.y, at.ydot, alpha, residual, weights_, matrix_);
  else
    system_.jacobian(at.t, at.y, at.ydot, alpha, matrix_);
}

void Linear::rescale(const dae::KindScale& kind_scale) {
  if (direct_) return;
  inverse_scale_ = weights_.inverse();
  if (weights_.all_ones(kind_scale)) return;
  if (!own_scale_) own_scale_ = core::same_layout(inverse_scale_);
  inverse_scale_ = own_scale_;
  const Readable inverse_weight(weights_.inverse());
  const Writable inverse(own_scale_);
  const auto kinds = weights_.kinds();
  for (std::size_t i = 0; i < inverse.size(); ++i)
    inverse[i] = inverse_weight[i] * kind_scale[static_cast<std::size_t>(kinds[i])];
}

void Linear::linearize(const Point& at, Vec residual, double alpha) {
  current_ = at;
  current_residual_ = residual;
  current_alpha_ = alpha;
  if (direct_ || operator_ != Operator::differences) return;
  // A basis vector of GMRES has weighted norm 1/sqrt(N); the increment is sqrt(u) of y in the same norm. DASPK's
  // increment of a whole tolerance is far too large for strongly nonlinear meshes.
  const double root_u = std::sqrt(std::numeric_limits<double>::epsilon());
  increment_ = root_u * root_size_ * (1.0 + weights_.norm(at.y, dae::all_kinds));
  if (!std::isfinite(increment_)) increment_ = root_u * root_size_;
}

SolveResult Linear::solve(Vec b, Vec x, double tolerance) {
  if (direct_) return {apply_factors(b, x), 0};
  const Timer timer(phases_.linear_solve);
  tolerance_ = tolerance * root_size_;
  smallest_ = 1.0;
  PetscInt iterations = 0;
  if (room_grows_) check(KSPSetInitialGuessNonzero(krylov_, PETSC_FALSE));
  KSPConvergedReason reason = iterate(b, x, iterations);
  while (room_grows_ && reason == KSP_DIVERGED_ITS && iterations < most_iterations_) {
    smallest_ = smallest_singular_value(); // the next cycle sees little of it at first
    set_room(std::min(2 * room_, most_room));
    check(KSPSetInitialGuessNonzero(krylov_, PETSC_TRUE));
    reason = iterate(b, x, iterations);
  }
  check(VecPointwiseDivide(x, x, inverse_scale_));
  return {reason > 0, static_cast<int>(iterations)};
}

/// Until the room is full, where it can grow.
KSPConvergedReason Linear::iterate(Vec b, Vec x, PetscInt& iterations) {
  const PetscInt left = most_iterations_ - iterations;
  const PetscInt most = room_grows_ && room_ < most_room ? std::min(room_, left) : left;
  check(KSPSetTolerances(krylov_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, most));
  check(KSPSolve(krylov_, b, x));
  PetscInt made = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetIterationNumber(krylov_, &made));
  check(KSPGetConvergedReason(krylov_, &reason));
  iterations += made;
  return reason;
}

double Linear::smallest_singular_value() const {
  PetscReal largest = 1.0, smallest = 1.0;
  if (is_gmres(krylov_)) check(KSPComputeExtremeSingularValues(krylov_, &largest, &smallest));
  return std::min(smallest_, static_cast<double>(smallest));
}

void Linear::give_room_back() {
  set_room(first_room);
}

void Linear::set_room(PetscInt room) {
  if (!room_grows_ || room <= 0 || room == room_) return;
  room_ = room;
  check(KSPGMRESSetRestart(krylov_, room));
}

bool Linear::apply_factors(Vec b, Vec x) {
  double seconds = 0.0;
  const bool good = [&] {
    const Timer timer(seconds);
    return try_factors(b, x);
  }();
  phases_.linear_solve += seconds;
  phases_.pc_apply += seconds;
  return good;
}

/// MUMPS finds some singular matrices only here.
bool Linear::try_factors(Vec b, Vec x) {
  if (dense_) {
    const Readable from(b);
    const Writable to(x);
    dense_->solve(from.span(), to.span());
    return true;
  }
  try {
    check(PCApply(preconditioner_, b, x));
  } catch (const core::LibraryError& error) {
    if (!is_numerical(error)) throw;
    return false;
  }
  return true;
}

PetscErrorCode Linear::converged(KSP, PetscInt iteration, PetscReal norm, KSPConvergedReason* reason, void* self) {
  return guard([&] {
    const auto& own = *static_cast<const Linear*>(self);
    const double tolerance = own.tolerance_;
    *reason = KSP_CONVERGED_ITERATING;
    if (!std::isfinite(norm)) {
      *reason = KSP_DIVERGED_NANORINF;
      return;
    }
    if (norm == 0.0) *reason = KSP_CONVERGED_ATOL;
    // One application of the preconditioner is always made: x = 0 is no better start for the next step.
    if (iteration == 0 || norm > tolerance || norm == 0.0) return;
    const double bound = norm / std::max(own.smallest_singular_value(), least_singular_value);
    if (bound <= tolerance) *reason = KSP_CONVERGED_ATOL;
  });
}

PetscErrorCode Linear::apply_operator(Mat shell, Vec v, Vec out) {
  return guard([&] {
    void* self = nullptr;
    check(MatShellGetContext(shell, &self));
    static_cast<Linear*>(self)->multiply(v, out);
  });
}

/// GMRES's vectors are of the system's kind.
PetscErrorCode Linear::create_vectors(Mat shell, Vec* right, Vec* left) {
  return guard([&] {
    void* self = nullptr;
    check(MatShellGetContext(shell, &self));
    for (Vec* v : {right, left})
      if (v) check(VecDuplicate(static_cast<Linear*>(self)->inverse_scale_, v));
  });
}

PetscErrorCode Linear::apply_preconditioner(PC shell, Vec r, Vec out) {
  return guard([&] {
    void* context = nullptr;
    check(PCShellGetContext(shell, &context));
    auto* self = static_cast<Linear*>(context);
    const Timer timer(self->phases_.pc_apply);
    check(PCApply(self->preconditioner_, r, out));
    check(VecPointwiseMult(out, out, self->inverse_scale_));
  });
}

void Linear::multiply(Vec v, Vec out) {
  const Timer timer(phases_.products);
  check(VecPointwiseDivide(work_, v, inverse_scale_));
  switch (operator_) {
  case Operator::differences:
    difference_product(v, out);
    break;
  case Operator::product:
    system_.product(current_.t, current_.y, current_.ydot, current_alpha_, work_, out);
    break;
  default:
    check(MatMult(matrix_, work_, out));
  }
}

/// work_ is D v; v is a basis vector as a rule, but a restart multiplies with what it has of the solution.
void Linear::difference_product(Vec v, Vec out) {
  PetscReal length = 1.0; // PETSc remembers it of a basis vector
  check(VecNorm(v, NORM_2, &length));
  const double increment = length > 0.0 ? increment_ / length : increment_;
  check(VecWAXPY(moved_, increment, work_, current_.y));
  check(VecWAXPY(moved_dot_, increment * current_alpha_, work_, current_.ydot));
  ++system_.counts.residual_krylov;
  system_.residual(current_.t, moved_, moved_dot_, out);
  check(VecAXPY(out, -1.0, current_residual_));
  check(VecScale(out, 1.0 / increment));
}

std::string Linear::describe() const {
  PCType pc = nullptr;
  check(PCGetType(preconditioner_, &pc));
  if (direct_)
    return fmt::format("direct ({})", dae::is_block_tridiagonal(preconditioner_) ? "block tridiagonal lu" : pc);
  KSPType ksp = nullptr;
  check(KSPGetType(krylov_, &ksp));
  const char* products = operator_ == Operator::differences ? "differences"
                         : operator_ == Operator::product   ? "the system's product"
                                                            : "the kept matrix";
  return fmt::format("{} with {}, products by {}", ksp, pc, products);
}

void Linear::check_jacobian(const Point& at, Vec residual, double alpha) {
  if (differences_) return;
  core::MatHandle reference;
  check(MatDuplicate(matrix_, MAT_DO_NOT_COPY_VALUES, reference.out()));
  dae::ColouredJacobian coloured(system_, reference);
  coloured.evaluate(at.t, at.y, at.ydot, alpha, residual, weights_, reference);
  system_.jacobian(at.t, at.y, at.ydot, alpha, matrix_);
  if (!system_.all_well()) throw core::BadInput("the Jacobian could not be checked: the residual fails near the start");

  // Differences are good to about sqrt(u) of the row's largest entry; 1e-4 of it is a mistake.
  constexpr double limit = 1e-4;
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix_, &first, &last));
  const auto fields = system_.system().fields();
  std::string complaint;
  for (PetscInt i = first; i < last && complaint.empty(); ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar *given = nullptr, *expected = nullptr;
    check(MatGetRow(matrix_, i, &count, &columns, &given));
    check(MatGetRow(reference, i, &count, &columns, &expected));
    double largest = 0.0;
    for (PetscInt p = 0; p < count; ++p) largest = std::max(largest, std::abs(expected[p]));
    for (PetscInt p = 0; p < count && complaint.empty(); ++p)
      if (std::abs(given[p] - expected[p]) > limit * std::max(largest, std::abs(given[p])))
        complaint = fmt::format("the system's Jacobian disagrees with differences in row {} (field {}), column {}: "
                                "{:.8g} given, {:.8g} by differences",
                                i, fields[static_cast<std::size_t>(system_.system().field_of(i - first))].name,
                                columns[p], given[p], expected[p]);
    check(MatRestoreRow(reference, i, &count, &columns, &expected));
    check(MatRestoreRow(matrix_, i, &count, &columns, &given));
  }
  std::array<double, 1> wrong{complaint.empty() ? 0.0 : 1.0};
  system_.reduce(wrong);
  if (!complaint.empty()) throw core::BadInput(complaint);
  if (wrong[0] > 0.0) throw core::BadInput("the system's Jacobian disagrees with differences on another rank");
}

std::string Linear::empty_rows() const {
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix_, &first, &last));
  const auto fields = system_.system().fields();
  std::vector<int> empty(fields.size(), 0);
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscScalar* values = nullptr;
    check(MatGetRow(matrix_, i, &count, nullptr, &values));
    if (std::all_of(values, values + count, [](double v) { return v == 0.0; }))
      empty[static_cast<std::size_t>(system_.system().field_of(i - first))] = 1;
    check(MatRestoreRow(matrix_, i, &count, nullptr, &values));
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, empty.data(), static_cast<int>(empty.size()), MPI_INT, MPI_MAX, system_.comm()));
  std::vector<std::string> names;
  for (std::size_t f = 0; f < empty.size(); ++f)
    if (empty[f]) names.push_back(fields[f].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace rhumb::bdf
