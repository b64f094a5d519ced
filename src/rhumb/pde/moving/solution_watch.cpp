#include <rhumb/pde/moving/solution_watch.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::moving {

void SolutionWatch::step(const Profile& now, const std::vector<double>& integrals,
                         const std::optional<BackwardDiffusion>& backward) {
  for (std::size_t k = 0; k < lowest_.size(); ++k) {
    const double lowest = *std::ranges::min_element(now.u[k]);
    lowest_[k] = begun_ != 0.0 ? std::min(lowest_[k], lowest) : lowest;
  }
  if (begun_ == 0.0) start_ = integrals;
  begun_ = 1.0;
  if (!backward || found_ != 0.0) return;
  found_ = 1.0;
  backward_ = *backward;
}

std::string SolutionWatch::cause(const std::string& name) const {
  return fmt::format("a negative value turns diffusion backwards: {} = {:.3g} at x = {:.4g}, t = {:.4g}, where "
                     "df/du_x = {:.2g}; -balance nonnegative keeps {} from becoming negative",
                     name, backward_.u, backward_.x, backward_.t, backward_.derivative, name);
}

std::vector<double> SolutionWatch::saved_state() const {
  std::vector<double> values{begun_,      found_,      backward_.component, backward_.t,
                             backward_.x, backward_.u, backward_.derivative};
  values.insert(values.end(), start_.begin(), start_.end());
  values.insert(values.end(), lowest_.begin(), lowest_.end());
  return values;
}

void SolutionWatch::restore_state(std::span<const double> values) {
  const auto n = start_.size();
  begun_ = values[0];
  found_ = values[1];
  backward_ = {values[2], values[3], values[4], values[5], values[6]};
  if (!(backward_.component >= 0.0 && backward_.component < static_cast<double>(n)))
    throw core::BadInput("the checkpoint's memory names a component that does not exist");
  std::copy_n(values.begin() + 7, n, start_.begin());
  std::copy_n(values.begin() + 7 + static_cast<std::ptrdiff_t>(n), n, lowest_.begin());
}

} // namespace rhumb::moving
