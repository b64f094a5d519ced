#include <rhumb/physics/network/pipes.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>

namespace rhumb::network {

using core::check;
using core::Readable;
using core::Writable;
using Type = Unknown::Type;

namespace {
bool has_law(const Unknown& unknown) {
  return unknown.type == Type::segment || unknown.type == Type::machine || unknown.type == Type::boundary;
}
} // namespace

double Pipes::mass_of(const Unknown& unknown) const {
  const double per_pressure =
      settings_.thermal ? 1.0 / network_.fluid.pressure_per_energy() : network_.fluid.density_slope();
  switch (unknown.type) {
  case Type::node:
    return node_volume_[unknown.element] * per_pressure;
  case Type::node_density:
    return node_volume_[unknown.element];
  case Type::account:
  case Type::energy_account:
    return 1.0;
  case Type::volume:
  case Type::volume_density:
  case Type::segment: {
    const Pipe& pipe = network_.pipes[unknown.element];
    const double dx = pipe.length / static_cast<double>(pipe.cells);
    if (unknown.type == Type::segment) return dx / pipe.area();
    return pipe.area() * dx * (unknown.type == Type::volume ? per_pressure : 1.0);
  }
  case Type::machine:
  case Type::boundary:
    return 0.0;
  }
  return 0.0;
}

namespace {
/// A value that changes with time, in the scalar of whoever asks: only the derivative along the solution knows a slope.
template <class S>
S in_scalar(const TimeSeries::Line& line) {
  S value(line.value);
  if constexpr (std::is_same_v<S, core::Dual<1>>) value.derivatives[0] = line.rate;
  return value;
}
} // namespace

template <class S>
S Pipes::law(const Unknown& unknown, double t, std::span<const S> at) const {
  const std::size_t i = unknown.element;
  const Fluid& fluid = network_.fluid;
  const auto from = settings_.thermal ? fluid.state(at[0], at[1]) : fluid.state(at[0]);
  const auto to = settings_.thermal ? fluid.state(at[2], at[3]) : fluid.state(at[1]);
  const S& flow = at.back();
  if (unknown.type == Type::machine)
    return machine_law(fluid, network_.machines[i], controls_.machine(i), in_scalar<S>(controls_.machine_control(i, t)),
                       from, to, flow);
  if (unknown.type == Type::boundary)
    return boundary_law(fluid, network_.boundaries[i], controls_.boundary(i),
                        in_scalar<S>(controls_.boundary_value(i, t)), from, flow);
  const Pipe& pipe = network_.pipes[i];
  const auto cells = static_cast<double>(pipe.cells);
  const double rise = (network_.nodes[pipe.to].height - network_.nodes[pipe.from].height) / cells;
  const S sum = momentum(fluid, settings_.friction, pipe, pipe.length / cells, rise, from, to, flow, S(0.0));
  if (settings_.momentum == Settings::Momentum::friction) return sum;
  return sum + acceleration(pipe, from, to, flow);
}

/// All of F but the derivatives.
double Pipes::value_of_row(const Row& row, double t) const {
  const auto y = gathered_->values();
  if (is_of_energy(row.unknown)) return -energy_balance(row, t);
  switch (row.unknown.type) {
  case Type::node:
  case Type::node_density: {
    double sum = 0.0;
    for (const Flow& flow : flows_of(row.unknown.element)) sum += flow.sign * y[flow.index];
    return -sum;
  }
  case Type::volume:
  case Type::volume_density:
    return y[row.index[1]] - y[row.index[0]];
  case Type::account:
    return -y[row.index[0]];
  default: {
    std::array<double, 5> at{};
    for (std::size_t k = 0; k < columns_of_law(); ++k) at[k] = y[row.index[k]];
    return law<double>(row.unknown, t, std::span(at).first(columns_of_law()));
  }
  }
}

template <int N>
void Pipes::put_law(const Row& row, double t, std::vector<PetscScalar>& values) const {
  const auto y = gathered_->values();
  std::array<core::Dual<N>, N> at;
  for (int k = 0; k < N; ++k) at[k] = core::Dual<N>::variable(y[row.index[k]], k);
  const auto f = law<core::Dual<N>>(row.unknown, t, at);
  std::ranges::copy(f.derivatives, values.begin());
}

void Pipes::residual(double t, Vec y, Vec ydot, Vec residual) {
  gathered_->fetch(y);
  const Readable rate(ydot);
  const Writable f(residual);
  for (std::size_t i = 0; i < rows_.size(); ++i) f[i] = mass_of(rows_[i].unknown) * rate[i] + value_of_row(rows_[i], t);
}

void Pipes::insert_row(Mat matrix, PetscInt global, const Row& row, double t, double alpha) const {
  const auto columns = columns_of(row.unknown);
  std::vector<PetscScalar> values(columns.size(), 0.0);
  const double owned = alpha * mass_of(row.unknown);
  if (is_of_energy(row.unknown)) {
    put_energy_balance(row, t, values);
    (row.unknown.type == Type::energy_account ? values.back() : values.front()) += owned;
  } else if (row.unknown.type == Type::node || row.unknown.type == Type::node_density) {
    const auto flows = flows_of(row.unknown.element);
    values[0] = owned;
    for (std::size_t k = 0; k < flows.size(); ++k) values[k + 1] = -flows[k].sign;
  } else if (row.unknown.type == Type::volume || row.unknown.type == Type::volume_density) {
    values = {-1.0, 1.0, owned};
  } else if (row.unknown.type == Type::account) {
    values = {-1.0, owned};
  } else {
    if (settings_.thermal)
      put_law<5>(row, t, values);
    else
      put_law<3>(row, t, values);
    values.back() += owned;
  }
  // A boundary has its one node twice.
  check(MatSetValues(matrix, 1, &global, static_cast<PetscInt>(columns.size()), columns.data(), values.data(),
                     ADD_VALUES));
}

void Pipes::jacobian(double t, Vec y, Vec, double alpha, Mat jacobian) {
  gathered_->fetch(y);
  check(MatZeroEntries(jacobian));
  for (std::size_t i = 0; i < rows_.size(); ++i)
    insert_row(jacobian, layout_.begin() + static_cast<PetscInt>(i), rows_[i], t, alpha);
  check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

void Pipes::mass_product(double, Vec, Vec, Vec v, Vec product) {
  const Readable in(v);
  const Writable out(product);
  for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = mass_of(rows_[i].unknown) * in[i];
}

void Pipes::hidden_constraint(double t, Vec y, Vec ydot, Vec residual) {
  gathered_->fetch(y);
  rates_->fetch(ydot);
  const auto value = gathered_->values(), rate = rates_->values();
  const Writable f(residual);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    if (!has_law(row.unknown) || equation_kind(static_cast<PetscInt>(i)) != dae::Kind::index2) continue;
    std::array<core::Dual<1>, 5> along;
    for (std::size_t k = 0; k < columns_of_law(); ++k)
      along[k] = core::Dual<1>::variable(value[row.index[k]], 0, rate[row.index[k]]);
    f[i] = law<core::Dual<1>>(row.unknown, t, std::span(along).first(columns_of_law())).derivatives[0];
  }
}

void Pipes::event_values(double t, Vec y, Vec, std::span<double> values) {
  controls_.margins(t, fetch_ends(y), values);
}

dae::AfterEvent Pipes::on_event(double t, std::span<const int> which, Vec y, Vec) {
  controls_.handle(which);
  settle_modes(t, y);
  try {
    controls_.check_bindings();
  } catch (const core::BadInput& failure) {
    throw core::SolverGaveUp(failure.what());
  }
  return dae::AfterEvent::restart;
}

} // namespace rhumb::network
