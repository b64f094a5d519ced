#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::network {

using core::Readable;
using Type = Unknown::Type;

double Pipes::stored_mass(Vec y) const {
  double sum = 0.0;
  const Readable value(y);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Unknown& unknown = rows_[i].unknown;
    if (!is_of_mass(unknown)) continue;
    const double volume = mass_of(unknown) / (settings_.thermal ? 1.0 : network_.fluid.density_slope());
    sum += volume * (settings_.thermal ? value[i] : network_.fluid.density_of(value[i]));
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_));
  return sum;
}

double Pipes::mass_in() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < network_.boundaries.size(); ++i) sum += end_value(layout_.account(i));
  return sum;
}

void Pipes::after_step(double, Vec y, Vec) {
  fetch_ends(y);
  const double stored = stored_mass(y), without_supply = stored - mass_in();
  if (!mass_at_start_) mass_at_start_ = without_supply;
  largest_defect_ = std::max(largest_defect_, std::abs(without_supply - *mass_at_start_) / stored);
}

std::vector<std::string> Pipes::remarks() const {
  const auto bound = controls_.bindings();
  if (bound.empty()) return {};
  return {fmt::format("index 2: pressures are bound at {}", fmt::join(bound, "; "))};
}

namespace {
template <class Elements>
std::size_t find(const Elements& elements, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find_if(elements, [&](const auto& e) { return e.name == name; }) -
                                  elements.begin());
}
} // namespace

/// What there is to say of the node, pipe, machine or boundary of that name.
void Pipes::add_element_values(NamedValues& values, const std::string& name) const {
  if (const auto i = find(network_.nodes, name); i < network_.nodes.size())
    values.emplace_back("pressure_" + name, pressures_[i]);
  if (const auto i = find(network_.nodes, name); settings_.thermal && i < network_.nodes.size())
    values.emplace_back("temperature_" + name, temperatures_[i]);
  if (const auto i = find(network_.pipes, name); i < network_.pipes.size()) {
    values.emplace_back("flow_" + name, end_value(layout_.segment(i, 0)));
    values.emplace_back("outflow_" + name, end_value(layout_.segment(i, layout_.cells(i) - 1)));
  }
  if (const auto i = find(network_.machines, name); i < network_.machines.size())
    values.emplace_back("flow_" + name, end_value(layout_.machine(i)));
  if (const auto i = find(network_.boundaries, name); i < network_.boundaries.size()) {
    values.emplace_back("flow_" + name, end_value(layout_.boundary(i)));
    values.emplace_back("mass_" + name, end_value(layout_.account(i)));
  }
}

std::vector<std::string> element_names(const Network& network) {
  std::vector<std::string> names;
  const auto add = [&](const auto& elements) {
    for (const auto& element : elements)
      if (std::ranges::find(names, element.name) == names.end()) names.push_back(element.name);
  };
  add(network.nodes);
  add(network.pipes);
  add(network.machines);
  add(network.boundaries);
  return names;
}

dae::Figures Pipes::report(double, Vec y, Vec) {
  const double stored = stored_mass(y);
  fetch_ends(y);
  const auto bound = controls_.bindings();
  const auto lowest = std::ranges::min_element(pressures_), highest = std::ranges::max_element(pressures_);
  dae::Figures figures{{"index", bound.empty() ? 1.0 : 2.0},
                       {"bound_pressures", fmt::format("{}", fmt::join(bound, "; "))},
                       {"mass", stored},
                       {"mass_in", mass_in()},
                       {"mass_defect", largest_defect_},
                       {"pressure_min", *lowest},
                       {"pressure_max", *highest},
                       {"segments", static_cast<double>(layout_.segments())}};
  NamedValues values;
  add_energies(values, y);
  for (const auto& name : settings_.watch) add_element_values(values, name);
  for (auto& [name, value] : values) figures.emplace_back(name, value);
  for (std::size_t i = 0; i < network_.machines.size(); ++i)
    if (std::ranges::find(settings_.watch, network_.machines[i].name) != settings_.watch.end())
      figures.emplace_back("mode_" + network_.machines[i].name, std::string(name_of(controls_.machine(i))));
  return figures;
}

std::vector<std::pair<std::string, double>> Pipes::series(double, Vec y, Vec) {
  NamedValues values{{"mass", stored_mass(y)}};
  fetch_ends(y);
  values.emplace_back("mass_in", mass_in());
  add_energies(values, y);
  for (const auto& name : settings_.watch) add_element_values(values, name);
  return values;
}

std::vector<double> Pipes::saved_state() const {
  std::vector<double> memory{mass_at_start_ ? 1.0 : 0.0, mass_at_start_.value_or(0.0), largest_defect_};
  const auto modes = controls_.saved_state();
  memory.insert(memory.end(), modes.begin(), modes.end());
  return memory;
}

void Pipes::restore_state(std::span<const double> memory) {
  if (memory.size() < 3) throw core::BadInput("the checkpoint belongs to another network");
  mass_at_start_.reset();
  if (memory[0] != 0.0) mass_at_start_ = memory[1];
  largest_defect_ = memory[2];
  controls_.restore_state(memory.subspan(3));
}

} // namespace rhumb::network
