#pragma once
/// The equations of what is not a mere sum of flows: each is a function of the states on both sides and of the flow q
/// between them, generic in the scalar.

#include <rhumb/core/dual.hpp>
#include <rhumb/physics/network/network.hpp>

namespace rhumb::network {

/// How a machine, or a hole, works at the moment; events change it.
enum class Mode : std::uint8_t {
  controlled, ///< compressor, control valve: the outlet pressure is what the control wants
  open,       ///< equal pressures on both sides
  closed,     ///< no flow
  limited,    ///< compressor: at its power
  resisting,  ///< resistor
  unchoked,   ///< flow through an orifice
  choked,     ///< the same at the speed of sound
  given,      ///< supply or demand: the flow is given
  held,       ///< supply or demand: the pressure is given
};

const char* name_of(Mode mode);

/// Whether the flow is a multiplier of a constraint on pressures; it is of index 2 then, else of index 1.
inline bool constrains(Mode mode) {
  return mode == Mode::controlled || mode == Mode::open || mode == Mode::held;
}

/// lambda q |q| of a pipe.
template <class S>
S friction_of(const Fluid& fluid, FrictionLaw law, const Pipe& pipe, const S& q) {
  using std::abs;
  if (!std::isnan(pipe.friction)) return pipe.friction * q * abs(q);
  const double per_flow = pipe.diameter / (pipe.area() * fluid.viscosity); // Re = per_flow |q|
  return friction_times_reynolds(law, S(per_flow * abs(q)), pipe.roughness / pipe.diameter) * q / per_flow;
}

/// Momentum of a segment of length dx, in Pa:
///   dx/A q' + p_to - p_from + g rho (h_to - h_from) + dx lambda q|q| / (2 D A^2 rho) = 0
/// with the mean rho of both sides, which makes p_from^2 - p_to^2 of a steady ideal gas exact (Weymouth). The change of
/// momentum along the pipe, (q^2/(rho A^2))_x, is smaller than p_x by the square of the Mach number: see `acceleration`.
template <class S>
S momentum(const Fluid& fluid, FrictionLaw law, const Pipe& pipe, double dx, double rise, const State<S>& from,
           const State<S>& to, const S& q, const S& rate) {
  const double area = pipe.area();
  const S rho = 0.5 * (from.density + to.density);
  return (dx / area) * rate + to.pressure - from.pressure + standard_gravity * rise * rho +
         friction_of(fluid, law, pipe, q) * (dx / (2.0 * pipe.diameter * area * area)) / rho;
}

/// What it takes to accelerate a gas that expands along the pipe, q^2/A^2 (1/rho)_x, in Pa. It is the whole change of
/// momentum in a steady flow; 2 q q_x/(rho A^2), which is zero there, is left out.
template <class S>
S acceleration(const Pipe& pipe, const State<S>& from, const State<S>& to, const S& q) {
  const S flux = q / pipe.area();
  return flux * flux * (1.0 / to.density - 1.0 / from.density);
}

/// The root of x with its sign, and with a derivative at 0: x / (x^2 + small^2)^(1/4).
template <class S>
S signed_root(const S& x, double small) {
  using std::sqrt;
  return x / sqrt(sqrt(x * x + small * small));
}

/// Of the pressure: where the difference of pressures is smaller, flows through orifices and resistors are linear in it
/// rather than its root. It must not be far below what a run's tolerance lets pressures be wrong by, or Newton's method
/// goes from one side of the root to the other.
inline constexpr double linear_part = 1e-5;

/// Differences of pressure are compared with this: the pressure of a gas, 1 bar of a liquid.
template <class S>
S pressure_scale(const Fluid& fluid, const S& p) {
  constexpr double bar = 1e5;
  return fluid.liquid() ? S(bar) : p;
}

/// The flow through an orifice of area c A, from the higher to the lower pressure, as an explicit function of the
/// pressures: the inverse, q |q| = ..., would have no derivative by q at rest.
template <class S>
S orifice_flow(const Fluid& fluid, double area, const S& opening, Mode mode, const State<S>& from, const State<S>& to) {
  using std::sqrt;
  const bool forward = !(from.pressure < to.pressure);
  const S &high = forward ? from.pressure : to.pressure, &low = forward ? to.pressure : from.pressure;
  const S &rho = forward ? from.density : to.density, scale = rho * pressure_scale(fluid, high);
  const S square = fluid.orifice_flux_squared(high, rho, low, mode == Mode::choked) / scale;
  const S flow = area * opening * sqrt(scale) * signed_root(square, 2.0 * linear_part);
  return forward ? flow : S(-flow);
}

/// The flow through a resistor: dp = drag rho v^2/2 with the mean rho of both sides.
template <class S>
S resistor_flow(const Fluid& fluid, const Machine& machine, const State<S>& from, const State<S>& to) {
  using std::sqrt;
  const S &p1 = from.pressure, &p2 = to.pressure;
  const S rho = 0.5 * (from.density + to.density), scale = pressure_scale(fluid, S(0.5 * (p1 + p2)));
  return machine.area * sqrt(2.0 * rho * scale / machine.drag) * signed_root(S((p1 - p2) / scale), linear_part);
}

/// What a machine's control wants, as (value, derivative by t): ratio, outlet pressure or opening.
inline TimeSeries::Line control_of(const Machine& machine, double t, double since) {
  if (machine.ratio) return machine.ratio->at(t, since);
  if (machine.outlet_pressure) return machine.outlet_pressure->at(t, since);
  return machine.opening.at(t, since);
}

/// The outlet pressure that a control wants.
template <class S>
S wanted_pressure(const Machine& machine, const S& control, const S& p_from) {
  return machine.ratio ? S(control * p_from) : control;
}

/// Zero where the machine does what its mode says.
template <class S>
S machine_law(const Fluid& fluid, const Machine& machine, Mode mode, const S& control, const State<S>& from,
              const State<S>& to, const S& q) {
  const S &p1 = from.pressure, &p2 = to.pressure;
  switch (mode) {
  case Mode::controlled:
    return p2 - wanted_pressure(machine, control, p1);
  case Mode::open:
    return p2 - p1;
  case Mode::closed:
    return q;
  case Mode::limited:
    return q * fluid.compression_work(p1, from.temperature, p2) / machine.efficiency - machine.power;
  case Mode::resisting:
    return q - resistor_flow(fluid, machine, from, to);
  default:
    return q - orifice_flow(fluid, machine.discharge * machine.area, control, mode, from, to);
  }
}

/// Zero where the flow s into the network is what the boundary asks for; `value` is the flow or the pressure, or 1
/// where a hole is open.
template <class S>
S boundary_law(const Fluid& fluid, const Boundary& boundary, Mode mode, const S& value, const State<S>& at,
               const S& s) {
  if (mode == Mode::given) return s - value;
  if (mode == Mode::held) return at.pressure - value;
  const State<S> outside = fluid.state(S(fluid.reduced(boundary.outside)));
  return s + orifice_flow(fluid, boundary.discharge * boundary.area, value, mode, at, outside);
}

} // namespace rhumb::network
