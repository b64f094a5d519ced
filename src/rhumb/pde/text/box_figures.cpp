/// Integrals, averages, extrema and probes of a BoxSystem, and the figures made of them.

#include <rhumb/pde/text/sweep.hpp>
#include <cmath>
#include <limits>

namespace rhumb::text {

namespace {
bool is_extremum(Reduction::Kind kind) {
  return kind == Reduction::Kind::minimum || kind == Reduction::Kind::maximum;
}
} // namespace

/// What a point counts in a sum: its volume, or its part in the linear interpolation at a probe.
double BoxSystem::weight(const Reduction& reduction, const Group& group, const Line& line, PetscInt i) const {
  if (reduction.kind != Reduction::Kind::probe) return group.volume;
  double share = 1.0;
  for (std::size_t d = 0; d < reduction.position.size(); ++d) {
    const double length = case_.shape.upper[d] - case_.shape.lower[d];
    double away = std::fabs(line.corner[d] + static_cast<double>(i) * line.step[d] - reduction.position[d]);
    if (case_.shape.periodic[d]) away = std::min(away, std::fabs(length - away));
    share *= std::max(0.0, 1.0 - away * box_.inverse_spacing(d));
  }
  return share;
}

/// Of this rank's points; minima as maxima of the negative.
double BoxSystem::reduce_here(const Reduction& reduction, Sweep& sweep,
                              const std::function<Program&(Group&)>& operand_of) {
  double result = is_extremum(reduction.kind) ? -std::numeric_limits<double>::infinity() : 0.0;
  for (auto& group : groups_) {
    Program& operand = operand_of(group);
    operand.begin(sweep.uniforms);
    for (const auto& line : group.points.lines) {
      results_.resize(static_cast<std::size_t>(line.count));
      operand.run(sweep.inputs, line, {results_.data(), 1});
      for (PetscInt i = 0; i < line.count; ++i) {
        const double value = results_[i];
        if (reduction.kind == Reduction::Kind::maximum) result = std::max(result, value);
        if (reduction.kind == Reduction::Kind::minimum) result = std::max(result, -value);
        if (is_extremum(reduction.kind)) continue;
        const double share = weight(reduction, group, line, i);
        if (share != 0.0) result += share * value;
      }
    }
  }
  return result;
}

double BoxSystem::reduce_all(const Reduction& reduction, double here) const {
  double all = here;
  core::check_mpi(
      MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, is_extremum(reduction.kind) ? MPI_MAX : MPI_SUM, box_.comm()));
  if (reduction.kind == Reduction::Kind::minimum) return -all;
  if (reduction.kind == Reduction::Kind::average)
    for (std::size_t d = 0; d < case_.shape.cells.size(); ++d) all /= case_.shape.upper[d] - case_.shape.lower[d];
  return all;
}

double first_position(std::span<const double> profile, double level, double begin, double spacing) {
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const double here = profile[i] - level;
    if (here == 0.0) return begin + static_cast<double>(i) * spacing;
    if (i + 1 == profile.size()) break;
    const double next = profile[i + 1] - level;
    if ((here < 0.0) != (next < 0.0)) return begin + (static_cast<double>(i) + here / (here - next)) * spacing;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Of a position: the profile along its direction, as means over the points across it, on all ranks.
double BoxSystem::position_of(std::size_t which, Sweep& sweep) {
  const Reduction& reduction = case_.model.reductions[which];
  const auto d = static_cast<std::size_t>(reduction.direction);
  const auto size = static_cast<std::size_t>(case_.shape.cells[d]) + (case_.shape.periodic[d] ? 0 : 1);
  std::vector<double> sums(2 * size, 0.0); // values times volumes, volumes
  for (auto& group : groups_) {
    Program& operand = group.reductions[which];
    operand.begin(sweep.uniforms);
    for (const auto& line : group.points.lines) {
      results_.resize(static_cast<std::size_t>(line.count));
      operand.run(sweep.inputs, line, {results_.data(), 1});
      for (PetscInt i = 0; i < line.count; ++i) {
        const double away = line.corner[d] + static_cast<double>(i) * line.step[d] - case_.shape.lower[d];
        const auto at = static_cast<std::size_t>(std::lround(away * box_.inverse_spacing(d)));
        sums[at] += group.volume * results_[i];
        sums[size + at] += group.volume;
      }
    }
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM, box_.comm()));
  for (std::size_t i = 0; i < size; ++i) sums[i] /= sums[size + i];
  return first_position({sums.data(), size}, reduction.level, case_.shape.lower[d], box_.spacing(d));
}

std::vector<double> BoxSystem::reduce(Sweep& sweep, const std::vector<std::size_t>& which) {
  std::vector<double> found(case_.model.reductions.size(), 0.0);
  sweep.uniforms.reductions = found; // each may use those before it
  for (const std::size_t k : which) {
    const Reduction& reduction = case_.model.reductions[k];
    if (reduction.kind == Reduction::Kind::position) {
      found[k] = position_of(k, sweep);
      continue;
    }
    found[k] = reduce_all(reduction,
                          reduce_here(reduction, sweep, [k](Group& group) -> Program& { return group.reductions[k]; }));
  }
  sweep.uniforms.reductions = {};
  return found;
}

std::vector<double> BoxSystem::reduce_along(Sweep& sweep) {
  std::vector<double> found(case_.model.reductions.size(), 0.0);
  sweep.uniforms.reductions_along = found;
  for (const std::size_t k : in_equations_) {
    const Reduction& reduction = case_.model.reductions[k];
    found[k] = reduce_all(
        reduction, reduce_here(reduction, sweep, [k](Group& group) -> Program& { return group.reductions_along[k]; }));
  }
  return found;
}

std::vector<std::pair<std::string, double>> BoxSystem::series(double t, Vec y, Vec /*ydot*/) {
  Sweep sweep(*this, t, 0.0, y, nullptr);
  const auto reductions = reduce(sweep, all_reductions_);
  sweep.uniforms.reductions = reductions;
  figures_.begin(sweep.uniforms);
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < case_.model.figures.size(); ++i)
    values.emplace_back(case_.model.figures[i].name, figures_.uniform_result(i));
  return values;
}

dae::Figures BoxSystem::report(double t, Vec y, Vec ydot) {
  dae::Figures figures;
  for (const auto& [name, value] : series(t, y, ydot)) figures.emplace_back(name, value);
  return figures;
}

} // namespace rhumb::text
