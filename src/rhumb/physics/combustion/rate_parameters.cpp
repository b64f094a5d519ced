#include <rhumb/physics/combustion/rate_parameters.hpp>

#include <rhumb/core/check.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

using core::check;

void name_rate_parameters(Mechanism& mechanism, dae::ParameterSet& parameters) {
  for (std::size_t i = 0; i < mechanism.reactions.size(); ++i) {
    Reaction& reaction = mechanism.reactions[i];
    const double high = reaction.rate.A, low = reaction.low_pressure.A;
    if (high == 0.0) continue; // it has no rate to move
    dae::Parameter parameter{.name = fmt::format("A_{}", i + 1),
                             .unit = "mol, m, s",
                             .description = "pre-exponential factor of " + reaction.equation,
                             .value = high};
    parameters.add(std::move(parameter), [&reaction, high, low](double value) {
      reaction.rate.A = value;
      reaction.low_pressure.A = low * (value / high);
    });
  }
}

bool differentiate_by_rate(dae::System& system, double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  const double A = system.parameters()[index].value;
  const auto present = core::same_layout(out);
  system.residual(t, y, ydot, present);
  system.set_parameter(index, 2.0 * A);
  system.residual(t, y, ydot, out);
  system.set_parameter(index, A);
  check(VecAXPY(out, -1.0, present));
  check(VecScale(out, 1.0 / A));
  return true;
}

} // namespace rhumb::combustion
