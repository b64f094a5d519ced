#include <rhumb/dae/parameter.hpp>

#include <utility>

namespace rhumb::dae {

void ParameterSet::bind(const core::Options& options, const std::string& name, double& value, const core::About& about,
                        const core::Range& range) {
  value = options.real(name, value, about, range);
  add({name, about.unit, about.text, value, range.low, range.high}, value);
}

void ParameterSet::add(Parameter parameter, std::function<void(double)> set) {
  entries_.push_back({std::move(parameter), std::move(set)});
}

void ParameterSet::add(Parameter parameter, double& value) {
  parameter.value = value;
  add(std::move(parameter), [&value](double changed) { value = changed; });
}

std::vector<Parameter> ParameterSet::list() const {
  std::vector<Parameter> out;
  for (const auto& entry : entries_) out.push_back(entry.parameter);
  return out;
}

void ParameterSet::set(std::size_t index, double value) {
  Entry& entry = entries_.at(index);
  entry.parameter.value = value;
  entry.set(value);
  for (const auto& refresh : refresh_) refresh();
}

} // namespace rhumb::dae
