#include <rhumb/run/integrator_options.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/run/sensitivities.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::run {

namespace {
using core::Range;

dae::Tolerances read_tolerances(const core::Options& options, const dae::Problem& problem, std::optional<double> rtol) {
  dae::Tolerances tolerances = problem.default_tolerances();
  const Range range = Range::at_least(0.0);
  const double read = options.real("dae_rtol", rtol.value_or(tolerances.rtol), {"relative tolerance"}, range);
  if (rtol || options.given("dae_rtol")) tolerances = dae::tolerances_at(problem, rtol.value_or(read));
  if (options.given("dae_atol")) {
    tolerances.atol_vector = nullptr;
    tolerances.atol_of_field.clear();
  }
  tolerances.atol = options.real("dae_atol", tolerances.atol, {"absolute tolerance of every field"}, range);
  const auto fields = problem.fields();
  tolerances.atol_of_field.resize(fields.size(), -1.0);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    double& atol = tolerances.atol_of_field[f];
    const std::string name = "dae_atol_" + fields[f].name;
    if (options.given(name)) tolerances.atol_vector = nullptr;
    atol = options.real(name, atol < 0.0 ? tolerances.atol : atol,
                        {"absolute tolerance of " + fields[f].name, fields[f].unit}, range);
  }
  const std::string norm =
      options.choice("dae_norm", "automatic", {"automatic", "rms", "max", "volume"}, {"how errors are averaged"});
  if (norm == "rms") tolerances.norm = dae::Norm::rms;
  if (norm == "max") tolerances.norm = dae::Norm::max;
  if (norm == "volume") tolerances.norm = dae::Norm::volume;
  if (!std::isfinite(tolerances.rtol) || !std::isfinite(tolerances.atol))
    throw core::BadInput("options -dae_rtol and -dae_atol must be finite");
  return tolerances;
}

void read_step_control(const core::Options& options, const dae::Preferences& preferences, bdf::IntegratorOptions& out) {
  out.max_order = static_cast<int>(options.integer("dae_max_order", preferences.max_order.value_or(out.max_order),
                                                   {"highest order of the BDF"}, Range::between(1, 5)));
  out.h0 = options.real("dae_h0", out.h0, {"first step; 0: chosen", "time"}, Range::at_least(0.0));
  out.h_max = options.real("dae_h_max", out.h_max, {"largest step", "time"}, Range::positive());
  out.max_steps =
      options.integer("dae_max_steps", out.max_steps, {"steps before the solver gives up"}, Range::at_least(1));
  out.fixed_step = options.real("fixed_step", out.fixed_step, {"constant step without error control; 0: off", "time"},
                                Range::at_least(0.0));
  out.fixed_order = static_cast<int>(options.integer(
      "fixed_order", out.fixed_order, {"with -fixed_step: order used throughout"}, Range::between(0, 5)));
  if (out.fixed_order > 0 && out.fixed_step == 0.0) throw core::BadInput("option -fixed_order needs -fixed_step");
  const auto controller =
      options.choice("dae_controller", "smooth", {"smooth", "dassl"}, {"how the next step is chosen"});
  out.controller = controller == "dassl" ? bdf::Controller::dassl : bdf::Controller::smooth;
}

void read_error_test(const core::Options& options, const dae::Preferences& preferences, bdf::IntegratorOptions& out) {
  const std::string test =
      options.choice("dae_error_test", preferences.error_test,
                     {"automatic", "standard", "exclude", "filter", "strong", "projected"}, {"error test"});
  if (test == "standard") out.error_test = bdf::ErrorTest::standard;
  if (test == "exclude") out.error_test = bdf::ErrorTest::exclude;
  if (test == "filter") out.error_test = bdf::ErrorTest::filter;
  if (test == "strong") out.error_test = bdf::ErrorTest::strong;
  if (test == "projected") out.error_test = bdf::ErrorTest::projected;
  const auto exclude = options.choice("dae_exclude", "automatic", {"automatic", "higher_index", "algebraic"},
                                      {"variables that -dae_error_test exclude leaves out"});
  if (exclude == "algebraic") out.exclude = bdf::Exclude::algebraic;
  if (exclude == "higher_index") out.exclude = bdf::Exclude::higher_index;
  out.sign_slack =
      options.real("dae_sign_slack", out.sign_slack,
                   {"how far below zero nonnegative fields may go; inf drops the bound"}, Range::at_least(0.0));
  out.kappa = options.real("dae_kappa", out.kappa, {"weight of differentiated variables in the strong error test"},
                           Range::at_least(0.0));
}

void read_solver(const core::Options& options, const dae::Preferences& preferences, bdf::IntegratorOptions& out) {
  const auto start =
      options.choice("dae_start", "find", {"find", "steady", "given"}, {"how start values are made consistent"});
  if (start == "steady") out.start = bdf::Start::steady;
  if (start == "given") out.start = bdf::Start::given;
  out.given_slopes = core::split_at_commas(
      options.string("dae_given_slopes", "",
                     {"with -dae_start find: fields whose slope is kept at the start and whose value is sought"}));
  const auto product = options.choice("dae_operator", "automatic", {"automatic", "assembled", "differences", "product"},
                                      {"how GMRES multiplies by the iteration matrix"});
  if (product == "assembled") out.linear_operator = bdf::Operator::assembled;
  if (product == "differences") out.linear_operator = bdf::Operator::differences;
  if (product == "product") out.linear_operator = bdf::Operator::product;
  out.check_jacobian = options.flag("dae_check_jacobian", out.check_jacobian,
                                    {"compare the problem's Jacobian with differences at the start"});
  out.check_kinds =
      options.flag("dae_check_kinds", out.check_kinds, {"compare the declared kinds of variables with the equations"});
  out.newton_tolerance =
      options.real("dae_newton_tolerance", preferences.newton_tolerance.value_or(out.newton_tolerance),
                   {"of Newton's iteration, in units of the error tolerance"}, Range::positive());
  out.linear_tolerance = options.real("dae_linear_tolerance", out.linear_tolerance,
                                      {"of GMRES, in units of Newton's tolerance"}, Range::positive());
  // PETSc would read these, but the integrator decides when a linear solution will do.
  for (const std::string name : {"dae_ksp_rtol", "dae_ksp_atol", "dae_ksp_divtol"})
    if (options.given(name))
      throw core::BadInput("option -" + name + " has no effect: a linear solution must keep Newton's tolerance; " +
                           "nearest: -dae_linear_tolerance, -dae_ksp_max_it");
}
std::string spelled_for_drivers(bdf::NamedOption option) {
  using bdf::NamedOption;
  switch (option) {
  case NamedOption::adjoint_memory:
    return "-dae_adjoint_memory";
  case NamedOption::check_jacobian:
    return "-dae_check_jacobian";
  case NamedOption::direct_solver:
    return "-dae_pc_type lu";
  case NamedOption::find_start:
    return "-dae_start find";
  case NamedOption::fixed_step:
    return "-fixed_step H -fixed_order K";
  case NamedOption::given_start:
    return "-dae_start given";
  case NamedOption::h_max:
    return "-dae_h_max";
  case NamedOption::linear_operator:
    return "-dae_operator";
  case NamedOption::max_steps:
    return "-dae_max_steps";
  case NamedOption::no_kind_check:
    return "-dae_check_kinds false";
  case NamedOption::preconditioner:
    return "-dae_pc_type";
  case NamedOption::projected_test:
    return "-dae_error_test projected";
  case NamedOption::sign_slack:
    return "-dae_sign_slack X";
  }
  return "";
}

/// "2GB", "500 MB", "1e9": bytes.
double read_memory(const core::Options& options, double bytes) {
  const std::string text = options.string("dae_adjoint_memory", fmt::format("{:g}GB", bytes / 1e9),
                                          {"for the steps of a run with -gradient, on all ranks; as in 500MB or 2GB"});
  double unit = 1.0;
  std::string number = core::to_lower(text);
  for (const auto& [name, size] :
       {std::pair("kb", 1e3), std::pair("mb", 1e6), std::pair("gb", 1e9), std::pair("b", 1.0)})
    if (number.ends_with(name)) {
      unit = size;
      number.erase(number.size() - std::string_view(name).size());
      break;
    }
  while (number.ends_with(' ')) number.pop_back();
  const auto value = core::parse_real(number);
  if (!value || !(*value > 0.0) || !std::isfinite(*value))
    throw core::BadInput(fmt::format("option -dae_adjoint_memory {}: a size such as 500MB or 2GB is wanted", text));
  return *value * unit;
}
} // namespace

bdf::IntegratorOptions read_integrator_options(const core::Options& options, const dae::Problem& problem,
                                               std::optional<double> rtol) {
  bdf::IntegratorOptions out;
  out.tolerances = read_tolerances(options, problem, rtol);
  const dae::Preferences preferences = problem.preferences();
  read_step_control(options, preferences, out);
  read_error_test(options, preferences, out);
  read_solver(options, preferences, out);
  out.sensitivities = read_sensitivities(options, problem);
  out.adjoint.memory = read_memory(options, out.adjoint.memory);
  out.break_times = options.reals("break_times", {}, {"times at which formulas jump or have a kink", "time"});
  out.spelling = spelled_for_drivers;
  return out;
}

} // namespace rhumb::run
