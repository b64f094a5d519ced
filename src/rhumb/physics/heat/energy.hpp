#pragma once
/// The account of heat over a run: what came in must be there. The inflow is summed over the steps by a rule of the
/// order of the integrator, so that the account closes to the tolerance in time, not to a quadrature's error.

#include <rhumb/core/step_integral.hpp>
#include <span>
#include <vector>

namespace rhumb::heat {

/// Heat per time at one moment, W.
struct Powers {
  double source = 0.0;    ///< from s
  double walls = 0.0;     ///< through sides with a flux, net
  double dirichlet = 0.0; ///< through sides that are held at a temperature, net
  double turnover = 0.0;  ///< sum of absolute values, the scale of the account
  double net() const { return source + walls + dirichlet; }
};

class EnergyAccount {
public:
  void add(double t, const Powers& powers);

  /// (stored - supplied) / turnover up to time t; 0 when nothing moved.
  double balance(double t, double stored) const;
  double supplied(double t) const { return net_.value(t); }

  std::vector<double> saved_state() const;
  std::span<const double> restore_state(std::span<const double> values);

private:
  core::StepIntegral net_, turnover_;
};

} // namespace rhumb::heat
