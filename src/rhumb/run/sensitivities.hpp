#pragma once
/// How the figures of a run depend on parameters: d(figure)/dp by running the figure's code with the parameter on
/// either side of its value, along dy/dp (SENSD, BCP 7.5). What a problem accumulates for its figures is followed on
/// both sides through the run.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/run/observer.hpp>
#include <rhumb/run/schedule.hpp>

namespace rhumb::run {

/// Of -sensitivity.
core::About about_sensitivity();

/// Reads -sensitivity and what belongs to it. Throws core::BadInput with the nearest name.
bdf::Sensitivities read_sensitivities(const core::Options& options, const dae::Problem& problem);

/// What the user should know of them before the run.
std::vector<std::string> remarks_on(const bdf::Sensitivities& wanted, const dae::Problem& problem);

/// d(figure)/dp of one parameter, for the figures that are numbers or lists of numbers.
struct ParameterDerivatives {
  std::string parameter;
  double value = 0.0; ///< of the parameter
  dae::Figures figures;
  bool independent = false; ///< neither y nor a figure depends on it
  std::string description = "";
};

/// The problem's figures and, of a small system, its variables. Collective.
dae::Figures figures_of(dae::Problem& problem, double t, Vec y, Vec ydot);

/// At the end of a run, at (t, y, y'). Collective.
std::vector<ParameterDerivatives> differentiate_figures(bdf::Integrator& integrator, const bdf::Sensitivities& wanted,
                                                        dae::Problem& problem, double t, Vec y, Vec ydot,
                                                        bool ended_by_event);

/// Shows the problem every step as it would be on either side, so that what it accumulates can be differentiated.
class BesideWatcher : public Observer {
public:
  BesideWatcher(bdf::Integrator& integrator, dae::Problem& problem, double t_end);

  void begin(const bdf::Integrator& integrator, const io::Restart* from) override;
  void step(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  void event(const bdf::Integrator& integrator, const bdf::StepOutcome& progress) override;
  std::optional<double> next_output() const override;
  void output(double t, Vec y, Vec ydot) override;

private:
  void show(double t, Vec y, Vec ydot, void (dae::Problem::*what)(double, Vec, Vec));

  bdf::Integrator& integrator_;
  dae::Problem& problem_;
  double t_end_;
  Schedule times_;
  core::VecHandle s_, sdot_, y_, ydot_;
};

} // namespace rhumb::run
