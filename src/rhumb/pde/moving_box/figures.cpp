#include <rhumb/core/arrays.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

/// What a run on a moving mesh shows of itself: volumes, shapes, fronts, totals, errors, and when it stops.

namespace rhumb::moving_box {

namespace {
double over_ranks(MPI_Comm comm, double value, MPI_Op operation) {
  double result = value;
  core::check_mpi(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, comm));
  return result;
}
} // namespace

Quality BoxProblem::quality() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Of -volume, volume, -shape, monitor times volume, alignment.
  std::array<double, 5> extremes{-infinity, -infinity, -infinity, -infinity, -infinity};
  Quality found;
  double whole = 0.0; // integral of the monitor
  std::array<double, 10> here{};
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    const Corners x = positions(e);
    const double volume = volume_of(x, dimension()), shape = shape_of(x, dimension());
    double share = 1.0; // of the monitor
    if (moves()) {
      share = 0.0;
      for (int a = 0; a < simplices_.vertices(); ++a)
        share += values_[entry(simplices_.corners(e)[a], monitor_index())] / simplices_.vertices();
    }
    whole += share * volume;
    const std::array<double, 5> here_now{-volume, volume, -shape, share * volume,
                                         alignment_of(x, reference_positions(e), dimension())};
    for (std::size_t k = 0; k < extremes.size(); ++k) extremes[k] = std::max(extremes[k], here_now[k]);
    ++here[static_cast<std::size_t>(std::clamp(10.0 * shape, 0.0, 9.0))];
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 5, MPI_DOUBLE, MPI_MAX, simplices_.comm()));
  core::check_mpi(MPI_Allreduce(here.data(), found.shapes.data(), 10, MPI_DOUBLE, MPI_SUM, simplices_.comm()));
  found.smallest_volume = -extremes[0];
  found.largest_volume = extremes[1];
  found.worst_shape = -extremes[2];
  found.equidistribution =
      extremes[3] * static_cast<double>(simplices_.total()) / over_ranks(simplices_.comm(), whole, MPI_SUM);
  found.alignment = extremes[4];
  return found;
}

void BoxProblem::after_step(double t, Vec y, Vec) {
  load(y, nullptr);
  if (integrals_at_start_.empty()) integrals_at_start_ = totals().integral;
  watch_error_in_space(t);
  if (!moves() && std::isfinite(smallest_volume_)) return;
  const Quality now = quality();
  smallest_volume_ = std::min(smallest_volume_, now.smallest_volume);
  worst_quality_ = std::min(worst_quality_, now.worst_shape);
}

/// The farthest point on the box's diagonal from its lower corner where the first component has the front's value, as a
/// part of the diagonal; NaN: none. On a simplex both barycentric coordinates and u are linear along the diagonal.
double BoxProblem::front() const {
  const auto D = static_cast<std::size_t>(dimension());
  double farthest = -1.0;
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    const Corners x = positions(e);
    const double volume = volume_of(x, dimension());
    double low = 0.0, high = 1.0, u0 = 0.0, derivative = 0.0;
    for (std::size_t a = 0; a <= D; ++a) {
      Corners begin = x, end = x;
      for (std::size_t d = 0; d < D; ++d) {
        begin[a][d] = simplices_.lower()[d];
        end[a][d] = simplices_.upper()[d];
      }
      const double at_begin = volume_of(begin, dimension()) / volume, at_end = volume_of(end, dimension()) / volume;
      const double change = at_end - at_begin, u = values_[entry(simplices_.corners(e)[a], 0)];
      if (change > 0.0) low = std::max(low, -at_begin / change);
      if (change < 0.0) high = std::min(high, -at_begin / change);
      if (change == 0.0 && at_begin < 0.0) high = -1.0;
      u0 += at_begin * u;
      derivative += change * u;
    }
    const double s = (settings_.front_level - u0) / derivative;
    if (low <= high && s >= low - 1e-12 && s <= high + 1e-12) farthest = std::max(farthest, s);
  }
  farthest = over_ranks(simplices_.comm(), farthest, MPI_MAX);
  return farthest < 0.0 ? std::numeric_limits<double>::quiet_NaN() : farthest;
}

void BoxProblem::watch(double t, Vec y, Vec) {
  load(y, nullptr);
  times_.push_back(t);
  fronts_.push_back(front());
}

dae::Figures BoxProblem::report(double t, Vec y, Vec) {
  load(y, nullptr);
  // What a balance of volumes keeps: the integral but for what errors took too much from empty volumes.
  const auto whole = [&](int unknown) {
    double sum = 0.0;
    for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) sum += values_[entry(simplices_.owned(i), unknown)];
    return simplices_.cell_volume() * over_ranks(simplices_.comm(), sum, MPI_SUM);
  };
  const Quality now = quality();
  dae::Figures figures;
  figures.emplace_back("mesh_equation", std::string(moves() ? "diffusion" : "fixed"));
  figures.emplace_back("nodes", static_cast<double>(simplices_.total_nodes()));
  if (const auto e = errors(t)) {
    figures.emplace_back("error_l2", std::sqrt(over_ranks(simplices_.comm(), e->square, MPI_SUM)));
    figures.emplace_back("error_max", over_ranks(simplices_.comm(), e->largest, MPI_MAX));
  }
  if (!times_.empty()) {
    figures.emplace_back("front_times", times_);
    figures.emplace_back("front", fronts_);
  }
  for (const auto& [name, value] : named(totals())) figures.emplace_back(name, value);
  for (std::size_t c = 0; c < integrals_at_start_.size(); ++c)
    figures.emplace_back("integral_start_" + about_.fields[c].name, integrals_at_start_[c]);
  for (int c = 0; has_contents() && c < components(); ++c)
    figures.emplace_back("content_" + about_.fields[c].name, whole(content(c)));
  if (std::isfinite(stopped_)) figures.emplace_back("stopped_at", stopped_);
  figures.emplace_back("error_in_space", space_.error);
  if (const auto words = advice(); !words.empty()) figures.emplace_back("advice", words);
  figures.emplace_back("smallest_volume", smallest_volume_);
  figures.emplace_back("largest_volume", now.largest_volume);
  figures.emplace_back("worst_quality", worst_quality_);
  figures.emplace_back("equidistribution", now.equidistribution);
  figures.emplace_back("alignment", now.alignment);
  figures.emplace_back("quality_histogram", std::vector<double>(now.shapes.begin(), now.shapes.end()));
  return figures;
}

BoxProblem::Totals BoxProblem::totals() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t count = about_.fields.size();
  Totals all{std::vector<double>(count, 0.0), std::vector<double>(count, infinity),
             std::vector<double>(count, -infinity)};
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    const double part = volume_of(positions(e), dimension()) / simplices_.vertices();
    for (int a = 0; a < simplices_.vertices(); ++a)
      for (std::size_t c = 0; c < count; ++c) {
        const double u = values_[entry(simplices_.corners(e)[a], static_cast<int>(c))];
        all.integral[c] += part * u;
        all.lowest[c] = std::min(all.lowest[c], u);
        all.highest[c] = std::max(all.highest[c], u);
      }
  }
  for (std::size_t c = 0; c < count; ++c) {
    all.integral[c] = over_ranks(simplices_.comm(), all.integral[c], MPI_SUM);
    all.lowest[c] = over_ranks(simplices_.comm(), all.lowest[c], MPI_MIN);
    all.highest[c] = over_ranks(simplices_.comm(), all.highest[c], MPI_MAX);
  }
  return all;
}

std::vector<std::pair<std::string, double>> BoxProblem::named(const Totals& totals) const {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t c = 0; c < totals.integral.size(); ++c) {
    const auto& name = about_.fields[c].name;
    out.emplace_back("integral_" + name, totals.integral[c]);
    out.emplace_back("lowest_" + name, totals.lowest[c]);
    out.emplace_back("highest_" + name, totals.highest[c]);
  }
  return out;
}

std::vector<dae::Event> BoxProblem::events() const {
  if (!std::isfinite(settings_.stop_above)) return {};
  return {{"stop_above", dae::Event::Direction::rising}};
}

void BoxProblem::event_values(double, Vec y, Vec, std::span<double> values) {
  PetscReal highest = 0.0;
  core::check(VecStrideMax(y, 0, nullptr, &highest));
  // Of a value that grows without bound the logarithm is closer to a line.
  values[0] = highest > 0.0 && settings_.stop_above > 0.0 ? std::log(highest / settings_.stop_above)
                                                          : highest - settings_.stop_above;
}

dae::AfterEvent BoxProblem::on_event(double t, std::span<const int>, Vec, Vec) {
  stopped_ = t;
  return dae::AfterEvent::stop;
}

std::vector<std::pair<std::string, double>> BoxProblem::series(double, Vec y, Vec) {
  load(y, nullptr);
  const Quality now = quality();
  std::vector<std::pair<std::string, double>> all{{"front", front()},
                                                  {"smallest_volume", now.smallest_volume},
                                                  {"largest_volume", now.largest_volume},
                                                  {"worst_quality", now.worst_shape},
                                                  {"equidistribution", now.equidistribution},
                                                  {"alignment", now.alignment}};
  const auto sums = named(totals());
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

} // namespace rhumb::moving_box
