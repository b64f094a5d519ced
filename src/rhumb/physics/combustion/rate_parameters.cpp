#include <rhumb/physics/combustion/rate_parameters.hpp>

#include <rhumb/core/check.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

using core::check;

namespace {
void name_factor(Reaction& reaction, std::size_t position, dae::ParameterSet& parameters) {
  const double high = reaction.rate.A, low = reaction.low_pressure.A;
  const bool table = reaction.has_table();
  dae::Parameter parameter{.name = fmt::format("A_{}", position),
                           .unit = table ? "" : "mol, m, s",
                           .description =
                               (table ? "factor of the rates of " : "pre-exponential factor of ") + reaction.equation,
                           .value = high};
  parameters.add(std::move(parameter), [&reaction, high, low](double value) {
    reaction.rate.A = value;
    reaction.low_pressure.A = low * (value / high);
  });
}

void name_energy(Reaction& reaction, std::size_t position, dae::ParameterSet& parameters) {
  if (reaction.has_table()) return; // it has more than one
  const double high = reaction.rate.activation_temperature, low = reaction.low_pressure.activation_temperature;
  dae::Parameter parameter{.name = fmt::format("E_{}", position),
                           .unit = "J/mol",
                           .description = "activation energy of " + reaction.equation,
                           .value = high * gas_constant};
  parameters.add(std::move(parameter), [&reaction, high, low](double value) {
    reaction.rate.activation_temperature = value / gas_constant;
    reaction.low_pressure.activation_temperature = low + (value / gas_constant - high);
  });
}
} // namespace

void name_rate_parameters(Mechanism& mechanism, dae::ParameterSet& parameters) {
  auto& reactions = mechanism.reactions;
  for (auto* name : {name_factor, name_energy})
    for (std::size_t i = 0; i < reactions.size(); ++i)
      if (reactions[i].rate.A != 0.0) name(reactions[i], i + 1, parameters); // else it has no rate to move
}

bool differentiate_by_rate(dae::System& system, double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  const dae::Parameter parameter = system.parameters()[index];
  if (!parameter.name.starts_with("A_")) return false;
  const double A = parameter.value;
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
