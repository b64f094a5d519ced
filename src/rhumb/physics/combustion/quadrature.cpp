#include <rhumb/physics/combustion/quadrature.hpp>

#include <array>
#include <cmath>
#include <stdexcept>

namespace rhumb::combustion {

namespace {
constexpr std::size_t most_known = 4;
}

void Quadrature::add(double t, double rate) {
  if (!known_.empty() && t <= known_.back().t) {
    known_.back().rate = rate;
    return;
  }
  known_.push_back({t, rate});
  if (known_.size() > most_known) known_.erase(known_.begin());
  before_ = total_;
  if (known_.size() > 1) total_ += over(known_[known_.size() - 2].t, t);
}

void Quadrature::cut() {
  if (known_.size() > 1) known_.erase(known_.begin(), known_.end() - 1);
  before_ = total_;
}

double Quadrature::up_to(double t) const {
  if (known_.size() < 2) return total_;
  return before_ + over(known_[known_.size() - 2].t, t);
}

/// Gauss's rule of two points is exact for the cubic.
double Quadrature::over(double from, double to) const {
  const auto value = [&](double t) {
    double sum = 0.0;
    for (const Known& k : known_) {
      double factor = k.rate;
      for (const Known& other : known_)
        if (other.t != k.t) factor *= (t - other.t) / (k.t - other.t);
      sum += factor;
    }
    return sum;
  };
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from), offset = half / std::sqrt(3.0);
  return half * (value(middle - offset) + value(middle + offset));
}

std::vector<double> Quadrature::saved_state() const {
  std::vector<double> out{total_, before_};
  for (std::size_t i = 0; i < most_known; ++i) {
    out.push_back(i < known_.size() ? known_[i].t : -1.0);
    out.push_back(i < known_.size() ? known_[i].rate : 0.0);
  }
  return out;
}

void Quadrature::restore_state(std::span<const double> values) {
  if (values.size() != count) throw std::invalid_argument("not the numbers of a quadrature");
  total_ = values[0];
  before_ = values[1];
  known_.clear();
  for (std::size_t i = 0; i < most_known; ++i)
    if (values[2 + 2 * i] >= 0.0) known_.push_back({values[2 + 2 * i], values[3 + 2 * i]});
}

} // namespace rhumb::combustion
