#pragma once
/// Integrals over time that a user asks for, of any problem, and their derivatives by the parameters of -sensitivity:
///
///   -integral 'G = y3; work = power_1 * (1 + t)'
///
/// G = int g dt of each formula g is a figure of the run. dG/dp = int (g_y s + g_y' s' + g_p) dt, and where an event whose
/// time depends on p makes g jump, (g before - g after) dt/dp beside it. What formulas may name is in quantities.hpp.

#include <rhumb/core/step_integral.hpp>
#include <rhumb/run/integral_rules.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/quantities.hpp>

namespace rhumb::run {

class TimeIntegrals : public Observer {
public:
  /// t0 is the start of the run. Collective. Throws core::BadInput on a bad formula.
  TimeIntegrals(const std::vector<IntegralRule>& rules, bdf::Integrator& integrator, dae::Problem& problem, double t0);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void event(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void save(NamedScalars& scalars) override;

  /// The integrals up to t, in the last step. One whose name is already among the figures is called integral_NAME.
  void add_to(dae::Figures& figures, double t);
  /// Their derivatives by one parameter, under the same names. With the end of a run that an event ended.
  void add_derivatives(dae::Figures& figures, std::size_t parameter, double t, bool ended_by_event) const;

private:
  /// The integral of a rate, and of its derivatives.
  struct Integral {
    std::string name;
    std::string figure; ///< its name there
    core::StepIntegral value = {};
    double rate = 0.0; ///< the last
    std::vector<core::StepIntegral> derivatives = {};
    std::vector<double> jumps = {}; ///< to be added to each derivative
  };
  void add();
  std::vector<double> rate_derivatives(std::size_t parameter);

  bdf::Integrator& integrator_;
  Quantities quantities_;
  std::vector<Integral> integrals_;
  core::VecHandle s_, sdot_, y_, ydot_;
};

} // namespace rhumb::run
