#include <rhumb/physics/network/pipes.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>

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
  const double derivative = network_.fluid.density_slope();
  switch (unknown.type) {
  case Type::node:
    return node_volume_[unknown.element] * derivative;
  case Type::account:
    return 1.0;
  case Type::volume:
  case Type::segment: {
    const Pipe& pipe = network_.pipes[unknown.element];
    const double dx = pipe.length / static_cast<double>(pipe.cells);
    return unknown.type == Type::volume ? pipe.area() * dx * derivative : dx / pipe.area();
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
S Pipes::law(const Unknown& unknown, double t, const S& from, const S& to, const S& flow) const {
  const std::size_t i = unknown.element;
  if (unknown.type == Type::machine)
    return machine_law(network_.fluid, network_.machines[i], controls_.machine(i),
                       in_scalar<S>(controls_.machine_control(i, t)), from, to, flow);
  if (unknown.type == Type::boundary)
    return boundary_law(network_.fluid, network_.boundaries[i], controls_.boundary(i),
                        in_scalar<S>(controls_.boundary_value(i, t)), from, flow);
  const Pipe& pipe = network_.pipes[i];
  const auto cells = static_cast<double>(pipe.cells);
  const double rise = (network_.nodes[pipe.to].height - network_.nodes[pipe.from].height) / cells;
  const S sum = momentum(network_.fluid, settings_.friction, pipe, pipe.length / cells, rise, from, to, flow, S(0.0));
  if (settings_.momentum == Settings::Momentum::friction) return sum;
  return sum + acceleration(network_.fluid, pipe, from, to, flow);
}

/// All of F but the derivatives.
double Pipes::value_of_row(const Row& row, double t) const {
  const auto y = gathered_->values();
  const auto [first, second, third] = row.index;
  switch (row.unknown.type) {
  case Type::node: {
    double sum = 0.0;
    for (const Flow& flow : flows_of(row.unknown.element)) sum += flow.sign * y[flow.index];
    return -sum;
  }
  case Type::volume:
    return y[second] - y[first];
  case Type::account:
    return -y[first];
  default:
    return law(row.unknown, t, y[first], y[second], y[third]);
  }
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
  if (row.unknown.type == Type::node) {
    const auto flows = flows_of(row.unknown.element);
    values[0] = owned;
    for (std::size_t k = 0; k < flows.size(); ++k) values[k + 1] = -flows[k].sign;
  } else if (row.unknown.type == Type::volume) {
    values = {-1.0, 1.0, owned};
  } else if (row.unknown.type == Type::account) {
    values = {-1.0, owned};
  } else {
    const auto y = gathered_->values();
    const auto variable = [&](int k) { return Derivatives::variable(y[row.index[k]], k); };
    const Derivatives f = law(row.unknown, t, variable(0), variable(1), variable(2));
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = f.derivatives[k];
    values[2] += owned;
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
    const auto along = [&](std::size_t k) {
      return core::Dual<1>::variable(value[row.index[k]], 0, rate[row.index[k]]);
    };
    f[i] = law(row.unknown, t, along(0), along(1), along(2)).derivatives[0];
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
