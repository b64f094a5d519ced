#pragma once
/// How WeakSystem goes over its patches: solution at the points, the kernel, integration against the test functions.

#include <rhumb/pde/fem/weak_system.hpp>
#include <fmt/format.h>

namespace rhumb::fem {

namespace sweeps {
constexpr std::size_t at(PetscInt i) {
  return static_cast<std::size_t>(i);
}
} // namespace sweeps

template <class Derived, int D, int C>
WeakSystem<Derived, D, C>::WeakSystem(grid::Unstructured mesh, std::vector<dae::Field> fields,
                                      const std::vector<int>& orders)
    : mesh_(std::move(mesh)), fields_(std::move(fields)), space_(mesh_, orders), essential_(space_),
      cells_(Patches::cells(space_, default_degree(*std::max_element(orders.begin(), orders.end())))),
      facets_(Patches::facets(space_, default_degree(*std::max_element(orders.begin(), orders.end())))),
      output_(space_), local_(space_.create_local()), values_(sweeps::at(space_.local_count())), rates_(values_.size()),
      along_(values_.size()), node_indices_(sweeps::at(space_.per_cell())) {
  if (fields_.size() != C || orders.size() != C)
    throw std::logic_error("one field and one order per component, please");
  if (mesh_.dimension() != D) throw std::logic_error("a mesh of another dimension");
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::hold(const std::string& boundary, int component, const std::string& formula) {
  const int boundary_index = mesh_.boundary(boundary, "mesh");
  held_.emplace_back("hold", formula, std::string("xyz").substr(0, D) + "t");
  essential_.hold(boundary_index, component, &held_.back());
}

template <class Derived, int D, int C>
core::MatHandle WeakSystem<Derived, D, C>::create_matrix() const {
  core::MatHandle matrix;
  core::check(DMCreateMatrix(space_.dm(), matrix.out()));
  return matrix;
}

template <class Derived, int D, int C>
dae::Kind WeakSystem<Derived, D, C>::variable_kind(PetscInt owned) const {
  const PetscInt local = space_.local(owned);
  if (essential_.holds(local)) return dae::Kind::index1;
  return fields_[space_.component_of(local)].kind;
}

/// Algebraic multigrid where the matrix is large. Small ones are factored by UMFPACK: KLU, made for circuits, matches
/// rows and columns without looking at the diagonal and fills matrices of elements almost completely (0.4 s instead of
/// 5 ms for 1,361 unknowns of order 2).
template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::configure(PC preconditioner, Mat matrix) const {
  PetscInt size = 0;
  core::check(MatGetSize(matrix, &size, nullptr));
  if (C > 1 || size <= dae::small_system) {
    System::configure(preconditioner, matrix);
    if (size <= dae::small_system) core::check(PCFactorSetMatSolverType(preconditioner, MATSOLVERUMFPACK));
    return;
  }
  core::check(PCSetType(preconditioner, PCHYPRE));
  core::check(PCHYPRESetType(preconditioner, "boomeramg"));
}

template <class Derived, int D, int C>
std::string WeakSystem<Derived, D, C>::signature() const {
  std::string orders;
  for (int c = 0; c < C; ++c) orders += fmt::format(" {}", space_.element(c).order());
  return mesh_.describe() + ", elements of order" + orders;
}

template <class Derived, int D, int C>
std::vector<grid::FieldBlock> WeakSystem<Derived, D, C>::fields(double t, Vec y, Vec /*ydot*/) {
  const double* local = load(t, y, nullptr);
  std::vector<grid::FieldBlock> out;
  for (int c = 0; c < C; ++c) out.push_back(output_.field(fields_[c], c, local));
  return out;
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::initial_values(double t, Vec y, Vec ydot) {
  core::check(VecSet(ydot, 0.0));
  essential_.check_agreement(std::array{t, t + 0.37 * (t_end() - t), t_end()});
  essential_.put(t, values_.data(), rates_.data());
  const core::Writable value(y), rate(ydot);
  for (PetscInt owned = 0; owned < space_.owned_count(); ++owned) {
    const PetscInt local = space_.local(owned);
    const bool held = essential_.holds(local);
    value[owned] = held ? values_[local] : derived().initial(space_.component_of(local), space_.position(local));
    if (held) rate[owned] = rates_[local];
  }
}

template <class Derived, int D, int C>
const double* WeakSystem<Derived, D, C>::load(double t, Vec y, Vec ydot) {
  const auto copy = [&](Vec from, std::vector<double>& to) {
    space_.to_local(from, local_);
    const core::Readable local(local_);
    std::copy(local.begin(), local.end(), to.begin());
  };
  copy(y, values_);
  if (ydot) copy(ydot, rates_);
  essential_.put(t, values_.data(), ydot ? rates_.data() : nullptr);
  return values_.data();
}

/// Values and gradients of the components at a point, from a local array.
template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::gather(const Patch& patch, PetscInt q, const double* local, Values& u) const {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const PetscInt* closure = space_.closure(patch.cell);
  for (int c = 0; c < C; ++c) {
    const PetscInt n = space_.element(c).size();
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space_.offset(c);
    std::array<double, 1 + D> sums{};
    for (PetscInt b = 0; b < n; ++b) {
      const double value = local[unknowns[b]];
      for (PetscInt a = 0; a <= D; ++a) sums[a] += basis[a * n + b] * value;
    }
    u.value[c] = sums[0];
    for (std::size_t i = 0; i < D; ++i) {
      double derivative = 0.0;
      for (std::size_t k = 0; k < D; ++k) derivative += sums[1 + k] * inverse[k * D + i];
      u.gradient[c][i] = derivative;
    }
  }
}

template <class Derived, int D, int C>
auto WeakSystem<Derived, D, C>::at_point(const Patch& patch, PetscInt q, const double* values,
                                         const double* rates) const -> Values {
  Values u;
  gather(patch, q, values, u);
  if (!rates) return u;
  const PetscInt* closure = space_.closure(patch.cell);
  for (int c = 0; c < C; ++c) {
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space_.offset(c);
    for (PetscInt b = 0; b < space_.element(c).size(); ++b) u.rate[c] += basis[b] * rates[unknowns[b]];
  }
  return u;
}

template <class Derived, int D, int C>
QuadraturePoint WeakSystem<Derived, D, C>::point(const Patch& patch, PetscInt q, double t) const {
  return {.x = patch.positions[q],
          .t = t,
          .region = mesh_.region_of(patch.cell),
          .boundary = patch.boundary,
          .normal = patch.normals ? patch.normals[q] : Position{},
          .index = patch.first + q};
}

template <class Derived, int D, int C>
template <class S>
Terms<S, D, C> WeakSystem<Derived, D, C>::terms(const State<S, D, C>& u, const QuadraturePoint& p) const {
  if constexpr (requires { derived().template facet<S>(u, p); }) {
    if (p.boundary >= 0) return derived().template facet<S>(u, p);
  }
  return derived().template cell<S>(u, p);
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
  over(cells_);
  constexpr bool has_facets = requires(State<double, D, C> u, QuadraturePoint p) {
    derived().template facet<double>(u, p);
  };
  if constexpr (has_facets) over(facets_);
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::test(const Patch& patch, PetscInt q, const Terms<double, D, C>& terms,
                                     double* out) const {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const double weight = patch.weights[q];
  const PetscInt* closure = space_.closure(patch.cell);
  for (int c = 0; c < C; ++c) {
    std::array<double, 1 + D> f{weight * terms.source[c]};
    for (std::size_t k = 0; k < D; ++k)
      for (std::size_t i = 0; i < D; ++i) f[1 + k] += weight * terms.flux[c][i] * inverse[k * D + i];
    const PetscInt n = space_.element(c).size();
    const double* basis = patch.basis->functions(c, q);
    const PetscInt* unknowns = closure + space_.offset(c);
    for (PetscInt b = 0; b < n; ++b) {
      double sum = 0.0;
      for (PetscInt a = 0; a <= D; ++a) sum += basis[a * n + b] * f[a];
      out[unknowns[b]] += sum;
    }
  }
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::prepare_for(core::Need need, double t) {
  need_ = need;
  static_cast<Derived&>(*this).prepare(t, values_.data());
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::assemble(double t, double* out) {
  prepare_for(core::Need::values, t);
  for_each_point(t, [&](const Patch& patch, PetscInt q, const QuadraturePoint& p) {
    test(patch, q, terms<double>(at_point(patch, q, values_.data(), rates_.data()), p), out);
  });
}

/// After a failure here the other ranks must not be left waiting in the sum.
template <class Derived, int D, int C>
template <class Body>
void WeakSystem<Derived, D, C>::integrate(Body&& body, Vec out) {
  std::exception_ptr failure;
  core::check(VecSet(local_, 0.0));
  try {
    const core::Writable sums(local_);
    body(sums.begin());
  } catch (...) {
    failure = std::current_exception();
  }
  space_.sum_up(local_, out);
  if (failure) std::rethrow_exception(failure);
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::natural_residual(double t, Vec y, Vec ydot, Vec out) {
  load(t, y, ydot);
  integrate([&](double* sums) { assemble(t, sums); }, out);
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::residual(double t, Vec y, Vec ydot, Vec residual) {
  natural_residual(t, y, ydot, residual);
  const core::Readable value(y);
  const core::Writable out(residual);
  for (const auto& entry : essential_.entries())
    if (entry.owned >= 0) out[entry.owned] = value[entry.owned] - essential_.value(entry);
}

/// Derivatives by the rates, along `along_`.
template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::assemble_mass(double t, double* sums) {
  prepare_for(core::Need::values, t); // only the rates are differentiated
  for_each_point(t, [&](const Patch& patch, PetscInt q, const QuadraturePoint& p) {
    const Values plain = at_point(patch, q, values_.data(), rates_.data());
    Values direction;
    gather(patch, q, along_.data(), direction);
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
    test(patch, q, derivative, sums);
  });
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) {
  load(t, y, ydot);
  space_.to_local(v, local_);
  {
    const core::Readable local(local_);
    std::copy(local.begin(), local.end(), along_.begin());
  }
  essential_.put_zero(along_.data());
  integrate([&](double* sums) { assemble_mass(t, sums); }, product);
  const core::Writable out(product);
  for (const auto& entry : essential_.entries())
    if (entry.owned >= 0) out[entry.owned] = 0.0;
}

/// Adds B^T D B of one point: D holds the derivatives of (source, flux) by (value, gradient), in the directions of the
/// reference cell.
template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::add_point(const Patch& patch, PetscInt q, const Terms<Jet, D, C>& f,
                                          std::vector<double>& matrix) const {
  const double* inverse = patch.inverses + q * patch.inverse_stride;
  const double weight = patch.weights[q];
  const PetscInt width = space_.per_cell();
  for (int c = 0; c < C; ++c) {
    for (int e = 0; e < C; ++e) {
      // Slopes of component e's value stand at e, those of its gradient at C + e D + i.
      const auto derivative_of = [&](const Jet& of, std::size_t b) {
        return b == 0 ? of.derivatives[e] : of.derivatives[static_cast<std::size_t>(C + e * D) + b - 1];
      };
      std::array<std::array<double, 1 + D>, 1 + D> plain{}, d{};
      bool any = false;
      for (std::size_t b = 0; b <= D; ++b) {
        plain[0][b] = derivative_of(f.source[c], b);
        for (std::size_t i = 0; i < D; ++i) plain[1 + i][b] = derivative_of(f.flux[c][i], b);
        for (std::size_t a = 0; a <= D; ++a) any = any || plain[a][b] != 0.0;
      }
      if (!any) continue;
      // Into the reference cell: rows by dxi_k/dx_i, columns by dxi_l/dx_j.
      std::array<std::array<double, 1 + D>, 1 + D> rows{};
      rows[0] = plain[0];
      for (std::size_t k = 0; k < D; ++k)
        for (std::size_t i = 0; i < D; ++i)
          for (std::size_t b = 0; b <= D; ++b) rows[1 + k][b] += inverse[k * D + i] * plain[1 + i][b];
      for (std::size_t a = 0; a <= D; ++a) {
        d[a][0] = weight * rows[a][0];
        for (std::size_t l = 0; l < D; ++l)
          for (std::size_t j = 0; j < D; ++j) d[a][1 + l] += weight * inverse[l * D + j] * rows[a][1 + j];
      }
      const PetscInt n = space_.element(c).size(), m = space_.element(e).size();
      const double *left = patch.basis->functions(c, q), *right = patch.basis->functions(e, q);
      tested_.assign(sweeps::at((1 + D) * m), 0.0);
      for (PetscInt a = 0; a <= D; ++a)
        for (PetscInt b = 0; b <= D; ++b) {
          const double factor = d[a][b];
          if (factor == 0.0) continue;
          for (PetscInt j = 0; j < m; ++j) tested_[a * m + j] += factor * right[b * m + j];
        }
      for (PetscInt i = 0; i < n; ++i) {
        double* row = matrix.data() + (space_.offset(c) + i) * width + space_.offset(e);
        for (PetscInt a = 0; a <= D; ++a) {
          const double factor = left[a * n + i];
          const double* from = tested_.data() + a * m;
          for (PetscInt j = 0; j < m; ++j) row[j] += factor * from[j];
        }
      }
    }
  }
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::element_matrix(double t, const Patch& patch, double alpha,
                                               std::vector<double>& matrix) const {
  matrix.assign(sweeps::at(space_.per_cell() * space_.per_cell()), 0.0);
  for (PetscInt q = 0; q < patch.basis->points(); ++q) {
    const Values plain = at_point(patch, q, values_.data(), rates_.data());
    State<Jet, D, C> u;
    for (int c = 0; c < C; ++c) {
      const std::size_t k = sweeps::at(c);
      u.value[k] = Jet::variable(plain.value[k], c);
      u.rate[k] = Jet::variable(plain.rate[k], c, alpha);
      for (int i = 0; i < D; ++i) u.gradient[k][i] = Jet::variable(plain.gradient[k][i], C + c * D + i);
    }
    add_point(patch, q, terms<Jet>(u, point(patch, q, t)), matrix);
  }
}

template <class Derived, int D, int C>
void WeakSystem<Derived, D, C>::jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) {
  load(t, y, ydot);
  core::check(MatZeroEntries(jacobian));
  std::exception_ptr failure;
  try {
    prepare_for(core::Need::derivatives, t);
    const PetscInt width = space_.per_cell();
    const auto over = [&](const Patches& patches) {
      for (PetscInt i = 0; i < patches.size(); ++i) {
        const Patch patch = patches[i];
        element_matrix(t, patch, alpha, matrix_);
        const PetscInt* closure = space_.closure(patch.cell);
        for (PetscInt j = 0; j < width; ++j)
          node_indices_[j] = essential_.holds(closure[j]) ? -1 : closure[j]; // PETSc leaves these out
        core::check(MatSetValuesLocal(jacobian, width, node_indices_.data(), width, node_indices_.data(),
                                      matrix_.data(), ADD_VALUES));
      }
    };
    over(cells_);
    constexpr bool has_facets = requires(State<double, D, C> u, QuadraturePoint p) {
      derived().template facet<double>(u, p);
    };
    if constexpr (has_facets) over(facets_);
    for (const auto& entry : essential_.entries())
      if (entry.owned >= 0) core::check(MatSetValueLocal(jacobian, entry.local, entry.local, 1.0, ADD_VALUES));
  } catch (...) {
    failure = std::current_exception();
  }
  core::check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
  if (failure) std::rethrow_exception(failure);
}

} // namespace rhumb::fem
