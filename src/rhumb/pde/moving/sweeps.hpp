#pragma once
/// The loops of System over a rank's nodes.

#include <rhumb/pde/moving/system.hpp>
#include <fmt/format.h>

namespace rhumb::moving {

template <class Pde>
template <class Use>
void System<Pde>::with_layout(Use&& use) const {
  if (unknowns() == Unknowns::solution) return use.template operator()<1, Unknowns::solution>();
  if (unknowns() == Unknowns::with_floor) return use.template operator()<widest_window, Unknowns::with_floor>();
  if (unknowns() == Unknowns::with_contents) return use.template operator()<widest_window, Unknowns::with_contents>();
  const int reach = width(rule());
  if (reach <= 1) return use.template operator()<1, Unknowns::with_mesh>();
  if (reach <= 3) return use.template operator()<3, Unknowns::with_mesh>();
  if (reach <= 5) return use.template operator()<5, Unknowns::with_mesh>();
  return use.template operator()<widest_window, Unknowns::with_mesh>();
}

/// part_i - part_{i-1} = density h, part_0 = 0; whole_i = whole_{i+1}, whole_N = part_N: an integral that no row has to
/// see as a whole.
template <class Pde>
template <Unknowns U, class S, int W>
std::array<S, 2> System<Pde>::floor_rows(const Window<S, n, W>& w, double t) const {
  const S part = w.at_left() ? w(0).part
                             : S(w(0).part - w(-1).part - density(pde_, w, -1, t, rule().monitor) * (w(0).x - w(-1).x));
  return {part, w.at_right() ? S(w(0).whole - w(0).part) : S(w(0).whole - w(1).whole)};
}

template <class Pde>
template <Unknowns U, class S, int W>
auto System<Pde>::rows_of_solution(const Window<S, n, W>& w, double t) const -> Values<S, n> {
  if constexpr (U == Unknowns::with_contents) return contents_rows(w, t)[0];
  const bool moves = unknowns() != Unknowns::solution && !w.at_end();
  return moves ? solution_rows(pde_, w, t, about().symmetry, rule())
               : pde_rows(pde_, w, t, about().symmetry, rule().theta);
}

template <class Pde>
template <Unknowns U, class S, int W>
auto System<Pde>::rows_of_mesh(const Window<S, n, W>& w, double t) const -> MeshRows<U, S> {
  MeshRows<U, S> all;
  if constexpr (U != Unknowns::solution)
    all[0] = w.at_end() ? S(w(0).x - (w.at_left() ? about().lower : about().upper))
                        : mesh_row(pde_, w, t, about().symmetry, rule());
  if constexpr (U == Unknowns::with_contents) {
    const auto contents = contents_rows(w, t)[1];
    std::copy(contents.begin(), contents.end(), all.begin() + 1);
  }
  if constexpr (U == Unknowns::with_floor) {
    const auto inner = floor_rows<U>(w, t);
    all[1] = inner[0];
    all[2] = inner[1];
  }
  return all;
}

template <class Pde>
template <Unknowns U, class S, int W>
auto System<Pde>::rows(const Window<S, n, W>& w, double t) const -> Rows<U, S> {
  Rows<U, S> all;
  const auto solution = rows_of_solution<U>(w, t);
  const auto mesh = rows_of_mesh<U>(w, t);
  std::copy(mesh.begin(), mesh.end(), std::copy(solution.begin(), solution.end(), all.begin()));
  return all;
}

template <class Pde>
template <Unknowns U>
void System<Pde>::reject_crossing(const WindowPatch& patch) const {
  if constexpr (U != Unknowns::solution) {
    constexpr int F = entries(n, U);
    const PetscInt from = std::max<PetscInt>(line().first(), 1),
                   to = std::min(line().first() + line().count(), patch.last);
    for (PetscInt i = from; i <= to; ++i)
      if (!(patch.y[i * F + n] > patch.y[(i - 1) * F + n]))
        throw core::Recoverable(fmt::format("nodes {} and {} have crossed", i - 1, i));
  }
}

template <class Pde>
void System<Pde>::residual(double t, Vec y, Vec ydot, Vec residual) {
  const Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_);
  const core::Writable out(residual);
  with_layout([&]<int W, Unknowns U>() {
    const WindowPatch nodes = patch(values, rates);
    reject_crossing<U>(nodes);
    const auto make = [&](PetscInt index, int) { return std::pair(nodes.y[index], nodes.rate[index]); };
    for (PetscInt i = 0; i < owned_nodes(); ++i) {
      const auto found = rows<U>(load<double, n, W, U>(nodes, line().first() + i, make), t);
      std::copy(found.begin(), found.end(), out.begin() + i * entries(n, U));
    }
    for (PetscInt i = owned_nodes() * entries(n, U); i < line().count() * entries(n, U); ++i) // not in use: y' = 0
      out[i] = nodes.rate[line().first() * entries(n, U) + i];
  });
}

template <class Pde>
template <Unknowns U, int W, class List>
void System<Pde>::set_rows(Mat jacobian, PetscInt i, int from, const List& rows) const {
  constexpr PetscInt F = entries(n, U);
  std::array<PetscInt, static_cast<std::size_t>((2 * W + 1) * F)> columns;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto w = static_cast<PetscInt>(reach()[static_cast<std::size_t>(from) + r]);
    const PetscInt low = std::max<PetscInt>(i - w, 0), high = std::min(i + w, nodes() - 1);
    const PetscInt count = (high - low + 1) * F, row = i * F + from + static_cast<PetscInt>(r);
    for (PetscInt c = 0; c < count; ++c) columns[c] = low * F + c;
    const double* derivatives = rows[r].derivatives.data() + (low - i + W) * F;
    core::check(MatSetValues(jacobian, 1, &row, count, columns.data(), derivatives, INSERT_VALUES));
  }
}

/// The rows of mmpde4, 5 and 6 at inner nodes, from monitors that are differentiated cell by cell.
template <class Pde>
template <int W>
void System<Pde>::set_mmpde_rows(Mat jacobian, const WindowPatch& nodes, double t, double alpha) const {
  constexpr int F = entries(n, Unknowns::with_mesh);
  using Wide = core::Dual<(2 * W + 1) * F>;
  const PetscInt begin = line().first(), end = begin + owned_nodes();
  const MonitorSquares<F> squares(pde_, nodes, begin, end, t, rule().monitor, rule().length);
  const auto make = [&](PetscInt index, int d) { // the next nodes, with the wide window's directions
    const int direction = d + (W - 1) * F;
    return std::pair(Wide::variable(nodes.y[index], direction), Wide::variable(nodes.rate[index], direction, alpha));
  };
  for (PetscInt i = std::max<PetscInt>(begin, 1); i < std::min(end, nodes.last); ++i) {
    const auto [left, right] = squares.template around<W>(i);
    const auto w = load<Wide, n, 1, Unknowns::with_mesh>(nodes, i, make);
    set_rows<Unknowns::with_mesh, W>(jacobian, i, n, std::array{mmpde_row(w, left, right, rule())});
  }
}

/// The PDE's rows are differentiated in a narrow window, the mesh's in a wide one.
template <class Pde>
void System<Pde>::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_);
  core::check(MatZeroEntries(jacobian));
  with_layout([&]<int W, Unknowns U>() {
    constexpr int F = entries(n, U);
    constexpr int near = U == Unknowns::with_contents ? 2 : 1; // the PDE's rows see so many nodes on each side
    using Narrow = core::Dual<(2 * near + 1) * F>;
    using Wide = core::Dual<(2 * W + 1) * F>;
    const WindowPatch nodes = patch(values, rates);
    reject_crossing<U>(nodes);
    for (PetscInt row = (line().first() + owned_nodes()) * F; row < (line().first() + line().count()) * F; ++row)
      core::check(MatSetValues(jacobian, 1, &row, 1, &row, &alpha, INSERT_VALUES));
    const auto variables = [&]<class S>(PetscInt index, int direction) {
      return std::pair(S::variable(nodes.y[index], direction), S::variable(nodes.rate[index], direction, alpha));
    };
    const auto narrow = [&](PetscInt index, int d) { return variables.template operator()<Narrow>(index, d); };
    const auto wide = [&](PetscInt index, int d) { return variables.template operator()<Wide>(index, d); };
    const bool by_cells = U == Unknowns::with_mesh && W > 1 && is_mmpde(rule().equation);
    for (PetscInt i = line().first(); i < line().first() + owned_nodes(); ++i) {
      set_rows<U, near>(jacobian, i, 0, rows_of_solution<U>(load<Narrow, n, near, U>(nodes, i, narrow), t));
      if constexpr (U != Unknowns::solution)
        if (!by_cells || i == 0 || i == nodes.last)
          set_rows<U, W>(jacobian, i, n, rows_of_mesh<U>(load<Wide, n, W, U>(nodes, i, wide), t));
    }
    if constexpr (U == Unknowns::with_mesh && W > 1)
      if (by_cells) set_mmpde_rows<W>(jacobian, nodes, t, alpha);
  });
  core::check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

template <class Pde>
void System<Pde>::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  const Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_), along(line(), v, buffer_v_);
  const core::Writable out(product);
  with_layout([&]<int W, Unknowns U>() {
    using S = core::Dual<1>;
    const WindowPatch nodes = patch(values, rates);
    reject_crossing<U>(nodes);
    const auto make = [&](PetscInt index, int) {
      return std::pair(S(nodes.y[index]), S::variable(nodes.rate[index], 0, along.data()[index]));
    };
    for (PetscInt i = owned_nodes() * entries(n, U); i < line().count() * entries(n, U); ++i)
      out[i] = along.data()[line().first() * entries(n, U) + i];
    for (PetscInt i = 0; i < owned_nodes(); ++i) {
      const auto found = rows<U>(load<S, n, W, U>(nodes, line().first() + i, make), t);
      for (std::size_t f = 0; f < found.size(); ++f)
        out[static_cast<std::size_t>(i) * found.size() + f] = found[f].derivatives[0];
    }
  });
}

template <class Pde>
void System<Pde>::initial_values(double t, Vec y, Vec ydot) {
  put(t, initial_node_values(pde_, x_start_, unknowns(), rule()), y, ydot);
}

/// One Newton iteration for y' from y' = 0, exact where F is linear in y': (dF/dy') y' = -F(t, y, 0). Rows without y'
/// give y' = 0.
template <class Pde>
std::vector<double> System<Pde>::rates(double t, const std::vector<double>& y) const {
  const WindowPatch nodes{y.data(), nullptr, x_start_.data(), rule().cells};
  std::vector<double> found;
  with_layout([&]<int W, Unknowns U>() {
    constexpr int F = entries(n, U);
    using S = core::Dual<(2 * W + 1) * F>;
    const auto make = [&](PetscInt index, int direction) {
      return std::pair(S(nodes.y[index]), S::variable(0.0, direction));
    };
    Band mass(y.size(), static_cast<std::size_t>((W + 1) * F));
    std::vector<double> right(y.size(), 0.0);
    for (PetscInt i = 0; i <= nodes.last; ++i) {
      const auto inner = rows<U>(load<S, n, W, U>(nodes, i, make), t);
      for (PetscInt f = 0; f < F; ++f) {
        const auto row = static_cast<std::size_t>(i * F + f);
        const S& value = inner[f];
        const bool algebraic = std::ranges::all_of(value.derivatives, [](double s) { return s == 0.0; });
        right[row] = algebraic ? 0.0 : -value.value;
        if (algebraic) mass.at(row, row) = 1.0;
        for (PetscInt j = std::max<PetscInt>(i - W, 0) * F; !algebraic && j < (std::min(i + W, nodes.last) + 1) * F;
             ++j)
          mass.at(row, static_cast<std::size_t>(j)) = value.derivatives[j - (i - W) * F];
      }
    }
    found = std::move(mass).solve(std::move(right));
  });
  return found;
}

/// A variable is differential when its derivative stands in an equation of its node. Asked of the initial values on as
/// many nodes as are in use.
template <class Pde>
const std::vector<dae::Kind>& System<Pde>::kinds() const {
  if (!kinds_.empty()) return kinds_;
  const auto x = uniform_mesh(about().lower, about().upper, rule().cells);
  const auto y = initial_node_values(pde_, x, unknowns(), rule());
  const WindowPatch nodes{y.data(), nullptr, x.data(), rule().cells};
  std::vector<dae::Kind> found;
  with_layout([&]<int W, Unknowns U>() {
    constexpr int F = entries(n, U);
    using S = core::Dual<(2 * W + 1) * F>;
    const auto make = [&](PetscInt index, int direction) {
      return std::pair(S(nodes.y[index]), S::variable(0.0, direction));
    };
    for (PetscInt i = line().first(); i < line().first() + owned_nodes(); ++i) {
      const auto inner = rows<U>(load<S, n, W, U>(nodes, i, make), t_start());
      for (int f = 0; f < F; ++f) {
        const bool stands = std::ranges::any_of(inner, [&](const S& row) { return row.derivatives[W * F + f] != 0.0; });
        found.push_back(stands ? dae::Kind::differential : dae::Kind::index1);
      }
    }
    found.resize(static_cast<std::size_t>(line().count() * F), dae::Kind::differential);
  });
  return kinds_ = std::move(found);
}

template <class Pde>
auto System<Pde>::unevenness(double t, const Profile& profile) const -> Unevenness {
  const auto u = [&](double index) { return on(profile, index); };
  const auto M = monitor_on(pde_, u, profile.x, rule(), t);
  double sum = 0.0, largest = 0.0;
  for (std::size_t c = 0; c < M.size(); ++c) {
    const double share = M[c] * (profile.x[c + 1] - profile.x[c]);
    sum += share;
    largest = std::max(largest, share);
  }
  return {largest * static_cast<double>(M.size()) / sum, sum};
}

/// As many cells as the initial values ask for.
template <class Pde>
void System<Pde>::choose_number_of_cells() {
  const auto M = monitor_on(
      pde_, [&](double index) { return pde_.initial(index); }, x_start_, rule(), t_start());
  double integral = 0.0;
  for (std::size_t c = 0; c < M.size(); ++c) integral += M[c] * (x_start_[c + 1] - x_start_[c]);
  set_cells(cells_wanted(integral));
  x_start_ = initial_mesh(pde_, about(), rule());
}

template <class Pde>
void System<Pde>::refine_for_the_start() {
  for (int look = 0; look < most_looks; ++look) {
    Profile start{x_start_, std::vector<std::vector<double>>(static_cast<std::size_t>(n))};
    for (const double index : x_start_) {
      const auto u = pde_.initial(index);
      for (std::size_t k = 0; k < u.size(); ++k) start.u[k].push_back(u[k]);
    }
    auto x = nodes_inserted_and_deleted(start);
    const bool settled = x.size() == x_start_.size();
    x_start_ = std::move(x);
    if (settled) return;
  }
}

template <class Pde>
std::vector<double> System<Pde>::laid_out_anew(double t, const Profile& profile) const {
  const auto u = [&](double index) { return on(profile, index); };
  const auto M = monitor_on(pde_, u, profile.x, rule(), t);
  auto x = equal_shares(profile.x, M, static_cast<std::size_t>(rule().cells));
  x = equidistributed(pde_, u, std::move(x), rule(), t);
  return values_on(pde_, u, x, unknowns(), rule(), t);
}

/// df_k/du_x,k is looked at in every cell, and counts where a value is negative and the slope's share is no rounding.
template <class Pde>
std::optional<BackwardDiffusion> System<Pde>::backward_diffusion(double t, const Profile& profile) const {
  using S = core::Dual<n>;
  constexpr double noticeable = 1e-3; ///< of the largest df/du_x
  std::optional<BackwardDiffusion> found;
  double worst = 0.0, largest = 0.0;
  for (std::size_t c = 0; c + 1 < profile.x.size(); ++c) {
    Point<S, n> at;
    const double h = profile.x[c + 1] - profile.x[c];
    at.x = 0.5 * (profile.x[c] + profile.x[c + 1]);
    at.t = t;
    for (int k = 0; k < n; ++k) {
      at.u[k] = 0.5 * (profile.u[k][c] + profile.u[k][c + 1]);
      at.ux[k] = S::variable((profile.u[k][c + 1] - profile.u[k][c]) / h, k);
    }
    const auto f = pde_.flux(at);
    for (int k = 0; k < n; ++k) {
      const double derivative = f[k].derivatives[k], u = std::min(profile.u[k][c], profile.u[k][c + 1]);
      largest = std::max(largest, std::abs(derivative));
      if (!(u < 0.0 && derivative < worst)) continue;
      worst = derivative;
      found = BackwardDiffusion{static_cast<double>(k), t, at.x.value, u, derivative};
    }
  }
  return worst < -noticeable * largest ? found : std::nullopt;
}

template <class Pde>
std::optional<double> System<Pde>::error(double t, const Profile& profile) const {
  if constexpr (requires { pde_.knows_solution(); })
    if (!pde_.knows_solution()) return std::nullopt;
  if constexpr (requires { pde_.exact(0.0, t); }) {
    double largest = 0.0;
    for (std::size_t i = 0; i < profile.x.size(); ++i) {
      const auto exact = pde_.exact(profile.x[i], t);
      for (std::size_t k = 0; k < exact.size(); ++k) largest = std::max(largest, std::abs(profile.u[k][i] - exact[k]));
    }
    return largest;
  } else {
    return std::nullopt;
  }
}

} // namespace rhumb::moving
