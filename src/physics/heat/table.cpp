#include "physics/heat/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::heat {

Table::Table(std::vector<const Expression*> expressions, std::vector<unsigned char> which, PetscInt points,
             Position position, Demand demand, Layout layout)
    : expressions_(std::move(expressions)), which_(std::move(which)), points_(points), position_(std::move(position)),
      demand_(std::move(demand)) {
  bool uses_place = false;
  for (const auto* e : expressions_) {
    uses_place = uses_place || e->uses_place();
    uses_t_ = uses_t_ || e->uses('t');
    uses_T_ = uses_T_ || e->uses('T');
  }
  uniform_ = layout == Layout::compact && expressions_.size() == 1 && !uses_place && !uses_T_;
  const auto size = static_cast<std::size_t>(uniform_ ? 1 : points_);
  values_.resize(size);
  if (uses_T_ || layout == Layout::full_with_slopes) slopes_.resize(size);
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
  for (PetscInt i = 0; i < static_cast<PetscInt>(values_.size()); ++i) {
    const auto n = static_cast<std::size_t>(i);
    const Where where{points_ > 0 ? position_(i) : std::array<double, 3>{}, t, uses_T_ ? T[n] : 0.0};
    const double value = expression(i)(where);
    values_[n] = value;
    if (uses_T_ && with == With::slopes) slopes_[n] = expression(i).slope(where);
    const bool good = std::isfinite(value) && (!demand_.positive || value > 0.0);
    if (!good && problem.empty()) problem = complaint(i, where, value);
  }
  filled_ = problem.empty();
  time_ = t;
  return problem;
}

Row Table::row(PetscInt first) const {
  if (values_.empty()) return {};
  if (uniform_) return {values_.data(), nullptr, 0};
  return {values_.data() + first, slopes_.empty() ? nullptr : slopes_.data() + first, 1};
}

} // namespace rhumb::heat
