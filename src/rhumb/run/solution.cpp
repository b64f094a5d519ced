#include <rhumb/run/solution.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::run {

const dae::Figure& Solution::figure(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& [known, figure] : summary.results) {
    if (known == name) return figure;
    names.push_back(known);
  }
  const std::string nearest = core::nearest(name, names);
  throw core::BadInput(fmt::format("the run has no figure '{}'{}", name,
                                   nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest)));
}

double Solution::value(const std::string& name) const {
  const auto* value = std::get_if<double>(&figure(name));
  if (!value) throw core::BadInput(fmt::format("the figure '{}' is not a number", name));
  return *value;
}

core::VecHandle Solution::at(double time) const {
  core::VecHandle out = core::same_layout(y);
  const auto kept = std::ranges::find(output_times, time);
  if (kept != output_times.end())
    core::check(VecCopy(states.at(static_cast<std::size_t>(kept - output_times.begin())), out));
  else if (time == t)
    core::check(VecCopy(y, out));
  else
    trajectory.at(time, out);
  return out;
}

} // namespace rhumb::run
