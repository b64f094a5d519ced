#include <rhumb/physics/heat/energy.hpp>

#include <cmath>

namespace rhumb::heat {

void EnergyAccount::add(double t, const Powers& powers) {
  net_.add(t, powers.net());
  turnover_.add(t, powers.turnover);
}

double EnergyAccount::balance(double t, double stored) const {
  const double scale = std::abs(stored) + turnover_.value(t);
  return scale > 0.0 ? (stored - net_.value(t)) / scale : 0.0;
}

std::vector<double> EnergyAccount::saved_state() const {
  auto values = net_.saved_state();
  const auto more = turnover_.saved_state();
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

std::span<const double> EnergyAccount::restore_state(std::span<const double> values) {
  return turnover_.restore_state(net_.restore_state(values));
}

} // namespace rhumb::heat
