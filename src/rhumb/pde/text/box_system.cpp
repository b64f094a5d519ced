#include <rhumb/pde/text/box_system.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/pde/box/box_output.hpp>
#include <rhumb/pde/text/sweep.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <petscdmda.h>

namespace rhumb::text {

using core::check;

BoxSystem::BoxSystem(MPI_Comm comm, Case read)
    : case_(std::move(read)), box_(comm, case_.shape, static_cast<int>(case_.model.fields.size())),
      halo_dm_(create_halo_dm(box_)) {
  Model& model = case_.model;
  for (const auto& field : model.fields) fields_.push_back({.name = field.name, .kind = field.kind});
  parameter_values_.resize(model.parameters.size());
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    parameter_values_[p] = model.parameters[p].value;
    parameters_.add({.name = model.parameters[p].name, .value = parameter_values_[p]}, parameter_values_[p]);
  }
  for (auto& points : group_points(box_, halo_dm_)) {
    double volume = box_.cell_volume();
    for (const Spot spot : points.spots) volume *= spot == Spot::inner ? 1.0 : 0.5;
    std::vector<Program> operands, along;
    for (const auto& reduction : model.reductions) {
      Discretisation discretisation(model, points.spots);
      Graph& graph = discretisation.graph();
      const Node node = discretisation.value(reduction.operand);
      operands.emplace_back(graph, std::vector{node}, model.fields.size());
      along.push_back(derivative_along(graph, {node}, model.fields.size()));
    }
    PointEquations equations(model, points.spots);
    groups_.push_back({std::move(points), std::move(equations), std::move(operands), std::move(along), volume});
  }
  for (std::size_t k = 0; k < model.reductions.size(); ++k) all_reductions_.push_back(k);
  in_equations_ = model.reductions_in_equations();
  std::vector<Node> figures;
  for (const auto& figure : model.figures) figures.push_back(figure.formula);
  figures_ = Program(model.graph, figures, model.fields.size());
  for (auto* local : {&local_values_, &local_rates_, &local_direction_})
    check(DMCreateLocalVector(halo_dm_, local->out()));
  columns_ = ghosted_nodes();
  find_kinds();
}

std::array<PetscInt, 3> BoxSystem::neighbours() const {
  std::array<PetscInt, 3> ghosts{};
  check(DMDAGetGhostCorners(halo_dm_, nullptr, nullptr, nullptr, &ghosts[0], &ghosts[1], &ghosts[2]));
  return {1, ghosts[0], ghosts[0] * ghosts[1]};
}

std::vector<PetscInt> BoxSystem::ghosted_nodes() const {
  ISLocalToGlobalMapping mapping = nullptr;
  const PetscInt* indices = nullptr;
  PetscInt count = 0;
  check(DMGetLocalToGlobalMapping(halo_dm_, &mapping));
  check(ISLocalToGlobalMappingGetSize(mapping, &count));
  check(ISLocalToGlobalMappingGetBlockIndices(mapping, &indices));
  std::vector<PetscInt> nodes(indices, indices + count / box_.fields());
  check(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &indices));
  return nodes;
}

void BoxSystem::find_kinds() {
  const auto fields = static_cast<std::size_t>(box_.fields());
  kinds_.resize(static_cast<std::size_t>(box_.owned_nodes()) * fields);
  for (const auto& group : groups_)
    for (const auto& line : group.points.lines)
      for (PetscInt i = 0; i < line.count; ++i)
        std::ranges::copy(group.equations.kinds,
                          kinds_.begin() + (line.owned + i * line.owned_step) * static_cast<PetscInt>(fields));
}

Uniforms BoxSystem::uniforms(double t) const {
  return {.t = t, .spacing = {box_.spacing(0), box_.spacing(1), box_.spacing(2)}, .parameters = parameter_values_};
}

core::VecHandle BoxSystem::create_vector() const {
  core::VecHandle vector;
  check(DMCreateGlobalVector(box_.dm(), vector.out()));
  return vector;
}

void BoxSystem::evaluate(const Choose& choose, Sweep& sweep, Vec out) {
  const core::Writable to(out);
  const PetscInt fields = box_.fields();
  for (auto& group : groups_) {
    Program& code = choose(group.equations);
    code.begin(sweep.uniforms);
    for (const auto& line : group.points.lines)
      code.run(sweep.inputs, line, {to.begin() + line.owned * fields, line.owned_step * fields});
  }
}

void BoxSystem::residual(double t, Vec y, Vec ydot, Vec residual) {
  Sweep sweep(*this, t, 0.0, y, ydot);
  evaluate([](PointEquations& all) -> Program& { return all.residual; }, sweep, residual);
}

void BoxSystem::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  Sweep sweep(*this, t, alpha, y, ydot, v);
  evaluate([](PointEquations& all) -> Program& { return all.product; }, sweep, product);
}

void BoxSystem::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  Sweep sweep(*this, t, 0.0, y, ydot, v);
  evaluate([](PointEquations& all) -> Program& { return all.mass_product; }, sweep, product);
}

bool BoxSystem::parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  if (!in_equations_.empty()) return false; // integrals may depend on it
  Sweep sweep(*this, t, 0.0, y, ydot);
  evaluate([index](PointEquations& all) -> Program& { return all.by_parameter[index]; }, sweep, out);
  return true;
}

/// y from the formulas; y' of each entry whose own equation holds it, from that equation alone. The consistent start
/// does the rest.
void BoxSystem::initial_values(double t, Vec y, Vec ydot) {
  check(VecSet(y, 0.0));
  check(VecSet(ydot, 0.0));
  {
    Sweep sweep(*this, t, 0.0, y, ydot);
    evaluate([](PointEquations& all) -> Program& { return all.initial; }, sweep, y);
  }
  take_stored(y);
  Sweep sweep(*this, t, 0.0, y, nullptr);
  const core::Writable rates(ydot);
  const auto fields = static_cast<std::size_t>(box_.fields());
  for (auto& group : groups_) {
    group.equations.start.begin(sweep.uniforms);
    for (const auto& line : group.points.lines) {
      results_.resize(2 * fields * static_cast<std::size_t>(line.count));
      group.equations.start.run(sweep.inputs, line, {results_.data(), static_cast<PetscInt>(2 * fields)});
      for (PetscInt i = 0; i < line.count; ++i)
        for (std::size_t f = 0; f < fields; ++f) {
          const double* at = results_.data() + 2 * fields * static_cast<std::size_t>(i) + f;
          const double by_rate = at[fields];
          rates[static_cast<std::size_t>(line.owned + i * line.owned_step) * fields + f] =
              by_rate == 0.0 ? 0.0 : -at[0] / by_rate;
        }
    }
  }
}

void BoxSystem::take_stored(Vec y) const {
  const core::Writable values(y);
  const auto fields = static_cast<std::size_t>(box_.fields());
  for (const auto& [field, stored] : case_.stored)
    for (const auto& group : groups_)
      for (const auto& line : group.points.lines)
        for (PetscInt i = 0; i < line.count; ++i) {
          std::array<double, 3> position = line.corner;
          for (std::size_t d = 0; d < 3; ++d) position[d] += static_cast<double>(i) * line.step[d];
          values[static_cast<std::size_t>(line.owned + i * line.owned_step) * fields + field] = stored(position);
        }
}

grid::Mesh BoxSystem::mesh(double /*t*/, Vec /*y*/) {
  return box::box_mesh(box_);
}

std::vector<grid::FieldBlock> BoxSystem::fields(double /*t*/, Vec y, Vec /*ydot*/) {
  return box::box_fields(box_, fields_, y);
}

std::vector<PetscInt> BoxSystem::natural_indices() const {
  return box::box_natural_indices(box_);
}

std::vector<std::string> BoxSystem::remarks() const {
  return {describe_kinds(case_.model)};
}

core::VecHandle BoxSystem::volumes() const {
  return box::box_volumes(box_);
}

} // namespace rhumb::text
