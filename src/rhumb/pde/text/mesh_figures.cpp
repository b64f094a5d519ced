/// Integrals, averages, extrema and probes of a MeshSystem, and the figures made of them.

#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/mesh_system.hpp>
#include <rhumb/pde/text/point_equations.hpp>
#include <fmt/ranges.h>
#include <limits>

namespace rhumb::text {

namespace {

bool is_extremum(Reduction::Kind kind) {
  return kind == Reduction::Kind::minimum || kind == Reduction::Kind::maximum;
}

} // namespace

void MeshSystem::prepare_reductions() {
  const Model& model = case_.model;
  const std::size_t fields = model.fields.size();
  for (const auto& reduction : model.reductions) {
    WeakTerms weak(model);
    const Node node = weak.value(reduction.operand);
    operands_.emplace_back(weak.graph(), std::vector{node}, fields);
    operands_along_.push_back(derivative_along(weak.graph(), {node}, fields));
    if (reduction.kind == Reduction::Kind::probe) place_probe(all_reductions_.size());
    all_reductions_.push_back(all_reductions_.size());
    if (is_extremum(reduction.kind) && !nodes_) { // values at the nodes, which a rule's points miss
      const auto& points = output().element().nodes();
      const std::size_t count = points.size() / static_cast<std::size_t>(grid_mesh().dimension());
      nodes_ = fem::Patches::cells(space(), {points, std::vector<double>(count, 0.0)});
    }
  }
  in_equations_ = model.reductions_in_equations();
  std::vector<Node> figures;
  for (const auto& figure : model.figures) figures.push_back(figure.formula);
  figures_ = Program(model.graph, figures, fields);
  double here = 0.0;
  for (PetscInt i = 0; i < cells().points(); ++i) here += cells().weight(i);
  core::check_mpi(MPI_Allreduce(&here, &volume_, 1, MPI_DOUBLE, MPI_SUM, grid_mesh().comm()));
}

void MeshSystem::place_probe(std::size_t which) {
  const auto& given = case_.model.reductions[which].position;
  fem::Position position{};
  std::ranges::copy(given, position.begin());
  try {
    probes_.try_emplace(which, space(), std::vector{position});
  } catch (const core::BadInput&) { // on all ranks
    throw core::BadInput(
        fmt::format("{}: at(..., {}): this lies outside of the mesh", case_.origins[which], fmt::join(given, ", ")));
  }
}

/// The operand at a probe, on the rank that has the place; 0 on others.
double MeshSystem::probe(std::size_t which, Program& operand, const double* along) {
  const fem::Probes& place = probes_.at(which);
  const PetscInt cell = place.cell(0);
  if (cell < 0) return 0.0;
  fem::Position position{};
  std::ranges::copy(case_.model.reductions[which].position, position.begin());
  batch_.clear();
  batch_.add_place(position, cell);
  for (int c = 0; c < space().components(); ++c)
    for (int a = 0; a <= grid_mesh().dimension(); ++a) {
      const auto field = static_cast<std::size_t>(c), row = static_cast<std::size_t>(a);
      batch_.at(PointBatch::Array::values, 0, field, row) = place.at(0, c, a, values());
      if (along != nullptr) batch_.at(PointBatch::Array::along, 0, field, row) = place.at(0, c, a, along);
    }
  return *batch_.run(operand);
}

/// Of this rank's points; minima as maxima of the negative.
double MeshSystem::reduce_here(std::size_t which, Program& operand, const Uniforms& now, const double* along) {
  const Reduction::Kind kind = case_.model.reductions[which].kind;
  operand.begin(now);
  if (kind == Reduction::Kind::probe) return probe(which, operand, along);
  const fem::Patches& patches = is_extremum(kind) ? *nodes_ : cells();
  double result = is_extremum(kind) ? -std::numeric_limits<double>::infinity() : 0.0;
  for_each_stretch(patches, groups_[0].which, [&](std::size_t first, std::size_t last) {
    batch_.clear();
    for (std::size_t i = first; i < last; ++i) batch_.add(patches[groups_[0].which[i]], {values(), nullptr, along});
    const double* values_there = batch_.run(operand);
    for (std::size_t i = first; i < last; ++i) {
      const fem::Patch patch = patches[groups_[0].which[i]];
      for (PetscInt q = 0; q < patch.basis->points(); ++q) {
        const double value = *values_there++;
        if (kind == Reduction::Kind::maximum)
          result = std::max(result, value);
        else if (kind == Reduction::Kind::minimum)
          result = std::max(result, -value);
        else
          result += patch.weights[q] * value;
      }
    }
  });
  return result;
}

double MeshSystem::reduce_all(const Reduction& reduction, double here) const {
  double all = here;
  core::check_mpi(
      MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, is_extremum(reduction.kind) ? MPI_MAX : MPI_SUM, grid_mesh().comm()));
  if (reduction.kind == Reduction::Kind::minimum) return -all;
  return reduction.kind == Reduction::Kind::average ? all / volume_ : all;
}

std::vector<double> MeshSystem::reduce(Uniforms& now, const std::vector<std::size_t>& which) {
  std::vector<double> found(case_.model.reductions.size(), 0.0);
  now.reductions = found; // each may use those before it
  for (const std::size_t k : which)
    found[k] = reduce_all(case_.model.reductions[k], reduce_here(k, operands_[k], now, nullptr));
  now.reductions = {};
  return found;
}

std::vector<double> MeshSystem::reduce_along(Uniforms& now) {
  std::vector<double> found(case_.model.reductions.size(), 0.0);
  now.reductions_along = found;
  for (const std::size_t k : in_equations_)
    found[k] = reduce_all(case_.model.reductions[k], reduce_here(k, operands_along_[k], now, along()));
  now.reductions_along = {};
  return found;
}

std::vector<std::pair<std::string, double>> MeshSystem::series(double t, Vec y, Vec /*ydot*/) {
  load(t, y, nullptr);
  Uniforms now = uniforms(t);
  const auto reductions = reduce(now, all_reductions_);
  now.reductions = reductions;
  figures_.begin(now);
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < case_.model.figures.size(); ++i)
    values.emplace_back(case_.model.figures[i].name, figures_.uniform_result(i));
  return values;
}

dae::Figures MeshSystem::report(double t, Vec y, Vec ydot) {
  dae::Figures figures;
  for (const auto& [name, value] : series(t, y, ydot)) figures.emplace_back(name, value);
  return figures;
}

} // namespace rhumb::text
