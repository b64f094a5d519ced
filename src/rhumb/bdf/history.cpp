#include <rhumb/bdf/history.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>
#include <type_traits>

namespace rhumb::bdf {

using core::check;
using core::Readable;
using core::Writable;

namespace {

/// The local arrays of phi_1 .. phi_count, read in place.
class ReadDifferences {
public:
  ReadDifferences(std::span<const core::VecHandle> phi, std::size_t count) : phi_(phi), count_(count) {
    for (std::size_t i = 1; i <= count; ++i) check(VecGetArrayRead(phi[i], &data_[i]));
  }
  ~ReadDifferences() {
    for (std::size_t i = 1; i <= count_; ++i) VecRestoreArrayRead(phi_[i], &data_[i]);
  }
  ReadDifferences(const ReadDifferences&) = delete;
  ReadDifferences& operator=(const ReadDifferences&) = delete;
  /// Entries 1 .. n, as a copy that no store can be taken to change.
  template <std::size_t n>
  std::array<const double*, n + 1> first() const {
    std::array<const double*, n + 1> data;
    std::copy_n(data_.begin(), n + 1, data.begin());
    return data;
  }

private:
  std::span<const core::VecHandle> phi_;
  std::size_t count_;
  std::array<const PetscScalar*, kept_differences + 1> data_{};
};

template <std::size_t n>
std::array<double, n + 1> first(std::span<const double> weights) {
  std::array<double, n + 1> copy;
  std::copy_n(weights.begin(), n + 1, copy.begin());
  return copy;
}

/// body(integral_constant<count>): a loop over a number of differences that the compiler knows is unrolled, and the one
/// over the entries around it vectorised.
template <std::size_t n = kept_differences, class Body>
void with_constant(std::size_t count, const Body& body) {
  if constexpr (n >= 1) {
    if (count == n)
      body(std::integral_constant<std::size_t, n>{});
    else
      with_constant<n - 1>(count, body);
  }
}

/// A linear combination of phi_1 .. phi_count in one pass.
void combine(std::span<const core::VecHandle> phi, std::size_t count, std::span<const double> weights, Vec y) {
  const ReadDifferences d(phi, count);
  const Writable value(y);
  with_constant(count, [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    const auto w = first<n>(weights);
    const auto from = d.first<n>();
    double* const to = value.begin();
    const std::size_t size = value.size();
#pragma GCC ivdep
    for (std::size_t p = 0; p < size; ++p) {
      double v = 0.0;
      for (std::size_t i = n; i >= 1; --i) v += w[i] * from[i][p];
      to[p] = v;
    }
  });
}

/// Two of them.
void combine(std::span<const core::VecHandle> phi, std::size_t count, std::span<const double> value_weights,
             std::span<const double> rate_weights, Vec y, Vec ydot) {
  const ReadDifferences d(phi, count);
  const Writable value(y), rate(ydot);
  with_constant(count, [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    const auto w = first<n>(value_weights), w_rate = first<n>(rate_weights);
    const auto from = d.first<n>();
    double *const to = value.begin(), *const to_rate = rate.begin();
    const std::size_t size = value.size();
#pragma GCC ivdep
    for (std::size_t p = 0; p < size; ++p) {
      double v = 0.0, s = 0.0;
      for (std::size_t i = n; i >= 1; --i) {
        v += w[i] * from[i][p];
        s += w_rate[i] * from[i][p];
      }
      to[p] = v;
      to_rate[p] = s;
    }
  });
}

} // namespace

History::History(Vec model) {
  for (std::size_t i = 1; i < phi_.size(); ++i) phi_[i] = core::same_layout(model);
}

void History::begin(double t, Vec y, Vec ydot, double h) {
  time_ = t;
  committed_ = 0;
  steps_.fill(h);
  check(VecCopy(y, phi_[1]));
  check(VecCopy(ydot, phi_[2]));
  check(VecScale(phi_[2], h));
  for (std::size_t i = 3; i < phi_.size(); ++i) check(VecSet(phi_[i], 0.0));
}

void History::begin(double t, std::span<const core::VecHandle> values, double h) {
  time_ = t;
  committed_ = static_cast<long>(values.size());
  steps_.fill(h);
  // Equidistant points: phi_i are the backward differences.
  for (std::size_t i = 1; i < phi_.size(); ++i) check(VecSet(phi_[i], 0.0));
  for (std::size_t i = 0; i < values.size(); ++i) check(VecCopy(values[i], phi_[i + 1]));
  for (std::size_t level = 1; level < values.size(); ++level)
    for (std::size_t i = values.size(); i > level; --i) check(VecAYPX(phi_[i], -1.0, phi_[i - 1]));
}

void History::rescale_first_step(double h) {
  check(VecScale(phi_[2], h / steps_[0]));
  steps_.fill(h);
}

void History::predict(const Coefficients& c, Vec y, Vec ydot) const {
  const auto count = static_cast<std::size_t>(c.order) + 1;
  Coefficients::DifferenceArray rate{};
  for (std::size_t i = 1; i <= count; ++i) rate[i] = c.gamma[i] * c.beta[i];
  combine(phi_, count, c.beta, rate, y, ydot);
}

void History::commit(const Coefficients& c, double t, Vec correction) {
  const auto count = static_cast<std::size_t>(c.order) + 1;
  const std::size_t top = std::min<std::size_t>(count + 1, kept_differences);
  {
    const Readable e(correction);
    std::array<PetscScalar*, kept_differences + 1> d{};
    for (std::size_t i = 1; i <= top; ++i) check(VecGetArray(phi_[i], &d[i]));
    with_constant(count, [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
      const auto beta = first<n>(c.beta);
      const auto to = d;
      double* const highest = n < top ? d[n + 1] : nullptr;
      const double* const from = e.begin();
      const std::size_t size = e.size();
#pragma GCC ivdep
      for (std::size_t p = 0; p < size; ++p) {
        double next = from[p]; // phi_{k+2}(n+1) = y - y^(0)
        if (highest) highest[p] = next;
        for (std::size_t i = n; i >= 1; --i) to[i][p] = next += beta[i] * to[i][p];
      }
    });
    for (std::size_t i = 1; i <= top; ++i) check(VecRestoreArray(phi_[i], &d[i]));
  }
  std::shift_right(steps_.begin(), steps_.end(), 1);
  steps_[0] = c.h;
  time_ = t;
  ++committed_;
}

void History::interpolate(double t, int order, Vec y, Vec ydot) const {
  const InterpolantWeights w = interpolant_weights(steps_, t - time_, order);
  const auto count = static_cast<std::size_t>(order) + 1;
  if (ydot)
    combine(phi_, count, w.value, w.derivative, y, ydot);
  else
    combine(phi_, count, w.value, y);
}

void History::copy_from(const History& other) {
  for (std::size_t i = 1; i < phi_.size(); ++i) check(VecCopy(other.phi_[i], phi_[i]));
  steps_ = other.steps_;
  time_ = other.time_;
  committed_ = other.committed_;
}

void History::restore(double t, std::span<const double> steps, long committed) {
  time_ = t;
  std::copy(steps.begin(), steps.end(), steps_.begin());
  committed_ = committed;
}

} // namespace rhumb::bdf
