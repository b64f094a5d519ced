#include <rhumb/physics/mechanics/mechanism.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/dae/given_parameters.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::mechanics {

using dae::Kind;

namespace {
constexpr double baumgarte_rates_per_run = 20.0; // what is off a constraint is gone long before the end
} // namespace

Mechanism::Mechanism(MPI_Comm comm, Assembly assembly, const core::Options& options)
    : RootProblem(comm, assembly.name),
      form_(form_named(options.choice("form", "stabilized", form_names, {"which constraints stand in the equations"}))),
      baumgarte_rate_(0.0), assembly_(std::move(assembly)) {
  baumgarte_rate_ = baumgarte_rates_per_run / assembly_.t_end;
  if (form_ == Form::baumgarte)
    parameters_.bind(options, "baumgarte_rate", baumgarte_rate_,
                     {"how fast the baumgarte form damps what is off a constraint", "1/time"}, core::Range::positive());
  for (const auto& [parameter, set] : assembly_.parameters) parameters_.add(parameter, set);
  dae::take_given_values(parameters_, options);
  lay_out();
  close_contacts_at_start();
  name_fields();
}

void Mechanism::lay_out() {
  at_.n = assembly_.coordinates.size();
  for (const Part& part : assembly_.parts) {
    first_multiplier_.push_back(at_.m);
    at_.m += part.element->constraints();
  }
  open_.assign(at_.m, 0);
  impacts_.assign(assembly_.contacts.size(), 0.0);
  at_.v = at_.n;
  at_.a = at_.lambda = 2 * at_.n;
  if (has_accelerations(form_)) at_.lambda += at_.n;
  at_.mu = at_.lambda + at_.m;
  at_.tau = at_.mu + (has_mu(form_) ? at_.m : 0);
  at_.size = at_.tau + (has_tau(form_) ? at_.m : 0);
}

void Mechanism::name_fields() {
  const Kind held = has_accelerations(form_) ? Kind::index1 : form_ == Form::index3 ? Kind::index3 : Kind::index2;
  std::vector<dae::Field> fields;
  const auto add_coordinates = [&](const std::string& prefix, const std::string& per, Kind kind) {
    for (const auto& [name, unit] : assembly_.coordinates)
      fields.push_back({.name = prefix + name, .unit = unit.empty() || per.empty() ? unit : unit + per, .kind = kind});
  };
  const auto add_multipliers = [&](const std::string& prefix, Kind kind) {
    for (std::size_t k = 0; k < at_.m; ++k)
      fields.push_back(
          {.name = prefix + (k < assembly_.multipliers.size() ? assembly_.multipliers[k] : std::to_string(k + 1)),
           .kind = is_open(k) ? Kind::index1 : kind});
  };
  add_coordinates("", "", Kind::differential);
  add_coordinates("v_", "/s", Kind::differential);
  if (has_accelerations(form_)) add_coordinates("a_", "/s2", Kind::index1);
  add_multipliers("lambda_", held);
  if (has_mu(form_)) add_multipliers("mu_", Kind::index2);
  if (has_tau(form_)) add_multipliers("tau_", Kind::index2);
  set_fields(std::move(fields));
}

/// Of the invariants form accelerations are left out: they see every error of positions times the stiffness.
dae::Preferences Mechanism::preferences() const {
  return {.error_test = form_ == Form::index3 ? "projected" : form_ == Form::invariants ? "exclude" : "automatic"};
}

dae::Offers Mechanism::offers() const {
  const bool hidden = form_ == Form::index2 || has_mu(form_);
  return {.jacobian = true, .mass_product = true, .hidden_constraint = hidden && at_.m > 0};
}

Kind Mechanism::equation_kind(PetscInt local) const {
  return variable_kind(local);
}

template <class T>
LocalState<T> Mechanism::local_state(std::size_t p, double t, Values y, Values ydot) const {
  const Part& part = assembly_.parts[p];
  LocalState<T> out;
  out.t = T(t);
  for (const std::size_t i : part.coordinates) {
    out.q.push_back(T(y[i]));
    out.v.push_back(T(y[at_.v + i]));
    out.a.push_back(T(has_accelerations(form_) ? y[at_.a + i] : ydot[at_.v + i]));
  }
  for (std::size_t k = 0; k < part.element->constraints(); ++k) {
    const std::size_t row = first_multiplier_[p] + k;
    out.lambda.push_back(T(y[at_.lambda + row]));
    if (has_mu(form_)) out.mu.push_back(T(y[at_.mu + row]));
    if (has_tau(form_)) out.tau.push_back(T(y[at_.tau + row]));
  }
  return out;
}

/// The row that determines lambda.
template <class T>
T Mechanism::constraint_row(const LocalRows<T>& rows, std::size_t k) const {
  switch (form_) {
  case Form::index3:
    return rows.position[k];
  case Form::index2:
  case Form::stabilized:
    return rows.velocity[k];
  case Form::index1:
  case Form::invariants:
    return rows.acceleration[k];
  case Form::baumgarte:
    break;
  }
  return rows.acceleration[k] + 2.0 * baumgarte_rate_ * rows.velocity[k] +
         baumgarte_rate_ * baumgarte_rate_ * rows.position[k];
}

/// Calls add(row, value) for what a part adds to the equations; an open contact adds lambda = 0.
template <class T, class Add>
void Mechanism::add_rows(std::size_t p, const LocalState<T>& state, const Add& add) const {
  const Part& part = assembly_.parts[p];
  const LocalRows<T> rows = part.element->rows(state);
  const std::size_t dynamics = has_accelerations(form_) ? at_.a : at_.v;
  const bool held = part.element->constraints() > 0;
  for (std::size_t i = 0; i < part.coordinates.size(); ++i) {
    add(dynamics + part.coordinates[i], rows.dynamics[i]);
    if (held && has_mu(form_)) add(part.coordinates[i], -rows.position_push[i]);
    if (held && has_tau(form_)) add(at_.v + part.coordinates[i], -rows.velocity_push[i]);
  }
  for (std::size_t k = 0; k < part.element->constraints(); ++k) {
    const std::size_t row = first_multiplier_[p] + k;
    const bool open = is_open(row);
    add(at_.lambda + row, open ? state.lambda[k] : constraint_row(rows, k));
    if (has_mu(form_)) add(at_.mu + row, open ? state.mu[k] : rows.position[k]);
    if (has_tau(form_)) add(at_.tau + row, open ? state.tau[k] : rows.velocity[k]);
  }
}

void Mechanism::evaluate(double t, Values y, Values ydot, std::span<double> f) const {
  std::ranges::fill(f, 0.0);
  for (std::size_t i = 0; i < at_.n; ++i) {
    f[i] = ydot[i] - y[at_.v + i];
    if (has_accelerations(form_)) f[at_.v + i] = ydot[at_.v + i] - y[at_.a + i];
  }
  for (std::size_t p = 0; p < assembly_.parts.size(); ++p)
    add_rows(p, local_state<double>(p, t, y, ydot), [&](std::size_t row, double value) { f[row] += value; });
}

void Mechanism::linearise(double t, Values y, Values ydot, dae::SparseLinearisation& at) const {
  for (std::size_t i = 0; i < at_.n; ++i) {
    at.add_rate(i, i, 1.0);
    at.add(i, at_.v + i, -1.0);
    if (!has_accelerations(form_)) continue;
    at.add_rate(at_.v + i, at_.v + i, 1.0);
    at.add(at_.v + i, at_.a + i, -1.0);
  }
  for (std::size_t p = 0; p < assembly_.parts.size(); ++p) linearise_part(p, t, y, ydot, at);
}

/// The unknowns of a part in the order of LocalState; accelerations may stand for the rates of velocities.
std::vector<std::size_t> Mechanism::unknowns_of(std::size_t p) const {
  const Part& part = assembly_.parts[p];
  std::vector<std::size_t> out;
  for (const std::size_t block : {std::size_t{0}, at_.v, has_accelerations(form_) ? at_.a : at_.v})
    for (const std::size_t i : part.coordinates) out.push_back(block + i);
  std::vector<std::size_t> blocks{at_.lambda};
  if (has_mu(form_)) blocks.push_back(at_.mu);
  if (has_tau(form_)) blocks.push_back(at_.tau);
  for (const std::size_t block : blocks)
    for (std::size_t k = 0; k < part.element->constraints(); ++k) out.push_back(block + first_multiplier_[p] + k);
  return out;
}

void Mechanism::linearise_part(std::size_t p, double t, Values y, Values ydot, dae::SparseLinearisation& at) const {
  const auto unknowns = unknowns_of(p);
  const std::size_t n = assembly_.parts[p].coordinates.size();
  for (std::size_t first = 0; first < unknowns.size(); first += directions) {
    auto state = local_state<Scalar>(p, t, y, ydot);
    std::vector<Scalar*> variables;
    for (auto* block : {&state.q, &state.v, &state.a, &state.lambda, &state.mu, &state.tau})
      for (Scalar& variable : *block) variables.push_back(&variable);
    const std::size_t end = std::min(first + directions, unknowns.size());
    for (std::size_t j = first; j < end; ++j) variables[j]->derivatives[j - first] = 1.0;
    add_rows(p, state, [&](std::size_t row, const Scalar& value) {
      for (std::size_t j = first; j < end; ++j) {
        const bool rate = j >= 2 * n && j < 3 * n && !has_accelerations(form_);
        const double derivative = value.derivatives[j - first];
        at.add(row, unknowns[j], rate ? 0.0 : derivative, rate ? derivative : 0.0);
      }
    });
  }
}

void Mechanism::hidden(double t, Values y, Values ydot, std::span<double> f) const {
  for (std::size_t p = 0; p < assembly_.parts.size(); ++p) {
    const Part& part = assembly_.parts[p];
    if (part.element->constraints() == 0) continue;
    std::vector<double> qdot, vdot;
    for (const std::size_t i : part.coordinates) {
      qdot.push_back(ydot[i]);
      vdot.push_back(ydot[at_.v + i]);
    }
    const auto rates = part.element->hidden(local_state<double>(p, t, y, ydot), qdot, vdot);
    for (std::size_t k = 0; k < part.element->constraints(); ++k) {
      const std::size_t row = first_multiplier_[p] + k;
      if (!has_accelerations(form_)) f[at_.lambda + row] = rates.of_velocity[k];
      if (has_mu(form_)) f[at_.mu + row] = rates.of_position[k];
      if (has_tau(form_)) f[at_.tau + row] = rates.of_velocity[k];
    }
  }
}

} // namespace rhumb::mechanics
