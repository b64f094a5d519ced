#pragma once
/// The residual of a sensitivity equation, BCP (7.5.17), for z = scale dy/dp, which has the unit of y:
///   F_y z + F_y' z' + scale F_p   at (t, y, y').
/// By the system's own products and derivatives where it has them, else by the central difference of F along
/// (z, z', scale) at once (7.5.20).

#include <rhumb/bdf/linear.hpp>

namespace rhumb::bdf {

/// A parameter of the system and the scale of its sensitivities.
struct TangentParameter {
  std::size_t index = 0;
  double value = 0.0;
  double scale = 1.0;
  double lower = 0.0, upper = 0.0;
};

class Tangent {
public:
  Tangent(dae::GuardedSystem& system, Phases& phases, Vec model);

  /// `increment` is the part of z by which differences move y: see `increment`. All entries of `out` are NaN on a rank
  /// where F has no value.
  void residual(const Point& at, const TangentParameter& parameter, Vec z, Vec zdot, double increment, Vec out);

  /// The increments (7.5.23)-(7.5.27), as parts of z, from the norms of y and z in the weights of y. BCP takes the
  /// larger of what suits the parameter and what suits y; here it is the smaller one, since z may be much larger than
  /// y.
  static double increment(double norm_of_y, double norm_of_z);

  /// Residuals of sensitivity equations so far.
  long count() const { return count_; }
  void set_count(long count) { count_ = count; }

private:
  void by_products(const Point& at, Vec z, Vec zdot, Vec out);
  void by_differences(const Point& at, Vec z, Vec zdot, double increment, Vec out, const TangentParameter* with);
  void evaluate(const Point& at, Vec z, Vec zdot, double part, Vec out);

  dae::GuardedSystem& system_;
  Phases& phases_;
  core::VecHandle work_, moved_y_, moved_ydot_, parameter_part_;
  long count_ = 0;
};

} // namespace rhumb::bdf
