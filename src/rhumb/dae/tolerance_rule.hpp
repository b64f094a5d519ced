#pragma once
/// What a Problem may offer beside: absolute tolerances that follow the relative one. Who asks for a run at another
/// relative tolerance need not know how they do.

#include <rhumb/dae/problem.hpp>

namespace rhumb::dae {

class ToleranceRule {
public:
  ToleranceRule() = default;
  virtual ~ToleranceRule() = default;
  ToleranceRule(const ToleranceRule&) = delete;
  ToleranceRule& operator=(const ToleranceRule&) = delete;

  /// Those of a user who asks for this relative tolerance and says no more.
  virtual Tolerances tolerances(double rtol) const = 0;
  /// Those of the run that begins, whoever chose them.
  virtual void set_tolerances(const Tolerances& /*of_run*/) {}
};

/// A problem without a rule keeps its absolute tolerances.
inline Tolerances tolerances_at(const Problem& problem, double rtol) {
  if (const auto* rule = dynamic_cast<const ToleranceRule*>(&problem)) return rule->tolerances(rtol);
  Tolerances tolerances = problem.default_tolerances();
  tolerances.rtol = rtol;
  tolerances.rtol_vector = nullptr;
  return tolerances;
}

} // namespace rhumb::dae
