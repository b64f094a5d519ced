#pragma once
/// A solution in memory: the accepted states, and between them the integrator's own interpolant, the polynomial of the
/// step's degree through its last states (BCP 5.2.9).

#include <rhumb/bdf/integrator.hpp>
#include <span>
#include <vector>

namespace rhumb::bdf {

class Trajectory {
public:
  Trajectory() = default;
  /// Of s = dy/dp of this parameter in options.sensitivities instead of y.
  explicit Trajectory(std::size_t sensitivity) : sensitivity_(sensitivity) {}

  /// The integrator has just begun.
  void begin(const Integrator& integrator);
  /// The integrator has just made a call of `step`. After every one, those that handled an event included.
  void add(const Integrator& integrator, const StepOutcome& progress);
  /// The integrator's last step, of this order, and nothing before it.
  static Trajectory last_step(const Integrator& integrator, int order);

  /// The ends of the steps, from the first state on.
  std::vector<double> times() const;

  /// y(t), the entries of this rank; where an event changed the state, the one before it. Throws core::BadInput outside
  /// of what is covered.
  std::vector<double> at(double t) const;
  void at(double t, Vec y) const;

private:
  struct Points {
    std::vector<double> times;
    std::vector<double> values; ///< y of this rank's entries, point after point
    void append(double t, Vec y);
  };
  /// A part of a step: the polynomial through the points last - degree ... last.
  struct Piece {
    double from, to;
    int degree;
    std::size_t last;
    bool sampled; ///< of `samples_`, else of `steps_`
  };
  /// At a time in the integrator's last step.
  void append(const Integrator& integrator, double t, Points& points) const;
  void forget_past(const Integrator& integrator);
  void sample(const Integrator& integrator, double from);
  void evaluate(double t, std::span<double> y) const;

  std::optional<std::size_t> sensitivity_;
  Points steps_;   ///< where steps ended, and where they began anew
  Points samples_; ///< inside steps whose own past is not here
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;  ///< of y on this rank
  std::size_t begun_ = 0; ///< the first of `steps_` that steps to come may use
  int degree_ = 1;        ///< of the last step
};

} // namespace rhumb::bdf
