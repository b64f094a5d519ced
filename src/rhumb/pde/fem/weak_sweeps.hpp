#pragma once
/// How WeakSystem goes over its patches: solution at the points, the kernel, integration against the test functions.

#include <rhumb/pde/fem/weak_system.hpp>

namespace rhumb::fem {

template <class Derived, int D, int C>
WeakSystem<Derived, D, C>::WeakSystem(grid::Unstructured mesh, std::vector<dae::Field> fields,
                                      const std::vector<int>& orders)
    : WeakForm(std::move(mesh), std::move(fields), orders) {
  if (space().components() != C)
    throw std::logic_error("a WeakSystem needs as many fields and orders as it has components");
  if (grid_mesh().dimension() != D) throw std::logic_error("the mesh has another dimension than the WeakSystem");
}

/// Values and gradients of the components at a point, from a local array.
template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::gather_state(const Patch& patch, PetscInt q, const double* local, Values& u) const {
  gather<D>(space(), patch, q, local, C, [&](int c, int a, double value) {
    if (a == 0)
      u.value[c] = value;
    else
      u.gradient[c][static_cast<std::size_t>(a) - 1] = value;
  });
}

template <class Derived, int D, int C>
auto WeakSystem<Derived, D, C>::at_point(const Patch& patch, PetscInt q, const double* values,
                                         const double* rates) const -> Values {
  Values u;
  gather_state(patch, q, values, u);
  if (rates) gather_values(space(), patch, q, rates, C, [&](int c, double rate) { u.rate[c] = rate; });
  return u;
}

template <class Derived, int D, int C>
QuadraturePoint WeakSystem<Derived, D, C>::point(const Patch& patch, PetscInt q, double t) const {
  return {.x = patch.positions[q],
          .t = t,
          .region = grid_mesh().region_of(patch.cell),
          .boundary = patch.boundary,
          .normal = patch.normals ? patch.normals[q] : Position{},
          .index = patch.first + q};
}

/// Whether there are terms on boundaries. A `facet` of another shape is not passed over in silence.
template <class Derived, int D, int C>
constexpr bool WeakSystem<Derived, D, C>::has_facets() {
  constexpr bool callable = requires(const Derived& self, State<double, D, C> u, QuadraturePoint p) {
    self.template facet<double>(u, p);
  };
  if constexpr (requires { &Derived::template facet<double>; })
    static_assert(callable,
                  "WeakSystem<Self, D, C> calls facet<S>(const State<S, D, C>&, const QuadraturePoint&): this "
                  "one has other arguments");
  return callable;
}

template <class Derived, int D, int C>
template <class S>
Terms<S, D, C> WeakSystem<Derived, D, C>::terms(const State<S, D, C>& u, const QuadraturePoint& p) const {
  constexpr bool callable = requires {
    derived().template cell<S>(u, p);
  };
  static_assert(
      callable || !std::is_same_v<S, double>,
      "WeakSystem<Self, D, C> calls cell<S>(const State<S, D, C>&, const QuadraturePoint&): no such function");
  if constexpr (has_facets()) {
    if (p.boundary >= 0) return derived().template facet<S>(u, p);
  }
  if constexpr (callable) return derived().template cell<S>(u, p);
}

template <class Derived, int D, int C>
template <class Body>
void WeakSystem<Derived, D, C>::for_each_point(double t, Body&& body) const {
  const auto over = [&](const Patches& patches) {
    for (PetscInt i = 0; i < patches.size(); ++i) {
      const Patch patch = patches[i];
      for (PetscInt q = 0; q < patch.basis->points(); ++q) body(patch, q, point(patch, q, t));
    }
  };
  over(cells());
  if constexpr (has_facets()) over(facets());
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::test(const Patch& patch, PetscInt q, const Terms<double, D, C>& terms,
                                     double* out) const {
  test_point<D>(
      space(), patch, q, C,
      [&](int c, int a) { return a == 0 ? terms.source[c] : terms.flux[c][static_cast<std::size_t>(a) - 1]; }, out);
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::prepare_for(core::Need need, double t) {
  need_ = need;
  static_cast<Derived&>(*this).prepare(t, values());
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::assemble(double t, double* out) {
  prepare_for(core::Need::values, t);
  for_each_point(t, [&](const Patch& patch, PetscInt q, const QuadraturePoint& p) {
    test(patch, q, terms<double>(at_point(patch, q, values(), rates()), p), out);
  });
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::assemble_mass(double t, double* out) {
  prepare_for(core::Need::values, t); // only the rates are differentiated
  for_each_point(t, [&](const Patch& patch, PetscInt q, const QuadraturePoint& p) {
    const Values plain = at_point(patch, q, values(), rates());
    Values direction;
    gather_state(patch, q, along(), direction);
    State<core::Dual<1>, D, C> u;
    for (std::size_t c = 0; c < C; ++c) {
      u.value[c] = plain.value[c];
      u.rate[c] = core::Dual<1>::variable(plain.rate[c], 0, direction.value[c]);
      for (std::size_t i = 0; i < D; ++i) u.gradient[c][i] = plain.gradient[c][i];
    }
    const auto f = terms<core::Dual<1>>(u, p);
    Terms<double, D, C> derivative;
    for (std::size_t c = 0; c < C; ++c) {
      derivative.source[c] = f.source[c].derivatives[0];
      for (std::size_t i = 0; i < D; ++i) derivative.flux[c][i] = f.flux[c][i].derivatives[0];
    }
    test(patch, q, derivative, out);
  });
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::element_matrix(double t, const Patch& patch, double alpha,
                                               std::vector<double>& matrix) const {
  matrix.assign(static_cast<std::size_t>(space().per_cell() * space().per_cell()), 0.0);
  for (PetscInt q = 0; q < patch.basis->points(); ++q) {
    const Values plain = at_point(patch, q, values(), rates());
    State<Jet, D, C> u;
    for (int c = 0; c < C; ++c) {
      const auto k = static_cast<std::size_t>(c);
      u.value[k] = Jet::variable(plain.value[k], c);
      u.rate[k] = Jet::variable(plain.rate[k], c, alpha);
      for (int i = 0; i < D; ++i) u.gradient[k][i] = Jet::variable(plain.gradient[k][i], C + c * D + i);
    }
    const auto f = terms<Jet>(u, point(patch, q, t));
    add_point<D>(
        space(), patch, q, C,
        [&](int c, int a, int e, int b) { // derivatives by e's value stand at e, by its gradient at C + e D + i
          const Jet& of = a == 0 ? f.source[c] : f.flux[c][static_cast<std::size_t>(a) - 1];
          return of.derivatives[static_cast<std::size_t>(b == 0 ? e : C + e * D + b - 1)];
        },
        tested_, matrix);
  }
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::assemble_matrix(double t, double alpha, Mat jacobian) {
  prepare_for(core::Need::derivatives, t);
  const auto over = [&](const Patches& patches) {
    for (PetscInt i = 0; i < patches.size(); ++i) {
      element_matrix(t, patches[i], alpha, matrix_);
      add_element(patches[i], matrix_, jacobian);
    }
  };
  over(cells());
  if constexpr (has_facets()) over(facets());
}

} // namespace rhumb::fem
