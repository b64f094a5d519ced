#pragma once
/// The integrator's options, each with its default. The run layer reads them from the option database (prefix -dae_);
/// a program that links the library sets them directly.

#include <rhumb/dae/weights.hpp>
#include <limits>
#include <string>
#include <vector>

namespace rhumb::bdf {

enum class ErrorTest : std::uint8_t {
  automatic, ///< by the kinds of the variables: see docs/reference/error_tests.md
  standard,  ///< all variables, BCP (5.2.21)
  exclude,   ///< without variables of higher index, or without all algebraic ones
  filter,    ///< BCP (5.4.9)
  strong,    ///< SIE (5.12), order selection by (5.21)-(5.22)
  projected, ///< LP2 (5.5): velocities along the constraint only, for mechanical systems of index 3
};

/// What `exclude` leaves out of the test.
enum class Exclude : std::uint8_t {
  automatic, ///< variables of higher index where the test was chosen for the user, all algebraic ones where asked for
  higher_index, ///< variables of index 2 and 3
  algebraic,    ///< all but differential variables
};

enum class Controller : std::uint8_t { smooth, dassl };

/// How the product of the iteration matrix with a vector is made inside GMRES.
enum class Operator : std::uint8_t {
  automatic,   ///< `product` where the system offers it, else `assembled`
  assembled,   ///< the matrix kept over steps
  differences, ///< of the residual, at the current iterate (DASPK)
  product,     ///< the system's own
};

/// How the start values are made consistent.
enum class Start : std::uint8_t {
  find,   ///< keep the differential variables (projected onto index-2 constraints), find the rest
  steady, ///< keep y', find all of y
  given,  ///< trust the user's values
};

/// How sensitivities are solved for.
enum class SensitivityCorrector : std::uint8_t {
  staggered,    ///< after y has been accepted by Newton's test, at the accepted point
  simultaneous, ///< in Newton's iteration, with the block-diagonal matrix of BCP (7.5.21)
};

/// A parameter to differentiate by.
struct SensitivityParameter {
  std::size_t index = 0; ///< in System::parameters
  double scale = 0.0;    ///< a typical size: weights are those of y over it; 0: the parameter's value
  bool operator==(const SensitivityParameter&) const = default;
};

struct Sensitivities {
  std::vector<SensitivityParameter> parameters = {};
  SensitivityCorrector corrector = SensitivityCorrector::staggered;
  bool in_error_test = false; ///< their errors bound the steps, too
  bool operator==(const Sensitivities&) const = default;
};

/// What is kept of a run for gradients by a sweep back over its steps.
struct AdjointRecord {
  bool record = false;
  double memory = 2e9; ///< bytes, on all ranks together; steps that do not fit are taken once more
  bool operator==(const AdjointRecord&) const = default;
};

/// Options that messages name.
enum class NamedOption : std::uint8_t {
  adjoint_memory,
  check_jacobian,
  direct_solver,
  find_start,
  fixed_step,
  given_start,
  h_max,
  linear_operator,
  max_steps,
  no_kind_check,
  preconditioner,
  projected_test,
  sign_slack,
};
/// How a caller spells it, with its value where there is one; empty where it has no such option: messages do without.
using OptionSpelling = std::string (*)(NamedOption);
/// For programs that set members: "IntegratorOptions::h_max".
std::string spelled_as_member(NamedOption option);

struct IntegratorOptions {
  dae::Tolerances tolerances;
  int max_order = 5;
  double h0 = 0.0; ///< first step; 0: chosen
  double h_max = std::numeric_limits<double>::infinity();
  long max_steps = 1'000'000; ///< per run
  ErrorTest error_test = ErrorTest::automatic;
  Exclude exclude = Exclude::automatic;
  double kappa = 1.0; ///< SIE (5.12): weight of the error in differentiated variables, over the interval
  /// How far below zero nonnegative fields may go, where their own slack is smaller; infinite: no bound.
  double sign_slack = 0.0;
  Controller controller = Controller::smooth;
  Start start = Start::find;
  /// With Start::find: differential fields whose initial y' is given and whose y is sought, beside those whose y is given.
  std::vector<std::string> given_slopes = {};
  Operator linear_operator = Operator::automatic;
  bool resumable = true;          ///< snapshots can be taken; costs two vectors
  bool check_jacobian = false;    ///< compare the system's Jacobian with differences at the start
  bool check_kinds = true;        ///< compare the declared kinds with the equations, see bdf/kind_check.hpp
  double fixed_step = 0.0;        ///< > 0: no step control (order studies)
  int fixed_order = 0;            ///< with fixed_step: the order used throughout
  double newton_tolerance = 0.15; ///< of the test BCP (5.2.15), which has 0.33
  double linear_tolerance = 0.02; ///< of the Newton tolerance; BCP 7.5 has 0.05
  Sensitivities sensitivities = {};
  AdjointRecord adjoint = {};
  std::string prefix = "dae_"; ///< of PETSc's own options for KSP and PC
  /// Times at which F jumps or has a kink in t, beside those of System::next_break.
  std::vector<double> break_times = {};
  OptionSpelling spelling = spelled_as_member; ///< of options in messages
  bool operator==(const IntegratorOptions&) const = default;
};

} // namespace rhumb::bdf
