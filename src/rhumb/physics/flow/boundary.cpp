#include <rhumb/physics/flow/boundary.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::flow {

namespace {
/// Weights of three values at three positions, for the value and the derivative of their parabola at x.
struct Parabola {
  std::array<double, 3> value, slope;
};
Parabola parabola(const std::array<double, 3>& at, double x) {
  Parabola out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = at[(i + 1) % 3], b = at[(i + 2) % 3], scale = 1.0 / ((at[i] - a) * (at[i] - b));
    out.value[i] = scale * (x - a) * (x - b);
    out.slope[i] = scale * (2.0 * x - a - b);
  }
  return out;
}

Index moved(Index cell, int direction, PetscInt by) {
  cell[direction] += by;
  return cell;
}
} // namespace

Boundary::Boundary(const Case& flow_case, const Staggered& grid, Level level)
    : case_(flow_case), grid_(grid), rows_(static_cast<std::size_t>(grid.owned_count()), RowKind::balance),
      ghost_at_(static_cast<std::size_t>(grid.places()), -1) {
  mark_solid();
  for (int d = 0; d < grid.dimension(); ++d)
    for (const int upper : {0, 1})
      if (!grid.line(d).periodic()) add_side(d, upper);
  if (any_solid_) fix_solid();
  if (level == Level::pinned && case_.closed()) pin();
}

void Boundary::mark_solid() {
  const Index from = grid_.ghost_first(), to = grid_.ghost_end();
  solid_.assign(static_cast<std::size_t>(grid_.places()), 0);
  if (!case_.solid) return;
  Staggered::visit(from, to, [&](const Index& cell) {
    Index inside = cell;
    for (int d = 0; d < grid_.dimension(); ++d) {
      const PetscInt n = grid_.line(d).cells();
      if (grid_.line(d).periodic())
        inside[d] = (inside[d] + n) % n;
      else if (inside[d] < 0 || inside[d] >= n)
        return; // outside the box there is no obstacle, only the side
    }
    if ((*case_.solid)({.x = grid_.position(grid_.dimension(), inside)}) != 0.0) solid_[grid_.base(cell)] = 1;
  });
  int any = std::any_of(solid_.begin(), solid_.end(), [](auto s) { return s != 0; }) ? 1 : 0;
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, grid_.comm()));
  any_solid_ = any != 0;
  find_contacts();
}

void Boundary::find_contacts() {
  grid_.for_each_cell([&](PetscInt, const Index& cell) {
    if (solid(cell)) return;
    for (int d = 0; d < grid_.dimension(); ++d)
      for (const int sign : {-1, 1})
        if (solid(moved(cell, d, sign))) contacts_.push_back({cell, d, sign});
  });
}

bool Boundary::solid(const Index& cell) const {
  return solid_[grid_.base(cell)] != 0;
}

void Boundary::add_side(int direction, int upper) {
  const Index first = grid_.ghost_first(), end = grid_.ghost_end();
  const PetscInt n = grid_.line(direction).cells();
  const bool here = upper == 0 ? first[direction] < 0 : end[direction] > n;
  if (!here) return;
  for (const int layer : {1, 2}) add_ghost_layer(direction, upper, layer);
  fix_faces(direction, upper);
}

void Boundary::add_ghost_layer(int direction, int upper, int layer) {
  const PetscInt n = grid_.line(direction).cells();
  const Layer at_side{
      direction,         upper, layer, upper == 0 ? -layer : n - 1 + layer, upper == 0 ? layer - 1 : n - layer,
      upper == 0 ? 0 : n};
  Index from = grid_.ghost_first(), to = grid_.ghost_end();
  from[direction] = at_side.outside;
  to[direction] = at_side.outside + 1;
  Staggered::visit(from, to, [&](const Index& ghost) {
    for (int c = 0; c < grid_.dimension(); ++c)
      if (c == direction)
        add_normal_ghost(at_side, ghost);
      else
        add_tangential_ghost(at_side, c, ghost);
    if (case_.side(direction, upper).type == Side::Type::outflow && layer == 1) add_pressure_ghost(at_side, ghost);
    if (grid_.has_scalar()) add_scalar_ghost(at_side, ghost);
  });
}

Index Boundary::mirrored(const Layer& layer, Index ghost) {
  ghost[layer.direction] = layer.inside;
  return ghost;
}

Position Boundary::on_side(const Layer& layer, int field, const Index& ghost) const {
  Position x = grid_.position(field, mirrored(layer, ghost));
  x[layer.direction] = grid_.line(layer.direction).face(layer.face);
  return x;
}

void Boundary::add_tangential_ghost(const Layer& layer, int component, const Index& ghost) {
  const Side& side = case_.side(layer.direction, layer.upper);
  const bool holds =
      side.type == Side::Type::wall || side.type == Side::Type::moving || side.type == Side::Type::inflow;
  const PetscInt slot = grid_.velocity_slot(component);
  if (holds && case_.quadratic_sides && layer.depth == 1 && grid_.line(layer.direction).cells() >= 2) {
    add_quadratic_tangential_ghost(layer, component, ghost);
    return;
  }
  add_ghost(grid_.base(ghost) + slot, {{grid_.base(mirrored(layer, ghost)) + slot, holds ? -1.0 : 1.0}},
            holds ? 2.0 : 0.0, add_velocity(side, component, on_side(layer, component, ghost)));
}

void Boundary::add_quadratic_tangential_ghost(const Layer& layer, int component, const Index& ghost) {
  const StaggeredLine& line = grid_.line(layer.direction);
  const PetscInt inward = layer.upper == 0 ? 1 : -1, slot = grid_.velocity_slot(component);
  Index first = mirrored(layer, ghost), second = first;
  second[layer.direction] += inward;
  const Parabola weights =
      parabola({line.face(layer.face), line.centre(layer.inside), line.centre(layer.inside + inward)},
               line.centre(layer.outside));
  const Side& side = case_.side(layer.direction, layer.upper);
  add_ghost(grid_.base(ghost) + slot,
            {{grid_.base(first) + slot, weights.value[1]}, {grid_.base(second) + slot, weights.value[2]}},
            weights.value[0], add_velocity(side, component, on_side(layer, component, ghost)));
}

/// Whether the normal velocity goes on as a parabola.
bool Boundary::bends(const Layer& layer) const {
  return case_.quadratic_sides && case_.side(layer.direction, layer.upper).type == Side::Type::outflow &&
         grid_.line(layer.direction).cells() >= 2;
}

/// Beyond the face on the side, as many faces out as in. The local array may end before that.
void Boundary::add_normal_ghost(const Layer& layer, const Index& ghost) {
  const auto d = layer.direction;
  const PetscInt inward = layer.upper == 0 ? layer.depth : -layer.depth, slot = grid_.velocity_slot(layer.direction);
  Index on = ghost, out = ghost, in = ghost;
  on[d] = layer.face;
  out[d] = layer.face - inward;
  in[d] = layer.face + inward;
  if (out[d] >= grid_.ghost_end()[d]) return;
  if (bends(layer) && layer.depth == 1) {
    Index further = in;
    further[d] += inward;
    const StaggeredLine& line = grid_.line(layer.direction);
    const Parabola weights = parabola({line.face(on[d]), line.face(in[d]), line.face(further[d])}, line.face(out[d]));
    add_ghost(grid_.base(out) + slot,
              {{grid_.base(on) + slot, weights.value[0]},
               {grid_.base(in) + slot, weights.value[1]},
               {grid_.base(further) + slot, weights.value[2]}},
              0.0, -1);
    return;
  }
  add_ghost(grid_.base(out) + slot, {{grid_.base(on) + slot, 2.0}, {grid_.base(in) + slot, -1.0}}, 0.0, -1);
}

void Boundary::add_pressure_ghost(const Layer& layer, const Index& ghost) {
  const PetscInt p = grid_.pressure_slot(), inside = grid_.base(mirrored(layer, ghost));
  const PetscInt low = inside + grid_.velocity_slot(layer.direction);
  if (bends(layer)) {
    const StaggeredLine& line = grid_.line(layer.direction);
    const PetscInt inward = layer.upper == 0 ? 1 : -1, step = inward * grid_.stride(layer.direction);
    const PetscInt on = inside + grid_.velocity_slot(layer.direction) + (layer.upper == 1 ? -step : 0);
    const Parabola weights =
        parabola({line.face(layer.face), line.face(layer.face + inward), line.face(layer.face + 2 * inward)},
                 line.face(layer.face));
    const double twice = 2.0 * case_.nu;
    add_ghost(grid_.base(ghost) + p,
              {{inside + p, -1.0},
               {on, twice * weights.slope[0]},
               {on + step, twice * weights.slope[1]},
               {on + 2 * step, twice * weights.slope[2]}},
              0.0, -1);
    return;
  }
  const double gradient = 2.0 * case_.nu * grid_.line(layer.direction).inverse_width(layer.inside);
  add_ghost(grid_.base(ghost) + p,
            {{inside + p, -1.0}, {low + grid_.stride(layer.direction), gradient}, {low, -gradient}}, 0.0, -1);
}

void Boundary::add_scalar_ghost(const Layer& layer, const Index& ghost) {
  const Side& side = case_.side(layer.direction, layer.upper);
  const StaggeredLine& line = grid_.line(layer.direction);
  const PetscInt slot = grid_.scalar_slot();
  const bool value = side.scalar_type == Side::Scalar::value;
  const double distance = std::abs(line.centre(layer.outside) - line.centre(layer.inside));
  add_ghost(grid_.base(ghost) + slot, {{grid_.base(mirrored(layer, ghost)) + slot, value ? -1.0 : 1.0}},
            value ? 2.0 : distance,
            side.scalar ? given_.add(&*side.scalar, on_side(layer, grid_.dimension() + 1, ghost)) : -1);
}

/// The number of a component that the side gives; -1: zero.
PetscInt Boundary::add_velocity(const Side& side, int component, const Position& x) {
  if (side.table && side.table->has(component))
    return given_.add_series(side.table->times(), side.table->series(component, x));
  const auto& formula = side.velocity[component];
  return formula ? given_.add(&*formula, x) : -1;
}

std::optional<double> Boundary::next_break(double t) const {
  std::optional<double> next;
  for (const Side& side : case_.sides) {
    if (!side.table || side.table->times()->size() == 1) continue;
    for (const double end : {side.table->times()->front(), side.table->times()->back()})
      if (end > t && (!next || end < *next)) next = end;
  }
  return next;
}

void Boundary::add_ghost(PetscInt offset, const std::vector<BoundaryTerm>& terms, double weight, PetscInt given) {
  // Places whose partners are outside too (corners) are never read.
  if (std::any_of(terms.begin(), terms.end(), [&](const BoundaryTerm& term) { return grid_.global(term.offset) < 0; }))
    return;
  const auto begin = static_cast<std::uint32_t>(terms_.size());
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  ghost_at_[offset] = static_cast<PetscInt>(ghosts_.size());
  ghosts_.push_back({offset, begin, static_cast<std::uint32_t>(terms_.size()), weight, given});
}

void Boundary::fix_faces(int direction, int upper) {
  const Side& side = case_.side(direction, upper);
  if (side.type == Side::Type::outflow) return;
  const PetscInt face = upper == 0 ? 0 : grid_.line(direction).cells();
  Index from = grid_.first(), to = grid_.end_of_faces(direction);
  if (face < from[direction] || face >= to[direction]) return;
  from[direction] = face;
  to[direction] = face + 1;
  Staggered::visit(from, to, [&](const Index& cell) {
    add_special(grid_.base(cell) + grid_.velocity_slot(direction), RowKind::given,
                add_velocity(side, direction, grid_.position(direction, cell)), {});
  });
}

/// Faces of an obstacle stand still. Faces inside it are ghosts of the fluid beside them: the mean of the two, at the
/// obstacle's surface, is zero. Pressure inside is zero; the scalar inside is that of the fluid beside (insulated).
void Boundary::fix_solid() {
  const int dimension = grid_.dimension();
  for (int c = 0; c < dimension; ++c)
    grid_.for_each_face(c, [&](PetscInt base, const Index& face) {
      const PetscInt offset = base + grid_.velocity_slot(c);
      const bool above = solid(face), below = solid(moved(face, c, -1));
      if ((!above && !below) || row(grid_.owned(offset)) != RowKind::balance) return;
      std::vector<BoundaryTerm> terms;
      if (above && below)
        for (int d = 0; d < dimension; ++d)
          for (const int sign : {-1, 1}) {
            const Index beside = moved(face, d, sign);
            const PetscInt other = grid_.base(beside) + grid_.velocity_slot(c);
            if (d != c && !solid(beside) && !solid(moved(beside, c, -1)) && grid_.global(other) >= 0)
              terms.push_back({other, -1.0});
          }
      for (auto& term : terms) term.factor /= static_cast<double>(terms.size());
      add_special(offset, RowKind::mirrored, -1, terms);
    });
  grid_.for_each_cell([&](PetscInt base, const Index& cell) {
    if (!solid(cell)) return;
    add_special(base + grid_.pressure_slot(), RowKind::mirrored, -1, {});
    if (!grid_.has_scalar()) return;
    std::vector<BoundaryTerm> terms;
    for (int d = 0; d < dimension; ++d)
      for (const int sign : {-1, 1}) {
        const Index beside = moved(cell, d, sign);
        const PetscInt other = grid_.base(beside) + grid_.scalar_slot();
        if (!solid(beside) && grid_.global(other) >= 0) terms.push_back({other, 1.0});
      }
    for (auto& term : terms) term.factor /= static_cast<double>(terms.size());
    add_special(base + grid_.scalar_slot(), RowKind::mirrored, -1, terms);
  });
}

void Boundary::pin() {
  const Index first = grid_.first();
  if (first != Index{0, 0, 0}) return;
  if (any_solid_ && solid(first)) throw core::BadInput("-pressure_level pinned: the first cell is inside an obstacle");
  add_special(grid_.base(first) + grid_.pressure_slot(), RowKind::given, -1, {});
}

void Boundary::unpin() {
  if (grid_.first() != Index{0, 0, 0}) return;
  rows_[special_.back().owned] = RowKind::balance; // it came last
  special_.pop_back();
}

void Boundary::add_special(PetscInt offset, RowKind kind, PetscInt given, const std::vector<BoundaryTerm>& terms) {
  const auto begin = static_cast<std::uint32_t>(terms_.size());
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  rows_[grid_.owned(offset)] = kind;
  special_.push_back({offset, grid_.owned(offset), given, begin, static_cast<std::uint32_t>(terms_.size())});
}

void Boundary::fill_ghosts(double* local) const {
  for (const Ghost& ghost : ghosts_) {
    double value = ghost.given < 0 ? 0.0 : ghost.weight * given_.value(ghost.given);
    for (std::uint32_t t = ghost.begin; t < ghost.end; ++t) value += terms_[t].factor * local[terms_[t].offset];
    local[ghost.offset] = value;
  }
}

std::span<const BoundaryTerm> Boundary::ghost(PetscInt offset) const {
  const PetscInt index = ghost_at_[offset];
  if (index < 0) return {};
  const Ghost& ghost = ghosts_[index];
  return {terms_.data() + ghost.begin, terms_.data() + ghost.end};
}

} // namespace rhumb::flow
