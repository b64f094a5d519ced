#include <rhumb/bdf/linear.hpp>

#include <rhumb/bdf/check_jacobian.hpp>
#include <rhumb/bdf/timer.hpp>
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/block_tridiagonal.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>
#include <vector>

namespace rhumb::bdf {

using core::check;
using core::option_given;
using core::Readable;
using core::Writable;

namespace {

/// Whether a setup failed on the numbers in the matrix (a zero pivot), which another step may mend.
bool is_numerical(const core::LibraryError& error) {
  constexpr std::array codes{PETSC_ERR_MAT_LU_ZRPVT, PETSC_ERR_MAT_CH_ZRPVT, PETSC_ERR_FP,
                             PETSC_ERR_LIB,          PETSC_ERR_CONV_FAILED,  PETSC_ERR_NOT_CONVERGED};
  return std::ranges::find(codes, error.code()) != codes.end();
}

bool any_option_begins_with(const std::string& begin) {
  char* all = nullptr;
  check(PetscOptionsGetAll(nullptr, &all));
  const bool found = std::string_view(all).find(begin) != std::string_view::npos;
  check(PetscFree(all));
  return found;
}

/// Its trick replaces the operator of the KSP around it; here GMRES has an operator of its own, and PETSc would crash.
void reject_eisenstat(PC pc, const std::string& spelled) {
  PetscBool is_eisenstat = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCEISENSTAT, &is_eisenstat));
  if (is_eisenstat)
    throw core::BadInput(fmt::format("{} eisenstat needs a matrix that it may change; nearest: sor", spelled));
}

/// PETSc has incomplete factors of one rank's matrix only: on several ranks each factors its own block.
void factor_by_blocks(PC pc, const std::string& prefix) {
  int ranks = 1;
  PetscBool incomplete = PETSC_FALSE;
  PetscInt levels = 0;
  core::check_mpi(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &ranks));
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(pc), &incomplete, PCILU, PCICC, ""));
  if (ranks == 1 || !incomplete) return;
  PCType type = nullptr;
  check(PCGetType(pc, &type));
  const std::string block_type = type;
  check(PCFactorGetLevels(pc, &levels));
  const auto give = [&](const std::string& name, const std::string& value) {
    const std::string option = prefix + "sub_" + name;
    if (!option_given(option)) check(PetscOptionsSetValue(nullptr, ("-" + option).c_str(), value.c_str()));
  };
  give("pc_type", block_type);
  give("pc_factor_levels", std::to_string(levels));
  check(PCSetType(pc, PCBJACOBI));
}

bool factors(PC pc) {
  PetscBool answer = PETSC_FALSE;
  check(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(pc), &answer, PCLU, PCCHOLESKY, ""));
  return answer == PETSC_TRUE;
}

/// Whether nearly every entry has a partner across the diagonal, as on grids.
bool has_symmetric_pattern(Mat matrix) {
  constexpr double nearly_every = 0.9;
  PetscInt rows = 0, entries = 0, partners = 0;
  const PetscInt *begin = nullptr, *column = nullptr;
  PetscBool done = PETSC_FALSE;
  check(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &column, &done));
  for (PetscInt i = 0; done == PETSC_TRUE && i < rows; ++i)
    for (PetscInt k = begin[i]; k < begin[i + 1]; ++k, ++entries)
      partners += std::binary_search(column + begin[column[k]], column + begin[column[k] + 1], i) ? 1 : 0;
  if (done == PETSC_TRUE) check(MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &begin, &column, &done));
  return entries > 0 && static_cast<double>(partners) >= nearly_every * static_cast<double>(entries);
}

/// Left to itself, UMFPACK takes some matrices of grids for unsymmetric ones, and then orders and pivots so that its
/// factors become many times as large (Gray-Scott on 64 x 64 points: 18.9 s in place of 0.56).
void keep_umfpack_symmetric(PC pc, Mat matrix, const std::string& prefix) {
  const std::string strategy = prefix + "mat_umfpack_strategy";
  MatSolverType chosen = nullptr;
  if (!factors(pc) || option_given(strategy)) return;
  check(PCFactorGetMatSolverType(pc, &chosen));
  if (chosen && std::string_view(chosen) == MATSOLVERUMFPACK && has_symmetric_pattern(matrix))
    check(PetscOptionsSetValue(nullptr, ("-" + strategy).c_str(), "SYMMETRIC"));
}

Operator choose(Operator requested, const dae::Offers& offers, OptionSpelling spelled) {
  if (requested == Operator::product && !offers.product)
    throw core::BadInput(fmt::format("{} product: this system has no product of its own; nearest: differences",
                                     spelled(NamedOption::linear_operator)));
  if (requested != Operator::automatic) return requested;
  return offers.product ? Operator::product : Operator::assembled;
}

} // namespace

Linear::Linear(dae::GuardedSystem& system, dae::Weights& weights, const IntegratorOptions& options, Phases& phases)
    : system_(system), weights_(weights), phases_(phases), prefix_(options.prefix),
      operator_(choose(options.linear_operator, system.offers(), options.spelling)),
      matrix_(system.system().create_matrix()) {
  if (options.resumable)
    for (auto* v : {&setup_y_, &setup_ydot_}) *v = core::same_layout(weights.inverse());
  check(MatSetOption(matrix_, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  if (!system.offers().jacobian) differences_ = std::make_unique<dae::ColouredJacobian>(system, matrix_);
  create_preconditioner();
  reject_eisenstat(preconditioner_, options.spelling(NamedOption::preconditioner));
  if (direct_) return;
  if (operator_ == Operator::differences)
    for (auto* v : {&moved_, &moved_dot_}) *v = core::same_layout(weights.inverse());
  if (operator_ != Operator::assembled) factor_in_place();
  const auto precision = system.offers().exact_constraints ? KrylovBasis::Precision::double_precision
                                                           : KrylovBasis::Precision::single_precision;
  krylov_.emplace(system.comm(), weights, prefix_, preconditioner_.get(), precision, phases,
                  [this](Vec v, Vec scaled, Vec out) { multiply(v, scaled, out); });
}

Linear::~Linear() = default;

void Linear::create_preconditioner() {
  check(PCCreate(system_.comm(), preconditioner_.out()));
  check(PCSetOptionsPrefix(preconditioner_, prefix_.c_str()));
  check(PCSetOperators(preconditioner_, matrix_, matrix_));
  system_.system().configure(preconditioner_, matrix_);
  check(PCSetFromOptions(preconditioner_));
  factor_by_blocks(preconditioner_, prefix_);
  const bool block_tridiagonal = dae::is_block_tridiagonal(preconditioner_);
  direct_ = (block_tridiagonal || factors(preconditioner_)) && !option_given(prefix_ + "ksp_type");
  view_once_ = option_given(prefix_ + "ksp_view");
  if (direct_) // there are no iterations to be shown
    for (const char* name : {"ksp_monitor", "ksp_converged_reason"}) option_given(prefix_ + name);
  if (!factors(preconditioner_)) return;
  MatSolverType chosen = nullptr; // by the system
  check(PCFactorGetMatSolverType(preconditioner_, &chosen));
  PetscInt size = 0;
  check(MatGetSize(matrix_, &size, nullptr));
  const bool asked_for = chosen && std::string_view(chosen) == MATSOLVERUMFPACK;
  const bool asked_for_klu = chosen && std::string_view(chosen) == MATSOLVERKLU && core::size_of(system_.comm()) > 1;
  const bool grid_like = asked_for || (size > dae::small_system && !asked_for_klu);
  if ((!chosen || asked_for || asked_for_klu) && !option_given(prefix_ + "pc_factor_mat_solver_type"))
    choose_factorization(grid_like ? MATSOLVERUMFPACK : MATSOLVERKLU);
  if (factors(preconditioner_)) enlarge_mumps_workspace();
}

/// Where nothing is multiplied with the matrix its incomplete factors may take its place.
void Linear::factor_in_place() {
  PetscBool incomplete = PETSC_FALSE;
  PetscInt levels = 0;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(preconditioner_.get()), PCILU, &incomplete));
  if (incomplete) check(PCFactorGetLevels(preconditioner_, &levels));
  if (incomplete && levels == 0) check(PCFactorSetUseInPlace(preconditioner_, PETSC_TRUE));
}

/// Saddle points make MUMPS delay pivots, for which its own estimate of the workspace is too small (its error -9).
void Linear::enlarge_mumps_workspace() {
  constexpr PetscInt workspace_option = 14, percent_more = 200; // MUMPS has 20
  MatSolverType chosen = nullptr;
  check(PCFactorGetMatSolverType(preconditioner_, &chosen));
  if (!chosen || std::string_view(chosen) != MATSOLVERMUMPS || option_given(prefix_ + "mat_mumps_icntl_14")) return;
  Mat factors_of_matrix = nullptr;
  check(PCFactorSetUpMatSolverType(preconditioner_));
  check(PCFactorGetMatrix(preconditioner_, &factors_of_matrix));
  check(MatMumpsSetIcntl(factors_of_matrix, workspace_option, percent_more));
}

/// PETSc's own LU does not pivot, which a saddle point does not survive; KLU, UMFPACK and MUMPS do, and they equilibrate
/// rows, which is the scaling by 1/h of algebraic rows that LP2 section 3 asks for. KLU is made for circuits and fills
/// some matrices of elements almost completely; large matrices come from grids as a rule. MUMPS adds what other ranks send in the
/// order of arrival, so its last digits differ from run to run; small systems are therefore factored on every rank, and so
/// are those that ask for KLU, which knows one rank only: graphs that are nearly trees, where MUMPS spends its time on messages.
void Linear::choose_factorization(const char* sequential) {
  int ranks = 1;
  PetscInt size = 0;
  core::check_mpi(MPI_Comm_size(system_.comm(), &ranks));
  check(MatGetSize(matrix_, &size, nullptr));
  const bool user_choice = option_given(prefix_ + "pc_type") || any_option_begins_with("-" + prefix_ + "pc_factor_");
  if (direct_ && ranks == 1 && !user_choice && DenseFactors::suit(matrix_)) dense_.emplace(matrix_);
  const bool everywhere = size <= dae::small_system || std::string_view(sequential) == MATSOLVERKLU;
  if (ranks == 1 || !everywhere || user_choice) {
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

SetupResult Linear::setup(const LinearizationPoint& at, Vec residual, double alpha, Vec values_only) {
  ready_ = false;
  {
    const Timer timer(phases_.jacobian);
    fill_matrix(at, residual, alpha);
    if (values_only) drop_rates(at, residual, values_only);
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
  if (direct_ && std::exchange(view_once_, false)) check(PCViewFromOptions(preconditioner_, nullptr, "-ksp_view"));
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
  keep_umfpack_symmetric(preconditioner_, matrix_, prefix_);
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

void Linear::fill_matrix(const LinearizationPoint& at, Vec residual, double alpha) {
  check(MatSetUnfactored(matrix_)); // its factors may have taken its place
  if (differences_)
    differences_->evaluate(at.t, at.y, at.ydot, alpha, residual, weights_, matrix_);
  else
    system_.jacobian(at.t, at.y, at.ydot, alpha, matrix_);
}

void Linear::drop_rates(const LinearizationPoint& at, Vec residual, Vec values_only) {
  core::MatHandle whole;
  check(MatDuplicate(matrix_, MAT_COPY_VALUES, whole.out()));
  const core::VecHandle others = core::same_layout(values_only);
  check(VecSet(others, 1.0));
  check(VecAXPY(others, -1.0, values_only));
  fill_matrix(at, residual, 0.0);
  check(MatDiagonalScale(matrix_, nullptr, values_only));
  check(MatDiagonalScale(whole, nullptr, others));
  check(MatAXPY(matrix_, 1.0, whole, SAME_NONZERO_PATTERN));
}

void Linear::rescale(const dae::KindScale& scale) {
  if (krylov_) krylov_->rescale(scale);
}

void Linear::linearize(const LinearizationPoint& at, Vec residual, double alpha) {
  current_ = at;
  current_residual_ = residual;
  current_alpha_ = alpha;
  if (direct_ || operator_ != Operator::differences) return;
  // What is added to y has sqrt(u) of y's weighted norm. DASPK's increment of a whole tolerance is far too large for
  // strongly nonlinear meshes.
  const double root_u = std::sqrt(std::numeric_limits<double>::epsilon());
  increment_ = root_u * (1.0 + weights_.norm(at.y, dae::all_kinds));
  if (!std::isfinite(increment_)) increment_ = root_u;
}

SolveResult Linear::solve(Vec b, Vec x, double tolerance, double reduction) {
  if (krylov_) return krylov_->solve(b, x, tolerance, reduction);
  return {apply_factors(b, x), 0};
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

void Linear::multiply(Vec v, Vec scaled, Vec out) {
  const Timer timer(phases_.products);
  switch (operator_) {
  case Operator::differences:
    difference_product(v, scaled, out);
    break;
  case Operator::product:
    system_.product(current_.t, current_.y, current_.ydot, current_alpha_, scaled, out);
    break;
  default:
    check(MatMult(matrix_, scaled, out));
  }
}

/// v is a basis vector as a rule, but a restart multiplies with what it has of the solution.
void Linear::difference_product(Vec v, Vec scaled, Vec out) {
  PetscInt size = 0;
  PetscReal length = 1.0; // PETSc remembers it of a basis vector
  check(VecGetSize(v, &size));
  check(VecNorm(v, NORM_2, &length));
  const double weighted = length / std::sqrt(static_cast<double>(size)); // norm of D v
  const double increment = weighted > 0.0 ? increment_ / weighted : increment_;
  check(VecWAXPY(moved_, increment, scaled, current_.y));
  check(VecWAXPY(moved_dot_, increment * current_alpha_, scaled, current_.ydot));
  ++system_.counts.residual_krylov;
  system_.residual(current_.t, moved_, moved_dot_, out);
  check(VecAXPY(out, -1.0, current_residual_));
  check(VecScale(out, 1.0 / increment));
}

std::string Linear::describe() const {
  PCType pc = nullptr;
  check(PCGetType(preconditioner_, &pc));
  if (direct_) {
    MatSolverType package = nullptr;
    if (!dense_ && factors(preconditioner_)) check(PCFactorGetMatSolverType(preconditioner_, &package));
    const std::string by = package ? fmt::format(" by {}", package) : "";
    return fmt::format("direct ({}{})", dae::is_block_tridiagonal(preconditioner_) ? "block tridiagonal lu" : pc, by);
  }
  const char* products = operator_ == Operator::differences ? "differences"
                         : operator_ == Operator::product   ? "the system's product"
                                                            : "the kept matrix";
  return fmt::format("{} with {}, products by {}", krylov_->type(), pc, products);
}

void Linear::check_jacobian(const LinearizationPoint& at, Vec residual, double alpha) {
  if (differences_) return;
  fill_matrix(at, residual, alpha);
  bdf::check_jacobian(system_, weights_, matrix_, at.t, at.y, at.ydot, alpha, residual);
}

} // namespace rhumb::bdf
