#include <rhumb/physics/flow/time_averages.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>

namespace rhumb::flow {

using core::check;
using core::Readable;
using core::Writable;

TimeAverages::TimeAverages(const Equations& equations, double from)
    : equations_(equations), from_(from), local_(equations.grid().create_local()) {
  for (auto* v : {&last_, &sum_, &squares_, &products_}) {
    *v = equations.grid().create_vector();
    check(VecSet(*v, 0.0));
  }
}

void TimeAverages::add(double t, Vec y) {
  if (begun_ && t > last_time_) {
    const double half = 0.5 * (t - last_time_);
    accumulate(last_, half);
    accumulate(y, half);
    total_ += 2.0 * half;
  }
  begun_ = begun_ || t >= from_;
  last_time_ = t;
  check(VecCopy(y, last_));
}

void TimeAverages::accumulate(Vec y, double weight) {
  check(VecAXPY(sum_, weight, y));
  {
    const Readable values(y);
    const Writable squares(squares_);
    for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += weight * values[i] * values[i];
  }
  add_products(y, products_, weight);
}

/// Ghosts are not needed: faces on the sides are unknowns, and what is periodic comes with the exchange.
void TimeAverages::add_products(Vec y, Vec sum, double weight) const {
  const Staggered& grid = equations_.grid();
  const GhostedVec local(grid, nullptr, y, local_);
  const Writable out(sum);
  grid.for_each_cell([&](PetscInt base, const Index&) {
    Position u{};
    for (int d = 0; d < grid.dimension(); ++d) {
      const double* face = local.data() + base + grid.velocity_slot(d);
      u[d] = 0.5 * (face[0] + face[grid.stride(d)]);
    }
    const auto add = [&](int slot, double product) {
      out[grid.owned(base + grid.velocity_slot(slot))] += weight * product;
    };
    add(0, u[0] * u[1]);
    if (grid.dimension() == 2) return;
    add(1, u[0] * u[2]);
    add(2, u[1] * u[2]);
  });
}

void TimeAverages::mean(Vec out) const {
  check(VecCopy(total_ > 0.0 ? sum_ : last_, out));
  if (total_ > 0.0) check(VecScale(out, 1.0 / total_));
}

void TimeAverages::variances(Vec out) const {
  check(VecSet(out, 0.0));
  if (total_ == 0.0) return;
  const Readable sums(sum_), squares(squares_);
  const Writable result(out);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double mean = sums[i] / total_;
    result[i] = std::max(0.0, squares[i] / total_ - mean * mean); // but for rounding
  }
}

void TimeAverages::covariances(Vec out) const {
  check(VecSet(out, 0.0));
  if (total_ == 0.0) return;
  check(VecCopy(products_, out));
  add_products(sum_, out, -1.0 / total_);
  check(VecScale(out, 1.0 / total_));
}

std::vector<std::pair<std::string, Vec>> TimeAverages::vectors() const {
  return {
      {"average_last", last_}, {"average_sum", sum_}, {"average_squares", squares_}, {"average_products", products_}};
}

} // namespace rhumb::flow
