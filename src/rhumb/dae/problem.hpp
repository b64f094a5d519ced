#pragma once
/// A System with what a run needs around it: a name, a time interval, sensible tolerances, things to watch and figures
/// to report. Drivers build Problems; the integrator never sees more than the System.

#include <rhumb/dae/system.hpp>
#include <rhumb/dae/weights.hpp>
#include <optional>
#include <utility>
#include <variant>

namespace rhumb::dae {

/// A figure for run.json's `results`: a number, a list of numbers, or a word.
using Figure = std::variant<double, std::vector<double>, std::string>;
using Figures = std::vector<std::pair<std::string, Figure>>;

/// What suits a problem better than the integrator's own defaults; options of the same name win.
struct Preferences {
  std::optional<double> newton_tolerance = std::nullopt;
  std::string error_test = "automatic";
  /// Waves that are hardly damped want 2: the higher orders are not stable for them.
  std::optional<int> max_order = std::nullopt;
  /// Whether -t_end may lie before the start: few PDEs have a solution there.
  bool backwards = false;
};

class Problem : public System {
public:
  virtual std::string name() const = 0;
  virtual double t_start() const { return 0.0; }
  /// Where the run ends unless -t_end says otherwise.
  virtual double t_end() const = 0;
  /// The tolerances of a user who asks for none.
  virtual Tolerances default_tolerances() const { return {}; }

  virtual Preferences preferences() const { return {}; }

  /// Why a run makes no sense (there is nothing to solve, say), in words for the user; empty: it does. Asked for once
  /// all options are read, so that a misspelt one is named first.
  const std::string& objection() const { return objection_; }
  void set_objection(std::string objection) { objection_ = std::move(objection); }

  /// Names of options that the problem declared and that do not change its equations (what it reports, say): a
  /// continued run may have other values of them.
  virtual std::vector<std::string> options_free_to_change() const { return {}; }

  /// Times at which `watch` wants the solution; it comes from the dense output and does not bend the steps.
  virtual std::vector<double> watch_times() const { return {}; }
  virtual void watch(double /*t*/, Vec /*y*/, Vec /*ydot*/) {}
  /// Called after every accepted step (and once at the start, after the consistent start).
  virtual void after_step(double /*t*/, Vec /*y*/, Vec /*ydot*/) {}
  /// What the user should know about the start (initial values that had to be repaired, say); asked for once, after the
  /// first `after_step`.
  virtual std::vector<std::string> remarks() const { return {}; }
  /// The figures of the run, at its last good state. Called on all ranks.
  virtual Figures report(double /*t*/, Vec /*y*/, Vec /*ydot*/) { return {}; }
  /// Time series of scalars (an energy, a front), one value per series name, taken at the output times.
  virtual std::vector<std::pair<std::string, double>> series(double /*t*/, Vec /*y*/, Vec /*ydot*/) { return {}; }

private:
  std::string objection_;
};

} // namespace rhumb::dae
