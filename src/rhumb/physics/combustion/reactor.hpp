#pragma once
/// A homogeneous adiabatic reactor, at constant pressure or constant volume:
///   Y_k' = W_k w_k / rho
///   c_p T' = - sum h_k W_k w_k / rho          (constant p)
///   c_v T' = - sum u_k W_k w_k / rho          (constant v)
///   0 = p - p0   or   0 = p - rho R T / W.
/// The ignition delay is the time of the steepest rise of T: where T'' falls through zero, T'' being the derivative of
/// the right side along the solution.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/physics/combustion/mixture.hpp>

namespace rhumb::combustion {

class Reactor final : public dae::Problem {
public:
  /// Reads -mechanism, the fresh gas (fresh_gas.hpp), -products, -T0, -p0, -constant and -stop_after.
  Reactor(MPI_Comm comm, const core::Options& options);

  std::string name() const override { return "delay"; }
  double t_end() const override { return 1e-3; }
  dae::Tolerances default_tolerances() const override;
  std::vector<dae::Field> fields() const override { return fields_; }
  int field_of(PetscInt local) const override { return static_cast<int>(local); }
  core::VecHandle create_vector() const override;
  dae::Offers offers() const override { return {.jacobian = true}; }
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;

  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override;

  std::vector<dae::Event> events() const override;
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override;
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override;
  void after_step(double t, Vec y, Vec ydot) override;
  dae::Figures report(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override { return {delay_, steepest_, reached_, lowest_, highest_}; }
  void restore_state(std::span<const double> values) override;

private:
  enum class Constant : std::uint8_t { pressure, volume };

  void start_from(const std::string& products);
  std::size_t unknowns() const { return fields_.size(); }
  /// T' and Y' at (T, Y).
  template <class S>
  void rates(const S& T, std::span<const S> Y, std::span<S> out) const;
  template <class S>
  void rows(std::span<const S> y, std::span<const S> ydot, std::span<S> out) const;
  template <class S>
  S pressure(const S& T, std::span<const S> Y) const;
  /// A value that rank 0 has.
  template <class Values>
  void share(Values& values) const;

  MPI_Comm comm_;
  bool here_ = true; ///< the unknowns live on this rank
  Mechanism gas_;
  Constant constant_ = Constant::pressure;
  bool stop_at_ignition_ = false;
  double T0_ = 0.0, p0_ = 0.0, density_ = 0.0;
  std::vector<double> Y0_;
  std::vector<dae::Field> fields_;
  double delay_ = -1.0, steepest_ = 0.0; ///< time of the largest T' so far, and that T'
  double reached_ = -1.0;                ///< when T had risen by rise_of_interest
  double lowest_ = 1e9, highest_ = 0.0;
};

} // namespace rhumb::combustion
