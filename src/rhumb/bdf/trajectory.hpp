#pragma once
/// A solution in memory: the accepted states, and between them the integrator's own interpolant, the polynomial of the
/// step's degree through its last states (BCP 5.2.9).

#include <rhumb/bdf/integrator.hpp>
#include <span>
#include <vector>

namespace rhumb::bdf {

class Trajectory {
public:
  /// The first state, or the one after an event that changed it.
  void begin(double t, Vec y);
  /// The integrator has just made this step. Call after every one.
  void add(const Integrator& integrator, const Progress& progress);
  /// The integrator's last step, of this order, and nothing before it.
  static Trajectory last_step(const Integrator& integrator, int order);

  /// The ends of the steps, from the first state on.
  std::vector<double> times() const;

  /// y(t), the entries of this rank; where an event changed the state, the one before it. Throws core::BadInput outside
  /// of what is covered.
  std::vector<double> at(double t) const;
  void at(double t, Vec y) const;

private:
  /// A step: the polynomial through the points last - degree ... last.
  struct Piece {
    double from, to;
    std::size_t last;
    int degree;
  };
  void append(double t, Vec y);
  void sample(const Integrator& integrator, int degree);
  void evaluate(double t, std::span<double> y) const;

  std::vector<double> times_;  ///< of the points
  std::vector<double> values_; ///< y of this rank's entries, point after point
  std::size_t size_ = 0;       ///< of y
  std::vector<Piece> pieces_;
  std::size_t begun_ = 0; ///< the first point that steps to come may use
};

} // namespace rhumb::bdf
