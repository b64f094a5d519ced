#pragma once
/// A case's equations as the kernels of pde/moving and pde/moving_box want them.

#include <rhumb/pde/moving/pde.hpp>
#include <rhumb/pde/moving_box/pde.hpp>
#include <rhumb/pde/text/moving_equations.hpp>
#include <algorithm>
#include <memory>

namespace rhumb::text {

/// On a line, with n fields.
template <int n>
struct LinePde {
  static constexpr int components = n;
  template <class S>
  using Values = std::array<S, static_cast<std::size_t>(n)>;
  static constexpr std::size_t left_side = 0, right_side = 1;

  std::shared_ptr<const MovingEquations> equations;

  template <class S>
  using Row = std::array<S, row_size(1, n)>;
  template <class S>
  static Row<S> row(const moving::Point<S, n>& at) {
    Row<S> all;
    auto* next = all.data();
    *next++ = at.x;
    for (const auto* group : {&at.u, &at.ux, &at.ut}) next = std::copy(group->begin(), group->end(), next);
    return all;
  }

  template <class S>
  Values<S> flux(const moving::Point<S, n>& at) const {
    Values<S> f;
    equations->flux(std::span<const S>(row(at)), at.t, f.data());
    return f;
  }
  template <class S>
  Values<S> balance(const moving::Point<S, n>& at) const {
    Values<S> b;
    equations->source(std::span<const S>(row(at)), at.t, b.data());
    return b;
  }
  template <class S>
  moving::End<S, n> left(const moving::Point<S, n>& at) const {
    return end(at, left_side);
  }
  template <class S>
  moving::End<S, n> right(const moving::Point<S, n>& at) const {
    return end(at, right_side);
  }
  Values<double> initial(double x) const {
    Row<double> position{};
    position[0] = x;
    Values<double> u;
    equations->initial(std::span<const double>(position), u.data());
    return u;
  }
  template <class S>
  S monitor(const moving::Point<S, n>& at) const {
    return equations->monitor(std::span<const S>(row(at)), at.t);
  }

private:
  /// Given values, or the flux that makes what is said flow out.
  template <class S>
  moving::End<S, n> end(const moving::Point<S, n>& at, std::size_t side) const {
    const auto all = row(at);
    const std::span<const S> inputs(all);
    moving::End<S, n> found;
    equations->outflow(side, inputs, at.t, found.p.data());
    for (std::size_t f = 0; f < found.p.size(); ++f) {
      const bool given = equations->is_given(f, side);
      found.q[f] = given ? 0.0 : 1.0;
      if (given)
        found.p[f] = at.u[f] - equations->given(f, side, inputs, at.t);
      else if (side == left_side)
        found.p[f] = -found.p[f];
    }
    return found;
  }
};

/// In the plane, with n fields.
template <int n>
struct PlanePde {
  static constexpr int directions = 2, components = n;
  template <class S>
  using Values = moving_box::Array<S, n>;
  template <class S>
  using Position = moving_box::Array<S, 2>;
  template <class S>
  using At = moving_box::Point<S, 2, n>;

  std::shared_ptr<const MovingEquations> equations;

  template <class S>
  using Row = std::array<S, row_size(2, n)>;
  template <class S>
  static Row<S> row(const At<S>& at) {
    constexpr auto fields = static_cast<std::size_t>(n);
    Row<S> all;
    std::copy(at.x.begin(), at.x.end(), all.begin());
    for (std::size_t f = 0; f < fields; ++f) {
      all[2 + f] = at.u[f];
      for (std::size_t d = 0; d < 2; ++d) all[2 + (1 + d) * fields + f] = at.grad[f][d];
      all[2 + 3 * fields + f] = at.ut[f];
    }
    return all;
  }
  template <class S>
  static Row<S> row(const Position<S>& x) {
    Row<S> all{};
    std::copy(x.begin(), x.end(), all.begin());
    return all;
  }

  template <class S>
  moving_box::Terms<S, 2, n> terms(const At<S>& at) const {
    const auto all = row(at);
    const std::span<const S> inputs(all);
    moving_box::Terms<S, 2, n> found;
    std::array<S, static_cast<std::size_t>(2 * n)> flux;
    equations->source(inputs, at.t, found.source.data());
    equations->flux(inputs, at.t, flux.data());
    for (std::size_t f = 0; f < found.flux.size(); ++f)
      for (std::size_t d = 0; d < 2; ++d) found.flux[f][d] = flux[d * found.flux.size() + f];
    return found;
  }
  template <class S>
  Values<S> initial(const Position<S>& x) const {
    Values<S> u;
    equations->initial(std::span<const S>(row(x)), u.data());
    return u;
  }
  bool holds(int component, const std::string& side) const {
    return equations->is_given(static_cast<std::size_t>(component), equations->side(side));
  }
  template <class S>
  S value(int component, const Position<S>& x, double t, const std::string& side) const {
    return equations->given(static_cast<std::size_t>(component), equations->side(side), std::span<const S>(row(x)), t);
  }
  template <class S>
  Values<S> outflow(const At<S>& at, const std::string& side) const {
    Values<S> out;
    equations->outflow(equations->side(side), std::span<const S>(row(at)), at.t, out.data());
    return out;
  }
  template <class S>
  S monitor(const At<S>& at) const {
    return equations->monitor(std::span<const S>(row(at)), at.t);
  }
};

} // namespace rhumb::text
