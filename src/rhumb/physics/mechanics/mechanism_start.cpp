/// Start values on all constraints, and what a mechanism reports.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/mechanics/mechanism.hpp>
#include <rhumb/physics/mechanics/saddle_point.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::mechanics {

namespace {

constexpr int most_projections = 30;
constexpr double settled = 1e-14; // of a correction, in parts of the coordinates' size

double largest(std::span<const double> values) {
  double out = 0.0;
  for (const double x : values) out = std::max(out, std::abs(x));
  return out;
}

/// The rows of all parts at (t, q, v) with these accelerations and no multipliers, summed up.
struct Whole {
  std::vector<double> dynamics, position, velocity, acceleration;
};

Whole whole_at(const Assembly& assembly, double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> a) {
  Whole out;
  out.dynamics.resize(q.size());
  for (const Part& part : assembly.parts) {
    LocalState<double> at;
    at.t = t;
    for (const std::size_t i : part.coordinates) {
      at.q.push_back(q[i]);
      at.v.push_back(v[i]);
      at.a.push_back(a[i]);
    }
    at.lambda.assign(part.element->constraints(), 0.0);
    const auto rows = part.element->rows(at);
    for (std::size_t i = 0; i < part.coordinates.size(); ++i) out.dynamics[part.coordinates[i]] += rows.dynamics[i];
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(out.position, rows.position);
    append(out.velocity, rows.velocity);
    append(out.acceleration, rows.acceleration);
  }
  return out;
}

std::vector<double> negative(std::vector<double> values) {
  for (double& x : values) x = -x;
  return values;
}

} // namespace

void Mechanism::start(double t, std::span<double> y, std::span<double> ydot) const {
  std::vector<double> q = assembly_.q, v = assembly_.v, a(at_.n, 0.0);
  const auto move = [&](std::vector<double>& what, std::vector<double> off) {
    std::vector<double> change(at_.n, 0.0);
    off = negative(std::move(off));
    SaddlePoint(t, q, assembly_.parts, first_multiplier_, at_.m).solve(change, off);
    for (std::size_t i = 0; i < at_.n; ++i) what[i] += change[i];
    return largest(change);
  };
  for (int iteration = 0; at_.m > 0; ++iteration) {
    const double change = move(q, whole_at(assembly_, t, q, v, a).position);
    if (change <= settled * std::max(1.0, largest(q))) break;
    if (iteration == most_projections)
      throw core::BadInput(
          fmt::format("{}: no positions near the given ones satisfy the constraints; the constraint is "
                      "off by {:.3g}",
                      name(), largest(whole_at(assembly_, t, q, v, a).position)));
  }
  if (at_.m > 0) move(v, whole_at(assembly_, t, q, v, a).velocity);
  const Whole still = whole_at(assembly_, t, q, v, a);
  std::vector<double> lambda = negative(still.acceleration);
  a = negative(still.dynamics);
  SaddlePoint(t, q, assembly_.parts, first_multiplier_, at_.m).solve(a, lambda);
  std::ranges::fill(y, 0.0);
  std::ranges::fill(ydot, 0.0);
  for (std::size_t i = 0; i < at_.n; ++i) {
    y[i] = q[i];
    y[at_.v + i] = ydot[i] = v[i];
    ydot[at_.v + i] = a[i];
    if (has_accelerations(form_)) y[at_.a + i] = a[i];
  }
  std::ranges::copy(lambda, y.begin() + static_cast<std::ptrdiff_t>(at_.lambda));
}

Mechanism::Residuals Mechanism::off_constraints(double t, Values y, Values ydot) const {
  const auto a = has_accelerations(form_) ? y.subspan(at_.a, at_.n) : ydot.subspan(at_.v, at_.n);
  const Whole at = whole_at(assembly_, t, y.subspan(0, at_.n), y.subspan(at_.v, at_.n), a);
  return {largest(at.position), largest(at.velocity), largest(at.acceleration)};
}

double Mechanism::kinetic_energy(Values y) const {
  double energy = 0.0;
  for (const Part& part : assembly_.parts) {
    std::vector<double> q, v;
    for (const std::size_t i : part.coordinates) {
      q.push_back(y[i]);
      v.push_back(y[at_.v + i]);
    }
    const auto mass = part.element->mass(q);
    for (std::size_t i = 0; i < q.size(); ++i)
      for (std::size_t j = 0; j < q.size(); ++j) energy += 0.5 * v[i] * mass(i, j) * v[j];
  }
  return energy;
}

std::vector<std::pair<std::string, double>> Mechanism::series(double t, Vec y, Vec ydot) {
  const auto value = everywhere(y), rate = everywhere(ydot);
  const Residuals off = off_constraints(t, value, rate);
  return {{"kinetic_energy", kinetic_energy(value)}, {"g1", off.position}, {"g2", off.velocity}};
}

dae::Figures Mechanism::report(double t, Vec y, Vec ydot) {
  const auto value = everywhere(y), rate = everywhere(ydot);
  const Residuals off = off_constraints(t, value, rate);
  const auto block = [&](std::size_t first, std::size_t count) {
    const auto begin = value.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  dae::Figures figures{{"q", block(0, at_.n)}, {"v", block(at_.v, at_.n)}, {"lambda", block(at_.lambda, at_.m)},
                       {"g1", off.position}, // BCP (6.2.13): off the positions, velocities, accelerations
                       {"g2", off.velocity},   {"g3", off.acceleration},   {"kinetic_energy", kinetic_energy(value)}};
  if (assembly_.reference.values.empty() || t != assembly_.reference.t) return figures;
  std::vector<double> errors;
  const auto all = fields();
  for (const auto& [name, wanted] : assembly_.reference.values) {
    const auto field = std::ranges::find(all, name, &dae::Field::name);
    errors.push_back(std::abs(value[field - all.begin()] - wanted) / std::abs(wanted));
  }
  figures.emplace_back("reference_error", *std::ranges::max_element(errors));
  figures.emplace_back("reference_errors", errors);
  return figures;
}

} // namespace rhumb::mechanics
