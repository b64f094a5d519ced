#include <rhumb/ts/settings.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/petsc_private.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rhumb::ts {

using core::check;

namespace {

constexpr std::array error_tests{"automatic", "standard", "exclude", "filter", "strong", "projected"};
constexpr std::array excluded{"automatic", "higher_index", "algebraic"};
constexpr std::array starts{"find", "steady", "given"};
constexpr std::array operators{"automatic", "assembled", "differences", "product"};

/// One of a few words, as the enumeration whose values are the words' numbers.
template <class Choice, std::size_t count>
PetscErrorCode read_choice(PetscOptionItems* PetscOptionsObject, const char* name, const char* text,
                           const std::array<const char*, count>& names, Choice& choice) {
  PetscInt index = static_cast<PetscInt>(choice);
  PetscCall(PetscOptionsEList(name, text, nullptr, names.data(), static_cast<PetscInt>(count), names[index], &index,
                              nullptr));
  choice = static_cast<Choice>(index);
  return 0;
}

/// Of "0-99" in a list; PETSc refuses a range that does not fit.
constexpr long longest_range = 10'000'000;

/// An upper bound of the integers in a list as PETSc reads it: "0,3,10-19". PETSc leaves out in silence what exceeds
/// the array that it is given.
std::size_t longest_list(const std::string& text) {
  std::size_t length = 1;
  for (const auto& part : core::split_at_commas(text)) {
    const auto dash = std::min(part.find('-', 1), part.size());
    const auto first = core::parse_integer(part.substr(0, dash)).value_or(0);
    const auto last = core::parse_integer(part.substr(std::min(dash + 1, part.size()))).value_or(first);
    length += static_cast<std::size_t>(std::clamp(last - first, 0L, longest_range)) + 1;
  }
  return length;
}

PetscErrorCode read_list(PetscOptionItems* PetscOptionsObject, const char* name, const char* text,
                         std::vector<PetscInt>& list) {
  const char* value = nullptr;
  PetscBool given = PETSC_FALSE;
  PetscCall(PetscOptionsFindPair(PetscOptionsObject->options, PetscOptionsObject->prefix, name, &value, &given));
  std::vector<PetscInt> numbers(longest_list(value ? value : ""));
  auto count = static_cast<PetscInt>(numbers.size());
  PetscCall(PetscOptionsIntArray(name, text, nullptr, numbers.data(), &count, &given));
  if (given) list.assign(numbers.begin(), numbers.begin() + count);
  return 0;
}

const char* prefix_of(TS ts) {
  const char* prefix = nullptr;
  check(PetscObjectGetOptionsPrefix(reinterpret_cast<PetscObject>(ts), &prefix));
  return prefix ? prefix : "";
}

} // namespace

PetscErrorCode read_settings(PetscOptionItems* PetscOptionsObject, TsSettings& settings) {
  PetscOptionsHeadBegin(PetscOptionsObject, "Rhumb's BDF for DAEs");
  PetscInt max_order = settings.max_order;
  PetscReal first_step = settings.first_step, kappa = settings.kappa;
  PetscReal newton_tolerance = settings.newton_tolerance, linear_tolerance = settings.linear_tolerance;
  PetscBool check_jacobian = settings.check_jacobian ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscOptionsInt("-ts_rhumb_max_order", "highest order, 1 to 5", nullptr, max_order, &max_order, nullptr));
  PetscCall(
      PetscOptionsReal("-ts_rhumb_first_step", "first step; 0: chosen", nullptr, first_step, &first_step, nullptr));
  PetscCall(PetscOptionsReal("-ts_rhumb_kappa", "weight in the strong error test", nullptr, kappa, &kappa, nullptr));
  PetscCall(PetscOptionsReal("-ts_rhumb_newton_tolerance", "of Newton's iteration, in units of the error tolerance",
                             nullptr, newton_tolerance, &newton_tolerance, nullptr));
  PetscCall(PetscOptionsReal("-ts_rhumb_linear_tolerance", "of GMRES, in units of Newton's tolerance", nullptr,
                             linear_tolerance, &linear_tolerance, nullptr));
  PetscCall(PetscOptionsBool("-ts_rhumb_check_jacobian", "compare the Jacobian with differences at the start", nullptr,
                             check_jacobian, &check_jacobian, nullptr));
  settings.max_order = static_cast<int>(max_order);
  settings.first_step = first_step;
  settings.kappa = kappa;
  settings.newton_tolerance = newton_tolerance;
  settings.linear_tolerance = linear_tolerance;
  settings.check_jacobian = check_jacobian == PETSC_TRUE;
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_error_test", "which error test", error_tests, settings.error_test));
  PetscCall(read_choice(PetscOptionsObject, "-ts_rhumb_exclude", "variables that the error test exclude leaves out",
                        excluded, settings.exclude));
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_start", "how start values become consistent", starts, settings.start));
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_operator", "products in GMRES", operators, settings.linear_operator));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_algebraic", "numbers of algebraic variables", settings.algebraic));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_index2", "numbers of index-2 variables", settings.index2));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_index3", "numbers of index-3 variables", settings.index3));
  PetscOptionsHeadEnd();
  ++settings.readings;
  return 0;
}

bool option_given(TS ts, const char* name) {
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, prefix_of(ts), name, &given));
  return given == PETSC_TRUE;
}

namespace {
/// Options of PETSc's own that a TS has anyway, and ours.
std::string spelled_for_ts(bdf::NamedOption option) {
  using bdf::NamedOption;
  switch (option) {
  case NamedOption::check_jacobian:
    return "-ts_rhumb_check_jacobian";
  case NamedOption::direct_solver:
    return "-pc_type lu";
  case NamedOption::find_start:
    return "-ts_rhumb_start find";
  case NamedOption::fixed_step:
    return "-ts_adapt_type none -ts_dt H -ts_rhumb_max_order K";
  case NamedOption::given_start:
    return "-ts_rhumb_start given";
  case NamedOption::h_max:
    return "-ts_adapt_dt_max";
  case NamedOption::linear_operator:
    return "-ts_rhumb_operator";
  case NamedOption::max_steps:
    return "-ts_max_steps";
  case NamedOption::preconditioner:
    return "-pc_type";
  case NamedOption::projected_test:
    return "-ts_rhumb_error_test projected";
  case NamedOption::adjoint_memory:
  case NamedOption::no_kind_check:
  case NamedOption::sign_slack:
    break;
  }
  return "";
}
} // namespace

bool has_fixed_step(TS ts) {
  TSAdapt adapt = nullptr;
  PetscBool fixed = PETSC_FALSE;
  check(TSGetAdapt(ts, &adapt));
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(adapt), TSADAPTNONE, &fixed));
  return fixed == PETSC_TRUE;
}

bdf::IntegratorOptions integrator_options(TS ts, const TsSettings& settings, double dt) {
  bdf::IntegratorOptions options;
  options.spelling = spelled_for_ts;
  options.resumable = false;
  options.check_kinds = false; // they come from the residual, and the matrix is the program's own
  auto& tolerances = options.tolerances;
  check(TSGetTolerances(ts, &tolerances.atol, &tolerances.atol_vector, &tolerances.rtol, &tolerances.rtol_vector));
  TSAdapt adapt = nullptr;
  check(TSGetAdapt(ts, &adapt));
  tolerances.norm = adapt->wnormtype == NORM_INFINITY ? dae::Norm::max : dae::Norm::rms;
  options.max_order = settings.max_order;
  options.h0 = settings.first_step;
  options.error_test = settings.error_test;
  options.exclude = settings.exclude;
  options.kappa = settings.kappa;
  options.newton_tolerance = settings.newton_tolerance;
  options.linear_tolerance = settings.linear_tolerance;
  options.check_jacobian = settings.check_jacobian;
  options.start = settings.start;
  options.linear_operator = settings.linear_operator;
  options.max_steps = std::numeric_limits<long>::max(); // TSSolve counts them
  options.prefix = prefix_of(ts);
  if (option_given(ts, "-snes_mf_operator")) options.linear_operator = bdf::Operator::differences;
  PetscReal shortest = 0.0, longest = 0.0;
  check(TSAdaptGetStepLimits(adapt, &shortest, &longest));
  options.h_max = longest;
  if (has_fixed_step(ts)) {
    options.fixed_step = std::abs(dt);
    options.fixed_order = settings.max_order;
  }
  return options;
}

} // namespace rhumb::ts
