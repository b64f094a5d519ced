#include <rhumb/bdf/diagnosis.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

namespace rhumb::bdf {

namespace {

constexpr long settled = 3;                // accepted steps after which the start is no longer the suspect
constexpr double clear_cut = 1e-2;         // the step was cut at least this far ...
constexpr double should_have_fallen = 0.1; // ... and the error should have fallen to this part

/// Cutting the step did not bring the error down: its estimate does not go to 0 with h. The smallest steps may have
/// stopped short of the place where the solution jumps, so any short one with a large error is evidence.
bool error_does_not_fall(const Evidence& e) {
  if (e.tests.size() < 3) return false;
  const FailedTest& first = e.tests.front();
  return std::ranges::any_of(e.tests, [&](const FailedTest& test) {
    return test.h <= clear_cut * first.h && test.error > should_have_fallen * first.error;
  });
}

/// Of a tolerance: what Newton may leave.
constexpr double noticeable_rounding = 0.15;

/// Steps that shrank by this much, and a time scale of the solution that is so much shorter than the longest step,
/// belong to a solution that ends.
constexpr double end_of_solution = 1e-3;

/// Whether the fastest field changes by its own size in a time that is nothing beside the longest step.
bool solution_ends(const Evidence& e) {
  return e.steps > settled && e.last_h <= end_of_solution * e.longest_h &&
         e.fastest_scale <= end_of_solution * e.longest_h * std::abs(e.fastest_rate);
}

/// A field that is large and grows away from zero; a rate without bound alone is an impasse.
bool blows_up(const Evidence& e) {
  return std::abs(e.fastest_value) > 0.5 * e.fastest_scale && e.fastest_value * e.earlier_value > 0.0 &&
         std::abs(e.fastest_value) > 1.01 * std::abs(e.earlier_value);
}

/// "a, b, c" of what is not empty.
std::string list(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// The text with the option's name in it; nothing where the caller has no such option.
std::string with_option(const char* text, const std::string& option) {
  return option.empty() ? "" : fmt::format(fmt::runtime(text), option);
}

std::string what_happened(const Evidence& e) {
  if (e.too_many_steps) return fmt::format("the limit of steps was reached at t = {:.10g}", e.t);
  const char* how = "";
  switch (e.last) {
  case Outcome::error_too_large:
    how = "the error test kept failing";
    break;
  case Outcome::newton_diverged:
    how = "Newton's iteration did not converge";
    break;
  case Outcome::linear_failed:
    how = "GMRES did not reach its tolerance";
    break;
  case Outcome::residual_failed:
    how = "the residual had no value (NaN or Recoverable)";
    break;
  case Outcome::matrix_singular:
    how = "the iteration matrix could not be factored";
    break;
  case Outcome::constraint_violated:
    how = "a field kept losing its sign";
    break;
  case Outcome::accepted:
    how = "the step became too small";
    break;
  }
  const auto said = e.complaint.empty() ? std::string() : fmt::format(": {}", e.complaint);
  return fmt::format("no step beyond t = {:.10g}: {}{} ({} error test failures, {} convergence failures; the step went "
                     "from {:.3g} to {:.3g}{})",
                     e.t, how, said, e.failures.error_test, e.failures.convergence, e.first_h, e.h,
                     e.step_too_small ? ", the smallest that t + h can resolve" : "");
}

std::string error_history(const Evidence& e) {
  if (e.tests.empty()) return "";
  const FailedTest &first = e.tests.front(), &last = e.tests.back();
  return fmt::format("the estimate was {:.3g} tolerances at h = {:.3g} and {:.3g} at h = {:.3g}", first.error, first.h,
                     last.error, last.h);
}

/// "field 'u' at x = 0.25"
std::string field_at(const std::string& field, const std::string& place) {
  return fmt::format("field '{}'{}", field, place.empty() ? "" : " at " + place);
}

std::string check_jacobian(const Evidence& e, OptionSpelling spelled) {
  return e.has_jacobian ? spelled(NamedOption::check_jacobian) : "";
}

std::string singular_in_words(const Evidence& e, OptionSpelling spelled) {
  return fmt::format("Likely cause: a singular iteration matrix: {}. Try: {}",
                     e.singular.empty() ? "no row is empty" : e.singular,
                     list({"check that the equations determine every variable", check_jacobian(e, spelled)}));
}

std::string cause_in_words(const Evidence& e, OptionSpelling spelled) {
  switch (diagnose(e)) {
  case Cause::unset_rows:
    return fmt::format("Likely cause: the residual never sets the equations of field {}. Try: write every entry of it",
                       e.unset_rows);
  case Cause::wrong_kind:
    return fmt::format("Likely cause: {}. Try: {}", e.wrong_kind.first, e.wrong_kind.second);
  case Cause::index_three:
    return fmt::format("Likely cause: index 3 or higher. The error estimate does not fall when the step is cut{}. Try: "
                       "differentiate the constraint (index 2, stabilized), or a fixed step ({})",
                       e.tests.empty() ? "" : ": " + error_history(e), spelled(NamedOption::fixed_step));
  case Cause::inconsistent_start:
    return fmt::format("Likely cause: an inconsistent start. The first step fails however small it is: {}. Try: "
                       "{}check the initial values of field '{}'",
                       error_history(e).empty() ? "no error estimate was reached" : error_history(e),
                       e.seeks_start ? "" : spelled(NamedOption::find_start) + ", or ", e.worst_field);
  case Cause::discontinuity:
    return fmt::format("Likely cause: a discontinuity between t = {:.10g} and {:.10g}, after {} smooth steps: {}. Try: "
                       "make it an event with a restart",
                       e.t, e.t + e.first_h, e.steps, error_history(e));
  case Cause::blow_up:
    return fmt::format("Likely cause: blow-up of {}, which grows without bound ({:.3g} at the last step, with the rate "
                       "{:.3g}), at about t = {:.10g}. Try: end the run before, or check the sign of its source",
                       field_at(e.fastest_field, e.fastest_place), e.fastest_value, e.fastest_rate,
                       e.t + e.fastest_value / e.fastest_rate);
  case Cause::impasse:
    return fmt::format(
        "Likely cause: the solution ends at about t = {:.10g}, where the rate of {} ({:.3g} at "
        "the last step) grows without bound and the equations can no longer be solved for it (an impasse "
        "or turning point: the matrix becomes singular). Try: end the run before, by an event",
        e.t, field_at(e.fastest_field, e.fastest_place), e.fastest_rate);
  case Cause::singular_matrix:
    return singular_in_words(e, spelled);
  case Cause::residual_undefined:
    return fmt::format(
        "Likely cause: the solution leaves the region where the equations are defined. Try: bounds on the "
        "field (nonnegative), a smaller {}, a look at the last state",
        spelled(NamedOption::h_max));
  case Cause::lost_sign:
    return fmt::format("Likely cause: field '{}' wants to leave its bound. Try: a smaller atol for it{}", e.worst_field,
                       with_option(", or {}, how far below zero it may go", spelled(NamedOption::sign_slack)));
  case Cause::newton:
    return fmt::format("Likely cause: {}a strong nonlinearity. Try: {}",
                       e.has_jacobian || !e.direct ? "a poor iteration matrix or " : "",
                       list({check_jacobian(e, spelled), e.direct ? "" : spelled(NamedOption::direct_solver),
                             "a smaller " + spelled(NamedOption::h_max)}));
  case Cause::step_limit:
    return fmt::format("Try: a larger {}, or looser tolerances; look where the steps became small",
                       spelled(NamedOption::max_steps));
  case Cause::tolerance:
    break;
  }
  return fmt::format(
      "Likely cause: tolerances far off the scale of field '{}', or a very fast transient{}. Try: an atol "
      "for that field of about 1e-6 of its size",
      e.worst_field, e.tests.empty() ? "" : ": " + error_history(e));
}

} // namespace

Cause diagnose(const Evidence& e) {
  if (!e.unset_rows.empty()) return Cause::unset_rows;
  if (!e.wrong_kind.first.empty()) return Cause::wrong_kind;
  if (e.too_many_steps) return Cause::step_limit;
  if (e.last != Outcome::constraint_violated && solution_ends(e)) {
    if (blows_up(e)) return Cause::blow_up;
    if (e.last != Outcome::residual_failed) return Cause::impasse;
  }
  switch (e.last) {
  case Outcome::matrix_singular:
    return Cause::singular_matrix;
  case Outcome::residual_failed:
    return Cause::residual_undefined;
  case Outcome::constraint_violated:
    return Cause::lost_sign;
  default:
    break;
  }
  if (e.has_index3) return Cause::index_three;
  const bool not_falling = error_does_not_fall(e);
  if (not_falling && e.steps > settled) return Cause::discontinuity;
  if (not_falling && e.steps <= settled) return e.steps == 0 ? Cause::inconsistent_start : Cause::index_three;
  if (e.last == Outcome::newton_diverged || e.last == Outcome::linear_failed)
    return e.steps == 0 ? Cause::inconsistent_start : Cause::newton;
  return Cause::tolerance;
}

std::string explain(const Evidence& e, OptionSpelling spelled) {
  std::string text = what_happened(e) + ". " + cause_in_words(e, spelled) + ".";
  if (e.rounding > noticeable_rounding)
    text += fmt::format(
        " The iteration matrix is nearly singular (its condition is about {:.1g}, rows scaled and variables "
        "in tolerances): rounding alone may move y by {:.2g} tolerances. Try: looser tolerances, equations "
        "that are further from saying the same twice, a form of lower index.",
        e.condition, e.rounding);
  if (!e.worst_field.empty())
    text += fmt::format(" Largest error: {}, {:.3g} tolerances.", field_at(e.worst_field, e.worst_place), e.worst_size);
  return text;
}

std::string reject_index_three(const std::string& field, OptionSpelling spelled) {
  return fmt::format(
      "field '{}' is of index 3: with variable steps its error estimate does not go to zero with the step "
      "(P82 section 3), and a run would crawl to wrong numbers. Try: the constraint differentiated once "
      "(index 2, or stabilized), a fixed step ({}), for which BDF converges, or, for a mechanical system, {}",
      field, spelled(NamedOption::fixed_step), spelled(NamedOption::projected_test));
}

} // namespace rhumb::bdf
