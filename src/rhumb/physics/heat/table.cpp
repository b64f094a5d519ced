#include <rhumb/physics/heat/table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::heat {

Table::Table(std::vector<const Expression*> expressions, std::vector<unsigned char> which, PetscInt points,
             PositionOf position, Demand demand, Layout layout)
    : expressions_(std::move(expressions)), which_(std::move(which)), points_(points), position_(std::move(position)),
      demand_(std::move(demand)) {
  bool uses_position = false;
  for (const auto* e : expressions_) {
    uses_position = uses_position || e->uses_position();
    uses_t_ = uses_t_ || e->uses('t');
    uses_T_ = uses_T_ || e->uses('T');
  }
  uniform_ = layout == Layout::compact && expressions_.size() == 1 && !uses_position && !uses_T_;
  const auto size = static_cast<std::size_t>(uniform_ ? 1 : points_);
  values_.resize(size);
  if (uses_T_ || layout == Layout::full_with_derivatives) derivatives_.resize(size);
}

std::string Table::complaint(PetscInt i, const Where& where, double value) const {
  std::string at = fmt::format("x = {:.6g}", where.x[0]);
  if (where.x[1] != 0.0 || where.x[2] != 0.0) at += fmt::format(", y = {:.6g}", where.x[1]);
  if (where.x[2] != 0.0) at += fmt::format(", z = {:.6g}", where.x[2]);
  if (expression(i).uses('t')) at += fmt::format(", t = {:.6g}", where.t);
  if (expression(i).uses('T')) at += fmt::format(", T = {:.6g}", where.T);
  return fmt::format("-{}: the {} must be {}, but '{}' is {:.6g} at {}", expression(i).option(), demand_.name,
                     demand_.positive ? "positive" : "a finite number", expression(i).text(), value, at);
}

std::string Table::update(double t, std::span<const double> T, With with) {
  if (filled_ && !uses_T_ && (!uses_t_ || t == time_)) return {};
  std::string problem;
  const auto size = static_cast<PetscInt>(values_.size());
  for (PetscInt first = 0; first < size;) {
    const PetscInt end = end_of_run(first);
    fill(first, end, t, T, with);
    for (PetscInt i = first; i < end && problem.empty(); ++i) {
      const double value = values_[i];
      if (!std::isfinite(value) || (demand_.positive && value <= 0.0)) problem = complaint(i, where(i, t, T), value);
    }
    first = end;
  }
  filled_ = problem.empty();
  time_ = t;
  return problem;
}

/// Points from `first` on that have one expression, as many as fit into a block.
PetscInt Table::end_of_run(PetscInt first) const {
  const auto last = std::min(static_cast<PetscInt>(values_.size()), first + static_cast<PetscInt>(block));
  PetscInt end = first + 1;
  while (end < last && &expression(end) == &expression(first)) ++end;
  return end;
}

void Table::fill(PetscInt first, PetscInt end, double t, std::span<const double> T, With with) {
  const Expression& formula = expression(first);
  const auto from = static_cast<std::size_t>(first);
  std::array<std::array<double, block>, 3> x;
  if (formula.uses_position())
    for (PetscInt i = first; i < end; ++i) {
      const auto position = position_(i);
      for (std::size_t d = 0; d < 3; ++d) x[d][i - first] = position[d];
    }
  const grid::PointBatch places{.count = static_cast<std::size_t>(end - first),
                                .x = {x[0].data(), x[1].data(), x[2].data()},
                                .t = t,
                                .T = formula.uses('T') ? T.data() + from : nullptr};
  formula.evaluate(places, values_.data() + from);
  if (uses_T_ && with == With::derivatives) {
    if (formula.uses('T'))
      formula.evaluate_derivatives(places, derivatives_.data() + from);
    else
      std::fill_n(derivatives_.begin() + first, end - first, 0.0);
  }
}

Where Table::where(PetscInt i, double t, std::span<const double> T) const {
  return {points_ > 0 ? position_(i) : std::array<double, 3>{}, t, uses_T_ ? T[i] : 0.0};
}

TableRow Table::row(PetscInt first) const {
  if (values_.empty()) return {};
  if (uniform_) return {values_.data(), nullptr, 0};
  return {values_.data() + first, derivatives_.empty() ? nullptr : derivatives_.data() + first, 1};
}

} // namespace rhumb::heat
