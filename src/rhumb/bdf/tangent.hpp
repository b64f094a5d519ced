#pragma once
/// The residual of a sensitivity equation, BCP (7.5.17), for z = scale dy/dp, which has the unit of y:
///   F_y z + F_y' z' + scale F_p   at (t, y, y').
/// By the system's products where it has them, by its matrices where solves are direct and matrices therefore cheap,
/// else by the central difference of F along (z, z', scale) at once (7.5.20). Differences have about ten true digits,
/// which tight tolerances can ask for more than.

#include <rhumb/bdf/linear.hpp>

namespace rhumb::bdf {

/// A parameter of the system and the scale of its sensitivities.
struct TangentParameter {
  std::size_t index = 0;
  double value = 0.0;
  double scale = 1.0;
  double lower = 0.0, upper = 0.0;
  /// What the system remembers and its derivative by the parameter, where that is not 0: F may depend on it.
  std::vector<double> memory = {}, memory_rate = {};

  dae::GuardedSystem::Moved moved(double part) const {
    return {index, value, part * scale, lower, upper, memory, memory_rate};
  }
};

class Tangent {
public:
  enum class Matrices : std::uint8_t { cheap, dear };
  Tangent(dae::GuardedSystem& system, Matrices matrices, Phases& phases, Vec model);

  /// Before `residual` and `product` at a point: evaluates matrices where they are used.
  void linearize(const LinearizationPoint& at, double alpha);
  /// Whether `product` can be used.
  bool has_products() const { return by_ != By::differences; }
  /// (alpha F_y' + F_y) v at the point, with the alpha of `linearize`.
  void product(const LinearizationPoint& at, Vec v, Vec out);

  /// `increment` is the part of z by which differences move y: see `increment`. All entries of `out` are NaN on a rank
  /// where F has no value.
  void residual(const LinearizationPoint& at, const TangentParameter& parameter, Vec z, Vec zdot, double increment,
                Vec out);

  /// The increments (7.5.23)-(7.5.27), as parts of z, from the norms of y and z in the weights of y. BCP takes the
  /// larger of what suits the parameter and what suits y; here it is the smaller one, since z may be much larger than
  /// y.
  static double increment(double norm_of_y, double norm_of_z);

  /// Residuals of sensitivity equations so far.
  long count() const { return count_; }
  void set_count(long count) { count_ = count; }
  /// Matrices so far.
  long matrices() const { return matrices_; }
  void set_matrices(long matrices) { matrices_ = matrices; }

private:
  enum class By : std::uint8_t { products, matrices, differences };
  void along_solution(const LinearizationPoint& at, Vec z, Vec zdot, Vec out);
  void mass_product(const LinearizationPoint& at, Vec v, Vec out);
  void by_differences(const LinearizationPoint& at, Vec z, Vec zdot, double increment, Vec out,
                      const TangentParameter* with);
  void evaluate(const LinearizationPoint& at, Vec z, Vec zdot, double part, Vec out);

  dae::GuardedSystem& system_;
  Phases& phases_;
  By by_;
  double alpha_ = 0.0;
  core::MatHandle matrix_, without_mass_; ///< alpha F_y' + F_y and, where the system has no mass product, F_y
  core::VecHandle work_, moved_y_, moved_ydot_, parameter_part_;
  long count_ = 0, matrices_ = 0;
};

} // namespace rhumb::bdf
