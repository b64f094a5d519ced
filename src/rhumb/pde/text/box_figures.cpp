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

/// Of this rank's points.
double BoxSystem::reduce_here(std::size_t index, Sweep& sweep) {
  const Reduction& reduction = case_.model.reductions[index];
  double result = is_extremum(reduction.kind) ? -std::numeric_limits<double>::infinity() : 0.0;
  for (auto& group : groups_) {
    Program& operand = group.reductions[index];
    operand.begin(sweep.uniforms);
    for (const auto& line : group.points.lines) {
      results_.resize(static_cast<std::size_t>(line.count));
      operand.run(sweep.inputs, line, {results_.data(), 1});
      for (PetscInt i = 0; i < line.count; ++i) {
        const double value = results_[static_cast<std::size_t>(i)];
        if (reduction.kind == Reduction::Kind::maximum) result = std::max(result, value);
        if (reduction.kind == Reduction::Kind::minimum) result = std::max(result, -value);
        if (!is_extremum(reduction.kind)) {
          const double share = weight(reduction, group, line, i);
          if (share != 0.0) result += share * value;
        }
      }
    }
  }
  return result;
}

std::vector<double> BoxSystem::reduce(Sweep& sweep) {
  std::vector<double> found;
  double volume = 1.0;
  for (std::size_t d = 0; d < case_.shape.cells.size(); ++d) volume *= case_.shape.upper[d] - case_.shape.lower[d];
  for (std::size_t k = 0; k < case_.model.reductions.size(); ++k) {
    const auto kind = case_.model.reductions[k].kind;
    sweep.uniforms.reductions = found; // those before it
    double value = reduce_here(k, sweep);
    core::check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, is_extremum(kind) ? MPI_MAX : MPI_SUM, box_.comm()));
    if (kind == Reduction::Kind::minimum) value = -value;
    if (kind == Reduction::Kind::average) value /= volume;
    found.push_back(value);
  }
  sweep.uniforms.reductions = {};
  return found;
}

std::vector<std::pair<std::string, double>> BoxSystem::series(double t, Vec y, Vec /*ydot*/) {
  Sweep sweep(*this, t, 0.0, y, nullptr);
  const auto reductions = reduce(sweep);
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
