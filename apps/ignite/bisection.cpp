#include "study.hpp"
#include <algorithm>
#include <cmath>

namespace rhumb::ignite_cases {

void Bisection::died(double energy) {
  low_ = std::max(low_, energy);
  choose();
}

void Bisection::ignited(double energy) {
  high_ = high_ == 0.0 ? energy : std::min(high_, energy);
  choose();
}

bool Bisection::finished() const {
  return low_ > 0.0 && high_ > 0.0 && high_ - low_ <= width_ * high_;
}

void Bisection::choose() {
  if (low_ > 0.0 && high_ > 0.0)
    next_ = std::sqrt(low_ * high_);
  else
    next_ = low_ > 0.0 ? 2.0 * low_ : 0.5 * high_;
}

} // namespace rhumb::ignite_cases
