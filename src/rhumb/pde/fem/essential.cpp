#include <rhumb/pde/fem/essential.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::fem {

namespace {
/// Formulas of one value may differ by rounding.
constexpr double same = 1e-9;
} // namespace

Essential::Essential(const Space& space) : space_(space), entry_of_(space.local_count(), -1) {}

void Essential::hold(int boundary, int component, const grid::PlaceFunction* formula) {
  const auto touched = space_.on_boundary(boundary);
  for (PetscInt local = 0; local < space_.local_count(); ++local)
    if (touched[local] != 0 && space_.component_of(local) == component) add(local, formula, boundary);
}

void Essential::pin(PetscInt natural) {
  for (PetscInt local = 0; local < space_.local_count(); ++local)
    if (space_.natural(local) == natural) add(local, nullptr, -1);
}

void Essential::add(PetscInt local, const grid::PlaceFunction* formula, int boundary) {
  const PetscInt given = given_.add(formula, space_.position(local));
  if (holds(local)) {
    rivals_.push_back({entry_of_[local], given, boundary});
    return;
  }
  entry_of_[local] = static_cast<PetscInt>(entries_.size());
  entries_.push_back({local, space_.owned(local), given, boundary});
}

std::string Essential::complaint(double t) {
  given_.update(t);
  const auto name = [&](int boundary) { // one that is pinned has none
    return boundary < 0 ? "pinned" : space_.mesh().boundaries()[boundary];
  };
  const auto node = [&](const EssentialValue& entry) {
    const auto& x = space_.position(entry.local);
    return fmt::format("({:g}, {:g}, {:g})", x[0], x[1], x[2]);
  };
  for (const EssentialValue& entry : entries_)
    if (!std::isfinite(given_.value(entry.given)))
      return fmt::format("the boundary '{}' is given a value that is no finite number, {}, at the node {} and t = {:g}",
                         name(entry.boundary), given_.value(entry.given), node(entry), t);
  for (const Rival& rival : rivals_) {
    const EssentialValue& entry = entries_[rival.entry];
    const double one = given_.value(entry.given), other = given_.value(rival.given);
    if (std::abs(one - other) <= same * std::max({1.0, std::abs(one), std::abs(other)})) continue;
    return fmt::format("the boundaries '{}' and '{}' share the node {} and give it different values, "
                       "{:g} and {:g} at t = {:g}: let them agree there",
                       name(entry.boundary), name(rival.boundary), node(entry), one, other, t);
  }
  return "";
}

void Essential::check_agreement(std::span<const double> times) {
  core::run_and_agree(space_.mesh().comm(), [&] {
    for (const double t : times)
      if (const auto text = complaint(t); !text.empty()) throw core::BadInput(text);
  });
}

void Essential::put(double t, double* values, double* rates) {
  given_.update(t);
  for (const EssentialValue& entry : entries_) {
    if (values) values[entry.local] = given_.value(entry.given);
    if (rates) rates[entry.local] = given_.rate(entry.given, t);
  }
}

void Essential::put_zero(double* values) const {
  for (const EssentialValue& entry : entries_) values[entry.local] = 0.0;
}

} // namespace rhumb::fem
