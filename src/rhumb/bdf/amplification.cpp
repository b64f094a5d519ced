#include <rhumb/bdf/amplification.hpp>

#include <algorithm>

namespace rhumb::bdf {

namespace {
// Measured: the medians of R are 26 and more in SIE's example with c >= 30, and at most 9 in most problems of rhumb-dae. The
// squeezer has R of thousands, of which the standard test sees at least a third.
constexpr double amplified = 20.0;
constexpr double amplified_for_sure = 10.0 * amplified; // one look is enough
constexpr double unseen = 5.0;                          // times what the standard test measures
constexpr double least_error = 0.02; // in tolerances: a shorter correction may be what Newton has left of it
constexpr double forgiveness = 0.5;  // of a look that finds nothing
constexpr long pause_growth = 4, longest_pause = 64; // steps between such looks
} // namespace

bool Amplification::is_due(long step, double error) const {
  return step >= next_look_ && error > least_error;
}

void Amplification::note(double algebraic, double differential, double all, long step) {
  if (found()) return;
  const double ratio = algebraic / std::max(differential, least_error);
  const bool seen_by_test = algebraic < unseen * std::max(all, least_error);
  if (ratio > amplified && !seen_by_test) {
    score_ += ratio > amplified_for_sure ? enough : 1.0;
    pause_ = 1;
  } else if (ratio > amplified) {
    pause_ = std::min(2 * pause_, longest_pause);
  } else {
    score_ = std::max(0.0, score_ - forgiveness);
    pause_ = std::min(pause_growth * pause_, longest_pause);
  }
  next_look_ = step + pause_;
}

} // namespace rhumb::bdf
