#include <rhumb/pde/text/moving_equations.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::text {

namespace {

void check_moves(const Graph& graph, Node node, const std::string& origin) {
  if (const auto reason = reason_against_moving(graph, node); !reason.empty())
    throw core::BadInput(fmt::format("{}: {} does not go with moving: yes", origin, reason));
}

void check_kinds(const Model& model) {
  for (const auto& field : model.fields)
    if (field.kind == dae::Kind::index2)
      throw core::BadInput(
          fmt::format("moving: the field '{}' has index 2, and points move for differential fields and "
                      "fields of index 1 only: leave moving away",
                      field.name));
}

/// Outward on a side of a box.
std::array<double, 3> normal_of(std::size_t side) {
  std::array<double, 3> normal{};
  normal[side / 2] = side % 2 == 0 ? -1.0 : 1.0;
  return normal;
}

bool has_normal(const Graph& graph, Node node) {
  return graph.depends(node, [](const Entry& entry) {
    return entry.op == Op::symbol && entry.symbol.kind == Symbol::Kind::place && entry.symbol.index >= place::normal &&
           entry.symbol.index < place::cell_size;
  });
}

} // namespace

MovingEquations::MovingEquations(const Case& read)
    : directions_(static_cast<std::size_t>(read.model.dimension)), fields_(read.model.fields.size()),
      sides_(read.sides) {
  const Model& model = read.model;
  check_kinds(model);
  for (const auto& parameter : model.parameters) parameters_.push_back(parameter.value);
  WeakTerms weak(model);
  std::vector<Node> sources, fluxes(directions_ * fields_), start;
  for (std::size_t f = 0; f < fields_; ++f) {
    const auto row = weak.row(f);
    sources.push_back(row.source);
    check_moves(weak.graph(), row.source, model.equations[f].source.origin);
    for (std::size_t d = 0; d < directions_; ++d) {
      fluxes[d * fields_ + f] = row.flux[d];
      check_moves(weak.graph(), row.flux[d], model.equations[f].source.origin);
    }
    start.push_back(weak.value(model.initial[f]));
    check_moves(weak.graph(), start.back(), fmt::format("initial, {}", model.fields[f].name));
  }
  const Node monitor = weak.value(read.monitor);
  check_moves(weak.graph(), monitor, "own_monitor");
  source_ = kernel(weak, sources);
  flux_ = kernel(weak, fluxes);
  initial_ = kernel(weak, start);
  monitor_ = kernel(weak, {monitor});
  for (std::size_t side = 0; side < sides_.size(); ++side) add_side(model, side, read.mesh == nullptr);
}

void MovingEquations::add_side(const Model& model, std::size_t side, bool has_normals) {
  const auto normal = has_normals ? normal_of(side) : std::array<double, 3>{};
  WeakTerms weak(model);
  std::vector<Node> outflow;
  auto& given = given_.emplace_back(fields_);
  for (std::size_t f = 0; f < fields_; ++f) {
    const auto found = model.conditions[f].find(static_cast<int>(side));
    const std::string origin =
        found == model.conditions[f].end() ? model.equations[f].source.origin : found->second.source.origin;
    outflow.push_back(weak.facet(f, static_cast<int>(side)));
    check_moves(weak.graph(), outflow.back(), origin);
    if (!has_normals && has_normal(weak.graph(), outflow.back()))
      throw core::BadInput(fmt::format("{}: on a Gmsh mesh that moves boundaries have values or flux(...) without "
                                       "normal: what is said here needs the normal of '{}'",
                                       origin, sides_[side]));
    if (found == model.conditions[f].end() || found->second.kind != Condition::Kind::value) continue;
    const Node value = weak.value(found->second.formula);
    check_moves(weak.graph(), value, origin);
    given[f] = kernel(weak, {value});
  }
  outflow_.push_back(kernel(weak, outflow, normal));
}

std::size_t MovingEquations::side(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(sides_, name) - sides_.begin());
}

void MovingEquations::forget() const {
  for (const auto* one : {&source_, &flux_, &initial_, &monitor_}) one->forget();
  for (const auto& one : outflow_) one.forget();
  for (const auto& side : given_)
    for (const auto& one : side) one.forget();
}

std::vector<std::pair<Program*, std::string>> MovingEquations::programs() {
  std::vector<std::pair<Program*, std::string>> all;
  const auto add = [&](PointKernel& kernel) {
    for (Program* program : kernel.programs()) all.emplace_back(program, fmt::format("point_{}", all.size()));
  };
  add(source_);
  add(flux_);
  for (auto& one : outflow_) add(one);
  return all;
}

} // namespace rhumb::text
