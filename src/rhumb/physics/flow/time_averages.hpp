#pragma once
/// Averages over time of all fields, and of products of their fluctuations (Reynolds stresses):
///   <q> = int q dt / T,   <q'q'> = <q q> - <q>^2,   <u'v'> = <u v> - <u><v>
/// by the trapezoidal rule over the accepted steps, whose weights are positive, so that no variance is negative. Squares
/// are where their field is, products of two components at the cells, each component taken as the mean of its two
/// faces. They begin with the first step that ends at or after a given time. The sums are vectors with the layout of y,
/// which checkpoints keep.

#include <rhumb/physics/flow/equations.hpp>

namespace rhumb::flow {

class TimeAverages {
public:
  TimeAverages(const Equations& equations, double from);

  /// The state at the end of a step.
  void add(double t, Vec y);
  double time() const { return total_; } ///< averaged over

  /// Averages at the time of the last `add`; before the first step the state itself and zeros.
  void mean(Vec out) const;
  void variances(Vec out) const;
  /// At the cells, in the slots of the velocities: of u and v, of u and w, of v and w.
  void covariances(Vec out) const;

  std::vector<std::pair<std::string, Vec>> vectors() const;
  std::vector<double> numbers() const { return {total_, last_time_, begun_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> numbers) {
    total_ = numbers[0], last_time_ = numbers[1], begun_ = numbers[2] != 0.0;
  }
  static constexpr std::size_t number_count = 3;

private:
  void accumulate(Vec y, double weight);
  void add_products(Vec y, Vec sum, double weight) const;

  const Equations& equations_;
  double from_, total_ = 0.0, last_time_ = 0.0;
  bool begun_ = false;
  core::VecHandle last_, sum_, squares_, products_, local_;
};

} // namespace rhumb::flow
