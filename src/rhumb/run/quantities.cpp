#include <rhumb/run/quantities.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <limits>

namespace rhumb::run {

Quantities::Quantities(dae::Problem& problem, double t0) : problem_(problem), names_{"t"} {
  for (const auto& field : problem.fields()) {
    names_.push_back(field.name + "_min");
    names_.push_back(field.name + "_max");
  }
  extrema_ = names_.size() - 1;
  const core::VecHandle y = problem.create_vector(), ydot = core::same_layout(y);
  problem.initial_values(t0, y, ydot);
  for (const auto& [name, values] : small_state(problem, y))
    if (values.size() == 1) names_.push_back(name);
  variables_ = names_.size() - 1 - extrema_;
  for (const auto& [name, value] : problem.series(t0, y, ydot)) names_.push_back(name);
}

void Quantities::add_formula(const std::string& text, const std::string& source) {
  formulas_.push_back(core::parse_formula(text, {names_}, source));
  for (std::size_t i = 1 + extrema_ + variables_; i < names_.size(); ++i)
    with_series_ = with_series_ || formulas_.back().uses(i);
}

std::vector<double> Quantities::evaluate(double t, Vec y, Vec ydot) const {
  const auto inputs = values(t, y, ydot);
  std::vector<double> out;
  for (const auto& formula : formulas_) out.push_back(formula(std::span<const double>(inputs)));
  return out;
}

std::vector<double> Quantities::values(double t, Vec y, Vec ydot) const {
  std::vector<double> out{t};
  add_extrema(y, out);
  for (const double value : variables_of(y)) out.push_back(value);
  if (with_series_)
    for (const auto& [name, value] : problem_.series(t, y, ydot)) out.push_back(value);
  out.resize(names_.size(), std::numeric_limits<double>::quiet_NaN());
  return out;
}

std::vector<double> Quantities::differentiate(const std::vector<double>& values, std::vector<double> derivatives,
                                              Vec s) const {
  using core::Dual;
  std::ranges::copy(variables_of(s), derivatives.begin() + 1 + static_cast<std::ptrdiff_t>(extrema_));
  std::vector<Dual<1>> inputs;
  for (std::size_t i = 0; i < values.size(); ++i) inputs.push_back(Dual<1>::variable(values[i], 0, derivatives[i]));
  std::vector<double> out;
  for (const auto& formula : formulas_) out.push_back(formula(std::span<const Dual<1>>(inputs)).derivatives[0]);
  return out;
}

std::vector<double> Quantities::variables_of(Vec y) const {
  std::vector<double> out;
  if (variables_ == 0) return out;
  for (const auto& [name, entries] : small_state(problem_, y))
    if (entries.size() == 1) out.push_back(entries.front());
  return out;
}

/// The smallest and the largest value of each field, by one reduction.
void Quantities::add_extrema(Vec y, std::vector<double>& values) const {
  const core::Readable local(y);
  std::vector<double> largest(extrema_, -std::numeric_limits<double>::infinity()); // of -y and y
  for (std::size_t i = 0; i < local.size(); ++i) {
    const auto field = static_cast<std::size_t>(problem_.field_of(static_cast<PetscInt>(i)));
    largest[2 * field] = std::max(largest[2 * field], -local[i]);
    largest[2 * field + 1] = std::max(largest[2 * field + 1], local[i]);
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX,
                                PetscObjectComm(reinterpret_cast<PetscObject>(y))));
  for (std::size_t i = 0; i < largest.size(); ++i) values.push_back(i % 2 == 0 ? -largest[i] : largest[i]);
}

} // namespace rhumb::run
