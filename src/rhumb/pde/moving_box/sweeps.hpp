#pragma once
/// How System goes over the simplices and points of this rank.

#include <rhumb/core/agreement.hpp>
#include <rhumb/pde/moving_box/system.hpp>
#include <rhumb/pde/moving_box/volumes.hpp>

namespace rhumb::moving_box {

template <class Pde>
Element<double, System<Pde>::D, System<Pde>::C> System<Pde>::element(PetscInt e) const {
  Element<double, D, C> out;
  for (std::size_t a = 0; a <= D; ++a) {
    const PetscInt node = simplices().corners(e)[a];
    for (int c = 0; c < C; ++c) {
      out.u[a][c] = values()[entry(node, c)];
      out.udot[a][c] = rates()[entry(node, c)];
    }
    for (int d = 0; d < D; ++d) {
      out.x[a][d] = position(node, d);
      out.xdot[a][d] = moves() ? rates()[entry(node, coordinate(d))] : 0.0;
    }
  }
  return out;
}

template <class Pde>
template <int directions>
auto System<Pde>::dual_element(PetscInt e, double alpha) const -> Element<core::Dual<directions>, D, C> {
  using Jet = core::Dual<directions>;
  constexpr int per_corner = directions / (D + 1);
  const auto plain = element(e);
  Element<Jet, D, C> out;
  for (std::size_t a = 0; a <= D; ++a) {
    const int first = static_cast<int>(a) * per_corner;
    for (std::size_t c = 0; c < C; ++c) {
      out.u[a][c] = Jet::variable(plain.u[a][c], first + static_cast<int>(c));
      out.udot[a][c] = Jet::variable(plain.udot[a][c], first + static_cast<int>(c), alpha);
    }
    for (std::size_t d = 0; d < D; ++d) {
      const int direction = first + C + static_cast<int>(d);
      out.x[a][d] = per_corner > C ? Jet::variable(plain.x[a][d], direction) : Jet(plain.x[a][d]);
      out.xdot[a][d] = per_corner > C ? Jet::variable(plain.xdot[a][d], direction, alpha) : Jet(plain.xdot[a][d]);
    }
  }
  return out;
}

/// The mean of |grad u| is a sum over all ranks. Its derivative is left out of the matrix: it is dense and small.
template <class Pde>
MonitorScale System<Pde>::monitor_scale(double) const {
  MonitorScale scale{.length = simplices().length()};
  if (!moves() || settings().monitor.kind != Monitor::Kind::gradient) return scale;
  std::array<double, 2> sums{}; // of |grad u| and of one
  for (PetscInt e = 0; e < simplices().count(); ++e) {
    if (!simplices().is_counted(e)) continue;
    const auto corners = element(e);
    const Shape<double, D> shape(corners.x);
    const auto gradient = gradient_of(corners, shape);
    sums[0] += shape.volume * std::sqrt(gradient_square<double, D, C>(gradient, settings().monitor.scales));
    sums[1] += shape.volume;
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, simplices().comm()));
  // A constant solution has no gradient to measure others by.
  constexpr double flat = 1e-12;
  scale.mean_gradient = std::max(sums[0] / sums[1], flat / scale.length);
  return scale;
}

template <class Pde>
template <class S>
FieldRows<S, System<Pde>::D, System<Pde>::C>
System<Pde>::rows_of(const Element<S, D, C>& corners, const Shape<S, D>& shape, const Array<Array<S, D>, C>& gradient,
                     double t) const {
  if (has_contents()) return volume_rows<Pde, S, D, C>(pde_, corners, shape, gradient, t);
  return cell_rows<Pde, S, D, C>(pde_, corners, shape, gradient, t);
}

/// Contents need source = u_t + (what holds no u_t): looked at where the run starts.
template <class Pde>
void System<Pde>::check_balance(double t) const {
  bool fits = true;
  for (PetscInt e = 0; e < simplices().count() && fits; ++e) {
    const auto corners = element(e);
    const auto gradient = gradient_of(corners, Shape<double, D>(corners.x));
    Array<double, D + 1> middle;
    middle.fill(1.0 / (D + 1));
    auto at = at_point(corners, gradient, middle, t);
    at.ut = {};
    const auto rest = pde_.terms(at).source;
    for (std::size_t c = 0; c < C; ++c) at.ut[c] = 1.0 + static_cast<double>(c);
    const auto whole = pde_.terms(at).source;
    for (std::size_t c = 0; c < C; ++c)
      fits = fits && std::abs(whole[c] - rest[c] - at.ut[c]) <= 1e-9 * (std::abs(whole[c]) + std::abs(rest[c]));
  }
  core::run_and_agree(simplices().comm(), [&] {
    if (!fits)
      throw core::BadInput("option -balance: contents of volumes need an equation u_t = ...; here the time derivative "
                           "has a factor, or another term holds it");
  });
}

template <class Pde>
void System<Pde>::add_elements(double t, const MonitorScale& scale) {
  const double unit = simplices().cell_volume();
  const int first = pde_row(0);
  const auto add = [&](PetscInt e, const FieldRows<double, D, C>& rows) {
    for (std::size_t a = 0; a <= D; ++a)
      for (int c = 0; c < C; ++c)
        if (const PetscInt node = simplices().corners(e)[a]; !has_contents() || !is_given(node, c))
          sums_[entry(node, first + c)] += rows[a][c] / unit;
  };
  for (PetscInt e = 0; e < simplices().count(); ++e) {
    const auto corners = element(e);
    const Shape<double, D> shape(corners.x);
    const auto gradient = gradient_of(corners, shape);
    if (!starting()) add(e, rows_of<double>(corners, shape, gradient, t));
    if (has_contents()) add_definitions(e, corners, shape.volume / (unit * (D + 1)));
    if (!moves()) continue;
    const double m = monitor_of<Pde, double, D, C>(pde_, settings().monitor, scale, corners, gradient, t);
    for (std::size_t a = 0; a <= D; ++a) {
      const PetscInt node = simplices().corners(e)[a];
      sums_[entry(node, monitor_index())] -= m / simplices().touching(node);
    }
  }
  if constexpr (has_outflow)
    for (const auto& facet : simplices().facets()) {
      const auto corners = element(facet.element);
      const Shape<double, D> shape(corners.x);
      add(facet.element, facet_rows<Pde, double, D, C>(pde_, corners, shape, gradient_of(corners, shape), t,
                                                       facet.opposite, simplices().side_names()[facet.side]));
    }
}

/// V u of the corners, into the row that defines the content.
template <class Pde>
void System<Pde>::add_definitions(PetscInt e, const Element<double, D, C>& corners, double part) {
  for (std::size_t a = 0; a <= D; ++a)
    for (int c = 0; c < C; ++c) {
      const PetscInt node = simplices().corners(e)[a];
      sums_[entry(node, definition_row(node, c))] += part * corners.u[a][c];
    }
}

template <class Pde>
void System<Pde>::read_held_sides() {
  const auto& names = simplices().side_names();
  if constexpr (has_given_values)
    for (int c = 0; c < C; ++c)
      for (std::size_t s = 0; s < names.size(); ++s)
        if (pde_.holds(c, names[s])) held_sides_[c] |= 1U << s;
}

template <class Pde>
bool System<Pde>::is_held(PetscInt node, int component) const {
  return (simplices().sides(node) & held_sides_[component]) != 0;
}

template <class Pde>
template <class S>
std::optional<S> System<Pde>::held_row(PetscInt node, int component, const Array<S, D>& x, const S& u, double t) const {
  if constexpr (has_given_values)
    if (is_held(node, component)) {
      if constexpr (values_differ_by_side) {
        const auto side = std::countr_zero(simplices().sides(node) & held_sides_[component]); // of several the first
        return u - pde_.value(component, x, t, simplices().side_names()[side]);
      } else {
        return u - pde_.value(component, x, t);
      }
    }
  if (starting()) return u - pde_.initial(x)[component];
  return std::nullopt;
}

template <class Pde>
template <class S>
Array<S, System<Pde>::D> System<Pde>::node_position(PetscInt node) const {
  Array<S, D> x;
  for (int d = 0; d < D; ++d) {
    x[d] = position(node, d);
    if constexpr (!std::is_same_v<S, double>)
      if (moves()) x[d] = S::variable(position(node, d), d);
  }
  return x;
}

template <class Pde>
void System<Pde>::set_held_rows(double t) {
  for (PetscInt i = 0; i < simplices().owned_nodes(); ++i) {
    const PetscInt node = simplices().owned(i);
    for (int c = 0; c < C; ++c) {
      const std::size_t row = entry(node, c);
      const auto held = held_row<double>(node, c, node_position<double>(node), values()[row], t);
      if (held) sums_[row] = *held;
      if (!has_contents()) continue;
      const std::size_t content_row = entry(node, content(c));
      if (!is_debt(node, c)) sums_[entry(node, definition_row(node, c))] -= values()[content_row];
      if (!held) sums_[content_row] += rates()[content_row];
    }
  }
}

template <class Pde>
void System<Pde>::residual(double t, Vec y, Vec ydot, Vec residual) {
  load(y, ydot);
  const MonitorScale scale = monitor_scale(t);
  reject_folded(t);
  std::ranges::fill(sums_, 0.0);
  add_elements(t, scale);
  if (moves()) add_mesh_rows(sums_);
  set_held_rows(t);
  const core::Writable out(residual);
  const auto per_node = static_cast<std::size_t>(unknowns());
  for (PetscInt i = 0; i < simplices().owned_nodes(); ++i)
    for (std::size_t f = 0; f < per_node; ++f)
      out[static_cast<std::size_t>(i) * per_node + f] = sums_[entry(simplices().owned(i), static_cast<int>(f))];
}

template <class Pde>
template <bool with_positions>
void System<Pde>::add_element_jacobian(double t, double alpha, const MonitorScale& scale, Mat jacobian) const {
  constexpr int per_corner = C + (with_positions ? D : 0), directions = (D + 1) * per_corner;
  using Jet = core::Dual<directions>;
  const double unit = simplices().cell_volume();
  Array<PetscInt, directions> columns;
  const auto add_row = [&](PetscInt node, int unknown, const Jet& row, double factor) {
    if (!simplices().is_own(node)) return;
    Array<double, directions> derivatives;
    for (std::size_t j = 0; j < derivatives.size(); ++j) derivatives[j] = factor * row.derivatives[j];
    const PetscInt index = simplices().global(node) * unknowns() + unknown;
    core::check(MatSetValues(jacobian, 1, &index, directions, columns.data(), derivatives.data(), ADD_VALUES));
  };
  const auto add = [&](PetscInt e, const FieldRows<Jet, D, C>& rows) {
    for (std::size_t a = 0; a <= D; ++a)
      for (int c = 0; c < C; ++c)
        if (const PetscInt node = simplices().corners(e)[a]; !is_given(node, c))
          add_row(node, pde_row(c), rows[a][c], 1.0 / unit);
  };
  const auto set_columns = [&](PetscInt e) {
    for (int a = 0; a <= D; ++a)
      for (int f = 0; f < per_corner; ++f)
        columns[a * per_corner + f] = simplices().global(simplices().corners(e)[a]) * unknowns() + f;
  };
  for (PetscInt e = 0; e < simplices().count(); ++e) {
    set_columns(e);
    const auto corners = dual_element<directions>(e, alpha);
    const Shape<Jet, D> shape(corners.x);
    const auto gradient = gradient_of(corners, shape);
    if (!starting()) add(e, rows_of<Jet>(corners, shape, gradient, t));
    if (has_contents())
      for (std::size_t a = 0; a <= D; ++a)
        for (int c = 0; c < C; ++c) {
          const PetscInt node = simplices().corners(e)[a];
          add_row(node, definition_row(node, c), shape.volume * corners.u[a][c], 1.0 / (unit * (D + 1)));
        }
    if (!with_positions) continue;
    const Jet m = monitor_of<Pde, Jet, D, C>(pde_, settings().monitor, scale, corners, gradient, t);
    for (int a = 0; a <= D; ++a) {
      const PetscInt node = simplices().corners(e)[a];
      add_row(node, monitor_index(), m, -1.0 / simplices().touching(node));
    }
  }
  if constexpr (has_outflow)
    for (const auto& facet : simplices().facets()) {
      set_columns(facet.element);
      const auto corners = dual_element<directions>(facet.element, alpha);
      const Shape<Jet, D> shape(corners.x);
      add(facet.element, facet_rows<Pde, Jet, D, C>(pde_, corners, shape, gradient_of(corners, shape), t,
                                                    facet.opposite, simplices().side_names()[facet.side]));
    }
}

template <class Pde>
void System<Pde>::add_content_jacobian(PetscInt node, int c, double alpha, Mat jacobian) const {
  const PetscInt first = simplices().global(node) * unknowns(), column = first + content(c);
  const PetscInt definition = first + definition_row(node, c);
  const double minus = is_debt(node, c) ? 0.0 : -1.0;
  core::check(MatSetValues(jacobian, 1, &definition, 1, &column, &minus, ADD_VALUES));
  if (!is_given(node, c)) core::check(MatSetValues(jacobian, 1, &column, 1, &column, &alpha, ADD_VALUES));
}

template <class Pde>
void System<Pde>::add_held_jacobian(double t, double alpha, Mat jacobian) const {
  using Jet = core::Dual<D + 1>; // by the position, then by u
  for (PetscInt i = 0; i < simplices().owned_nodes(); ++i) {
    const PetscInt node = simplices().owned(i), first = simplices().global(node) * unknowns();
    for (int c = 0; c < C; ++c) {
      const Jet u = Jet::variable(values()[entry(node, c)], D);
      const auto held = held_row<Jet>(node, c, node_position<Jet>(node), u, t);
      if (has_contents()) add_content_jacobian(node, c, alpha, jacobian);
      if (!held) continue;
      const PetscInt row = first + c;
      for (int d = 0; d <= (moves() ? D - 1 : -1); ++d) {
        const PetscInt column = first + coordinate(d);
        core::check(MatSetValues(jacobian, 1, &row, 1, &column, &held->derivatives[d], ADD_VALUES));
      }
      core::check(MatSetValues(jacobian, 1, &row, 1, &row, &held->derivatives[D], ADD_VALUES));
    }
  }
}

/// A failure here must not leave the other ranks waiting in the assembly.
template <class Pde>
void System<Pde>::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  load(y, ydot);
  const MonitorScale scale = monitor_scale(t);
  core::check(MatZeroEntries(jacobian));
  std::exception_ptr failure;
  try {
    if (moves()) {
      add_element_jacobian<true>(t, alpha, scale, jacobian);
      add_mesh_jacobian(alpha, jacobian);
    } else {
      add_element_jacobian<false>(t, alpha, scale, jacobian);
    }
    add_held_jacobian(t, alpha, jacobian);
  } catch (...) {
    failure = std::current_exception();
  }
  core::check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  if (failure) std::rethrow_exception(failure);
}

template <class Pde>
void System<Pde>::initial_values(double t, Vec y, Vec ydot) {
  core::check(VecSet(ydot, 0.0));
  {
    const core::Writable out(y);
    const auto per_node = static_cast<std::size_t>(unknowns());
    for (PetscInt i = 0; i < simplices().owned_nodes(); ++i) {
      const PetscInt node = simplices().owned(i);
      double* const at = out.begin() + static_cast<std::size_t>(i) * per_node;
      Array<double, D> x;
      for (int d = 0; d < D; ++d) x[d] = simplices().reference(node, d);
      const auto u = pde_.initial(x);
      for (std::size_t c = 0; c < C; ++c) at[c] = u[c];
      if (!moves()) continue;
      for (std::size_t d = 0; d < D; ++d) at[C + d] = x[d];
      at[C + D] = 1.0;
    }
  }
  if (has_contents()) set_contents(y);
  if (has_contents()) check_balance(t);
  if (moves()) find_initial_mesh(t, y, ydot);
}

template <class Pde>
auto System<Pde>::errors(double t) const -> std::optional<Errors> {
  if constexpr (!knows_solution) {
    return std::nullopt;
  } else {
    if constexpr (requires { pde_.knows_solution(); })
      if (!pde_.knows_solution()) return std::nullopt;
    static const auto rule = fine_rule<D>();
    const auto distance = [&](const Array<double, C>& u, const Array<double, D>& x) {
      const auto exact = pde_.exact(x, t);
      double square = 0.0;
      for (std::size_t c = 0; c < C; ++c) square += (u[c] - exact[c]) * (u[c] - exact[c]);
      return square;
    };
    Errors found;
    for (PetscInt e = 0; e < simplices().count(); ++e) {
      if (!simplices().is_counted(e)) continue;
      const auto corners = element(e);
      const Shape<double, D> shape(corners.x);
      const auto gradient = gradient_of(corners, shape);
      for (const auto& [barycentric, weight] : rule) {
        const auto at = at_point<double, D, C>(corners, gradient, barycentric, t);
        found.square += weight * shape.volume * distance(at.u, at.x);
      }
      for (std::size_t a = 0; a <= D; ++a)
        found.largest = std::max(found.largest, std::sqrt(distance(corners.u[a], corners.x[a])));
    }
    return found;
  }
}

} // namespace rhumb::moving_box
