#pragma once
/// A gas with one reaction, fuel -> products, with constant c_p, W and Lewis number Le:
///   lambda = lambda0 (T/300 K)^e
///   rho D = lambda/(c_p Le)
///   Y_t = - B Y e^(-T_a/T) + diffusion
///   c_p T_t = ... + c_p (T_b - T_0)/Y_0 B Y e^(-T_a/T).
/// T_b is the temperature of the burnt gas at constant pressure; Y is the mass fraction of the fuel over that at the
/// start, so Y_0 = 1.

#include <rhumb/physics/combustion/inert_gas.hpp>

namespace rhumb::combustion {

class OneStepGas {
public:
  static constexpr int width = 4;

  explicit OneStepGas(const core::Options& options)
      : inert_(options), heat_capacity_(inert_.heat_capacity<double>(0.0, {})),
        lewis_(options.real("lewis", 1.0, {"Lewis number of the fuel"}, core::Range::positive())),
        frequency_(options.real("frequency", 1e9, {"B of the rate B Y exp(-T_a/T)", "1/s"}, core::Range::positive())),
        activation_(options.real("activation_T", 15000.0, {"T_a of the rate", "K"}, core::Range::positive())),
        heat_(heat_capacity_ * options.real("heat_T", 1500.0,
                                            {"rise of T by complete burning at constant pressure", "K"},
                                            core::Range::positive())) {}

  std::vector<std::string> species() const { return {"fuel"}; }
  std::vector<double> mixture() const { return {1.0}; }
  int fuel() const { return 0; }

  template <class S>
  S specific_volume(const S& T, std::span<const S> Y, const S& p) const {
    return inert_.specific_volume(T, Y, p);
  }
  template <class S>
  S heat_capacity(const S&, std::span<const S>) const {
    return S(heat_capacity_);
  }
  double internal_energy(double T, std::span<const double> Y) const {
    return inert_.internal_energy(T, Y) + heat_ * Y[0];
  }
  template <class S>
  S reaction(const S& T, std::span<const S> Y, const S&, std::span<S> out) const {
    using std::exp;
    const S rate = frequency_ * Y[0] * exp(-activation_ / T);
    out[0] = -rate;
    return heat_ * rate;
  }
  template <class S>
  using Properties = InertGas::Properties<S>;
  template <class S>
  void properties(const S& T, std::span<const S> Y, Properties<S>& out) const {
    inert_.properties(T, Y, out);
  }
  /// With one heat capacity for fuel and products nothing drifts.
  template <class L, class R, class P, class S>
  FaceFlow<S> flow(const FaceState<L, R>& face, const Properties<P>& gas, std::span<S> flux) const {
    const auto lambda = gas.conductivity * face.conductance;
    flux[0] = lambda * (face.Y_left[0] - face.Y_right[0]) * (1.0 / (heat_capacity_ * lewis_));
    return {lambda * (face.T_right - face.T_left), S(0.0)};
  }
  std::string remark(double, double) const { return ""; }
  std::vector<std::pair<std::string, std::vector<double>>> elements() const { return {}; }

private:
  InertGas inert_;
  double heat_capacity_, lewis_, frequency_, activation_, heat_;
};

} // namespace rhumb::combustion
