#pragma once
/// A gas with a mechanism: NASA polynomials, its reactions, mixture-averaged transport
///   Y_k V_k = - D_km (W_k/W) (X_k,r + k_Tk T_r/T) + Y_k V_c,   V_c such that the fluxes sum to zero.
/// k_Tk, the Soret effect, is there for light species when -thermal_diffusion asks for it; the heat that goes with it
/// (Dufour's effect) is not.

#include <rhumb/physics/combustion/inert_gas.hpp>
#include <rhumb/physics/combustion/kinetics.hpp>
#include <rhumb/physics/combustion/rate_parameters.hpp>
#include <rhumb/physics/combustion/transport.hpp>

namespace rhumb::combustion {

class DetailedGas {
public:
  static constexpr int width = pass_width;

  /// Reads -mechanism, -mixture, -fuel and -thermal_diffusion.
  DetailedGas(const core::Options& options, const std::string& mechanism, const std::string& mixture,
              const std::string& fuel);

  std::vector<std::string> species() const;
  std::vector<double> mixture() const { return mixture_; }
  int fuel() const { return fuel_; }
  const Mechanism& mechanism() const { return gas_; }
  void name_parameters(dae::ParameterSet& parameters) { name_rate_parameters(gas_, parameters); }

  template <class S>
  S specific_volume(const S& T, std::span<const S> Y, const S& p) const {
    return gas_constant * T * moles_per_mass(gas_, Y) / p;
  }
  template <class S>
  S heat_capacity(const S& T, std::span<const S> Y) const {
    return mean_specific_heat(gas_, T, Y);
  }
  double internal_energy(double T, std::span<const double> Y) const {
    return mean_specific_enthalpy<double>(gas_, T, Y) - gas_constant * T * moles_per_mass<double>(gas_, Y);
  }
  template <class S>
  S reaction(const S& T, std::span<const S> Y, const S& p, std::span<S> out) const;
  /// At the mean state of a face: fractions, conductivity, D_km rho W_k/W over W_k, heat capacities.
  template <class S>
  struct Properties {
    S conductivity{};
    std::vector<S> Y, X, diffusion, heat_capacity;
    std::vector<S> thermal; ///< D_km rho W_k/W k_Tk/T; empty without thermal diffusion

    void take_values(const auto& of);
  };
  template <class S>
  void properties(const S& T, std::span<const S> Y, Properties<S>& out) const;
  template <class L, class R, class P, class S>
  FaceFlow<S> flow(const FaceState<L, R>& face, const Properties<P>& gas, std::span<S> flux) const;
  std::string remark(double lowest, double highest) const { return remark_on_range(gas_, lowest, highest); }
  std::vector<std::pair<std::string, std::vector<double>>> elements() const;

private:
  Mechanism gas_;
  Transport transport_;
  std::vector<double> mixture_;
  int fuel_ = -1;
};

/// W_k w_k/rho; the heat is -sum h_k of that.
template <class S>
S DetailedGas::reaction(const S& T, std::span<const S> Y, const S& p, std::span<S> out) const {
  const std::size_t K = gas_.size();
  const S v = specific_volume(T, Y, p);
  const S density = 1.0 / v;
  thread_local std::vector<S> workspace;
  workspace.resize(K);
  const std::span<S> C = workspace;
  for (std::size_t k = 0; k < K; ++k) C[k] = density * Y[k] * (1.0 / gas_.species[k].weight);
  production<S>(gas_, T, C, out);
  S heat(0.0);
  double along_T = 0.0;
  const auto T1 = as_single_variable(T);
  for (std::size_t k = 0; k < K; ++k) {
    const double weight = gas_.species[k].weight;
    out[k] = weight * (v * out[k]);
    add_product(heat, along_T, out[k], enthalpy(gas_.species[k].thermo, T1) * T1 * (-gas_constant / weight));
  }
  chain_along(heat, along_T, T);
  return heat;
}

/// rho D_km W_k/W X_k,r with D = (p D)/p and rho/W = p/(R T): the pressure cancels.
template <class S>
void DetailedGas::properties(const S& T, std::span<const S> Y, Properties<S>& out) const {
  const std::size_t K = gas_.size();
  out.Y.assign(Y.begin(), Y.end());
  out.X.resize(K);
  out.diffusion.resize(K);
  out.heat_capacity.resize(K);
  const S inverse = 1.0 / moles_per_mass(gas_, Y);
  for (std::size_t k = 0; k < K; ++k) out.X[k] = Y[k] * inverse * (1.0 / gas_.species[k].weight);
  transport_.diffusion<S>(T, Y, out.X, out.diffusion);
  out.conductivity = transport_.conductivity<S>(T, out.X);
  const S factor = 1.0 / (gas_constant * T);
  for (std::size_t k = 0; k < K; ++k) {
    out.diffusion[k] = factor * out.diffusion[k];
    out.heat_capacity[k] = specific_heat(gas_, k, T);
  }
  if (!transport_.has_thermal_diffusion()) return;
  out.thermal.resize(K);
  transport_.thermal_diffusion<S>(T, out.X, out.thermal);
  const S inverse_T = 1.0 / T;
  for (std::size_t k = 0; k < K; ++k)
    out.thermal[k] = gas_.species[k].weight * out.diffusion[k] * out.thermal[k] * inverse_T;
}

template <class S>
void DetailedGas::Properties<S>::take_values(const auto& of) {
  const auto take = [](const auto& from, std::vector<S>& to) {
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = value_of(from[k]);
  };
  conductivity = value_of(of.conductivity);
  take(of.Y, Y);
  take(of.X, X);
  take(of.diffusion, diffusion);
  take(of.heat_capacity, heat_capacity);
  take(of.thermal, thermal);
}

template <class L, class R, class P, class S>
FaceFlow<S> DetailedGas::flow(const FaceState<L, R>& face, const Properties<P>& gas, std::span<S> flux) const {
  const std::size_t K = gas_.size();
  const auto left = face.conductance / moles_per_mass(gas_, face.Y_left),
             right = face.conductance / moles_per_mass(gas_, face.Y_right);
  const auto step = face.T_right - face.T_left;
  S sum(0.0);
  P mass(0.0);
  for (std::size_t k = 0; k < K; ++k) {
    flux[k] = gas.diffusion[k] * (face.Y_left[k] * left - face.Y_right[k] * right);
    if (!gas.thermal.empty()) flux[k] -= S(gas.thermal[k] * face.conductance * step);
    add_multiple(sum, 1.0, flux[k]);
    mass += gas.Y[k];
  }
  const S correction = -sum / mass;
  S carried(0.0);
  for (std::size_t k = 0; k < K; ++k) {
    add_multiple(flux[k], gas.Y[k], correction);
    add_multiple(carried, gas.heat_capacity[k], flux[k]);
  }
  return {gas.conductivity * face.conductance * step, carried * step};
}

} // namespace rhumb::combustion
