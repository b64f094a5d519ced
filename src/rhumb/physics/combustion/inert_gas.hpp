#pragma once
/// A gas of one component that does not react: c_p constant, conductivity lambda0 (T/T_ref)^e.

#include <rhumb/core/dual.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/physics/combustion/thermo.hpp>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace rhumb::combustion {

/// What flows through a face, over the solid angle: heat by conduction, towards smaller r; mass of each species,
/// towards larger r; and sum_k (flux of k) c_pk (T_right - T_left).
template <class S>
struct FaceFlow {
  S heat{};
  S drift{};
};

/// A face: the states of the nodes beside it and what multiplies differences there. Each node may be plain or dual.
/// Properties are taken at the mean of both, which has the same derivatives by either node.
template <class L, class R>
struct FaceState {
  L T_left;
  R T_right;
  Common<L, R> conductance;
  std::span<const L> Y_left;
  std::span<const R> Y_right;
};

class InertGas {
public:
  static constexpr int width = 4; ///< directions of one pass of the Jacobian

  explicit InertGas(const core::Options& options)
      : weight_(options.real("molar_mass", 0.02896, {"molar mass of the gas", "kg/mol"}, core::Range::positive())),
        heat_capacity_(options.real("heat_capacity", 1005.0,
                                    {"specific heat capacity at constant pressure", "J/(kg K)"},
                                    core::Range::positive())),
        conductivity_(
            options.real("conductivity", 0.026, {"conductivity at 300 K", "W/(m K)"}, core::Range::positive())),
        exponent_(options.real("conductivity_exponent", 0.0, {"e of the conductivity's factor (T/300 K)^e"})) {}

  std::vector<std::string> species() const { return {}; }
  std::vector<double> mixture() const { return {}; }
  int fuel() const { return -1; }
  double gas_constant_of_mass() const { return gas_constant / weight_; }

  /// 1/rho.
  template <class S>
  S specific_volume(const S& T, std::span<const S>, const S& p) const {
    return gas_constant_of_mass() * T / p;
  }
  template <class S>
  S heat_capacity(const S&, std::span<const S>) const {
    return S(heat_capacity_);
  }
  double internal_energy(double T, std::span<const double>) const {
    return (heat_capacity_ - gas_constant_of_mass()) * T;
  }
  /// Rates of the mass fractions into `out`; gives the heat that is released, W/kg.
  template <class S>
  S reaction(const S&, std::span<const S>, const S&, std::span<S>) const {
    return S(0.0);
  }
  /// What a face needs to know of the gas at its mean state.
  template <class S>
  struct Properties {
    S conductivity{};

    void take_values(const auto& of) { conductivity = value_of(of.conductivity); }
  };
  template <class S>
  void properties(const S& T, std::span<const S>, Properties<S>& out) const {
    out.conductivity = conductivity(T);
  }
  template <class L, class R, class P, class S>
  FaceFlow<S> flow(const FaceState<L, R>& face, const Properties<P>& gas, std::span<S>) const {
    return {gas.conductivity * face.conductance * (face.T_right - face.T_left), S(0.0)};
  }
  std::string remark(double, double) const { return ""; }
  std::vector<std::pair<std::string, std::vector<double>>> elements() const { return {}; }

  template <class S>
  S conductivity(const S& T) const {
    using std::pow;
    if (exponent_ == 0.0) return S(conductivity_);
    return conductivity_ * pow(T * (1.0 / 300.0), exponent_);
  }

private:
  double weight_, heat_capacity_, conductivity_, exponent_;
};

} // namespace rhumb::combustion
