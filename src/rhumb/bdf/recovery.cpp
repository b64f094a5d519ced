#include <rhumb/bdf/recovery.hpp>

#include <rhumb/bdf/step_size.hpp>
#include <algorithm>

namespace rhumb::bdf {

namespace {
constexpr double max_step_reduction = 0.25;
constexpr double safety = 0.9;
constexpr double largest_first_cut = 1e-3;
constexpr double least_sign_cut = 0.1;
constexpr int steps_without_return = 10; // to an order that has failed
} // namespace

bool LastFailedTest::is_recent(int current_order) const {
  return order > 0 && steps_since < current_order;
}

bool LastFailedTest::allows(int lower) const {
  return lower > order || steps_since > steps_without_return;
}

Recovery after_error_test(const FailureCounts& failures, int lowered_order, double estimate) {
  if (failures.error_test >= most_failures) return {true, 1.0, lowered_order};
  if (failures.error_test == 1) {
    const double factor = std::clamp(safety * wanted_ratio(estimate, lowered_order), max_step_reduction, safety);
    return {false, factor, lowered_order};
  }
  return {false, max_step_reduction, failures.error_test >= untrusted_after ? 1 : lowered_order};
}

Recovery after_first_error_test(const FailureCounts& failures, double estimate) {
  if (failures.error_test >= most_failures) return {true, 1.0, 1};
  return {false, std::clamp(safety * wanted_ratio(estimate, 1), largest_first_cut, max_step_reduction), 1};
}

Recovery after_convergence(Outcome outcome, const FailureCounts& failures, int order, double sign_ratio) {
  if (failures.convergence >= most_failures) return {true, 1.0, order};
  // A predictor of high order carries noise of the past; the third failure says that it is not to be trusted.
  const int next = failures.convergence >= untrusted_after ? 1 : order;
  if (outcome == Outcome::constraint_violated)
    return {false, std::clamp(safety * sign_ratio, least_sign_cut, safety), next};
  return {false, max_step_reduction, next};
}

} // namespace rhumb::bdf
