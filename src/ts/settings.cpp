#include "ts/settings.hpp"

#include "core/check.hpp"
#include <array>
#include <limits>
#include <petsc/private/tsimpl.h>

namespace rhumb::ts {

using core::check;

namespace {

constexpr std::size_t longest_list = 1000;

constexpr std::array error_tests{"automatic", "standard", "exclude", "filter", "strong", "projected"};
constexpr std::array starts{"find", "steady", "given"};
constexpr std::array operators{"automatic", "assembled", "differences", "product"};

/// One of a few words, as the enumeration whose values are the words' numbers.
template <class Choice, std::size_t count>
PetscErrorCode read_choice(PetscOptionItems* PetscOptionsObject, const char* name, const char* text,
                           const std::array<const char*, count>& words, Choice& choice) {
  PetscInt number = static_cast<PetscInt>(choice);
  PetscCall(PetscOptionsEList(name, text, nullptr, words.data(), static_cast<PetscInt>(count),
                              words[static_cast<std::size_t>(number)], &number, nullptr));
  choice = static_cast<Choice>(number);
  return 0;
}

PetscErrorCode read_list(PetscOptionItems* PetscOptionsObject, const char* name, const char* text,
                         std::vector<PetscInt>& list) {
  std::vector<PetscInt> numbers(longest_list);
  PetscInt count = longest_list;
  PetscBool given = PETSC_FALSE;
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

PetscErrorCode read_settings(PetscOptionItems* PetscOptionsObject, Settings& settings) {
  PetscOptionsHeadBegin(PetscOptionsObject, "Rhumb's BDF for DAEs");
  PetscInt max_order = settings.max_order;
  PetscReal first_step = settings.first_step, kappa = settings.kappa;
  PetscCall(PetscOptionsInt("-ts_rhumb_max_order", "highest order, 1 to 5", nullptr, max_order, &max_order, nullptr));
  PetscCall(
      PetscOptionsReal("-ts_rhumb_first_step", "first step; 0: chosen", nullptr, first_step, &first_step, nullptr));
  PetscCall(PetscOptionsReal("-ts_rhumb_kappa", "weight in the strong error test", nullptr, kappa, &kappa, nullptr));
  settings.max_order = static_cast<int>(max_order);
  settings.first_step = first_step;
  settings.kappa = kappa;
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_error_test", "which error test", error_tests, settings.error_test));
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_start", "how start values become consistent", starts, settings.start));
  PetscCall(
      read_choice(PetscOptionsObject, "-ts_rhumb_operator", "products in GMRES", operators, settings.linear_operator));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_algebraic", "numbers of algebraic variables", settings.algebraic));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_index2", "numbers of index-2 variables", settings.index2));
  PetscCall(read_list(PetscOptionsObject, "-ts_rhumb_index3", "numbers of index-3 variables", settings.index3));
  PetscOptionsHeadEnd();
  return 0;
}

bool option_given(TS ts, const char* name) {
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, prefix_of(ts), name, &given));
  return given == PETSC_TRUE;
}

bdf::Options integrator_options(TS ts, const Settings& settings) {
  bdf::Options options;
  options.resumable = false;
  options.tolerances.rtol = ts->rtol;
  options.tolerances.atol = ts->atol;
  options.tolerances.rtol_vector = ts->vrtol;
  options.tolerances.atol_vector = ts->vatol;
  options.max_order = settings.max_order;
  options.h0 = settings.first_step;
  options.error_test = settings.error_test;
  options.kappa = settings.kappa;
  options.start = settings.start;
  options.linear_operator = settings.linear_operator;
  options.max_steps = std::numeric_limits<long>::max(); // TSSolve counts them
  options.prefix = prefix_of(ts);
  if (option_given(ts, "-snes_mf_operator")) options.linear_operator = bdf::Operator::differences;
  TSAdapt adapt = nullptr;
  check(TSGetAdapt(ts, &adapt));
  PetscReal shortest = 0.0, longest = 0.0;
  check(TSAdaptGetStepLimits(adapt, &shortest, &longest));
  options.h_max = longest;
  PetscBool fixed = PETSC_FALSE;
  check(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(adapt), TSADAPTNONE, &fixed));
  if (fixed) {
    options.fixed_step = ts->time_step;
    options.fixed_order = settings.max_order;
  }
  return options;
}

} // namespace rhumb::ts
