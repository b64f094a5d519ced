#pragma once
/// What a heat run reports, on a box and on a mesh alike: the account of heat, the errors, the probes.

#include <rhumb/dae/problem.hpp>
#include <rhumb/physics/heat/energy.hpp>

namespace rhumb::heat {

/// Errors against the exact solution, the largest over the times at which they were taken.
class WorstErrors {
public:
  /// One rank's share at one time: its largest error, and the integrals of the square of the error and of one.
  struct Share {
    double largest = 0.0, squares = 0.0, volume = 0.0;
  };
  /// Called on all ranks.
  void take(MPI_Comm comm, const Share& share);
  double largest() const { return largest_; } ///< error_max, K
  double mean_square() const { return l2_; }  ///< error_l2: root of the volume mean of the squares, K

  std::vector<double> saved_state() const { return {largest_, l2_}; }
  std::span<const double> restore_state(std::span<const double> values);

private:
  double largest_ = 0.0, l2_ = 0.0;
};

struct Findings {
  EnergyAccount account;
  WorstErrors errors;

  /// A step after which a coefficient is refused is left out of the account; the next one bridges it.
  void after_step(double t, const Powers& now);

  enum class Exact : unsigned char { unknown, known };
  /// `stored`: the heat taken up since the start. Called on all ranks.
  dae::Figures figures(double t, Vec y, double stored, Exact exact, const std::vector<double>& probes) const;
  std::vector<std::pair<std::string, double>> series(double t, double stored, const std::vector<double>& probes) const;

  std::vector<double> saved_state() const;
  void restore_state(std::span<const double> values);
};

} // namespace rhumb::heat
