/// Start values on all constraints, and what a mechanism reports.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/mechanics/mechanism.hpp>
#include <rhumb/physics/mechanics/saddle_point.hpp>
#include <rhumb/physics/mechanics/whole.hpp>
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

} // namespace

void Mechanism::start(double t, std::span<double> y, std::span<double> ydot) const {
  std::vector<double> q = assembly_.q, v = assembly_.v, a(at_.n, 0.0);
  const auto move = [&](std::vector<double>& what, std::vector<double> off) {
    std::vector<double> change(at_.n, 0.0);
    off = closed_rows(negative(std::move(off)));
    SaddlePoint(t, q, assembly_.parts, first_multiplier_, open_).solve(change, off);
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
                      name(), largest(closed_rows(whole_at(assembly_, t, q, v, a).position))));
  }
  if (at_.m > 0) move(v, whole_at(assembly_, t, q, v, a).velocity);
  Motion motion{q, v, {}, {}};
  find_forces(t, motion);
  write(motion, y, ydot);
}

/// Accelerations and lambda from positions and velocities.
void Mechanism::find_forces(double t, Motion& motion) const {
  const std::vector<double> none(at_.n, 0.0);
  const Whole still = whole_at(assembly_, t, motion.q, motion.v, none);
  motion.lambda = closed_rows(negative(still.acceleration));
  motion.a = negative(still.dynamics);
  SaddlePoint(t, motion.q, assembly_.parts, first_multiplier_, open_).solve(motion.a, motion.lambda);
}

void Mechanism::write(const Motion& motion, std::span<double> y, std::span<double> ydot) const {
  std::ranges::fill(y, 0.0);
  std::ranges::fill(ydot, 0.0);
  for (std::size_t i = 0; i < at_.n; ++i) {
    y[i] = motion.q[i];
    y[at_.v + i] = ydot[i] = motion.v[i];
    ydot[at_.v + i] = motion.a[i];
    if (has_accelerations(form_)) y[at_.a + i] = motion.a[i];
  }
  std::ranges::copy(motion.lambda, y.begin() + static_cast<std::ptrdiff_t>(at_.lambda));
}

/// Rows of constraints with zero where a contact is open.
std::vector<double> Mechanism::closed_rows(std::vector<double> rows) const {
  for (std::size_t k = 0; k < at_.m; ++k)
    if (is_open(k)) rows[k] = 0.0;
  return rows;
}

Mechanism::Residuals Mechanism::off_constraints(double t, Values y, Values ydot) const {
  const auto a = has_accelerations(form_) ? y.subspan(at_.a, at_.n) : ydot.subspan(at_.v, at_.n);
  const Whole at = whole_at(assembly_, t, y.subspan(0, at_.n), y.subspan(at_.v, at_.n), a);
  return {largest(closed_rows(at.position)), largest(closed_rows(at.velocity)), largest(closed_rows(at.acceleration))};
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
  if (!assembly_.contacts.empty()) {
    figures.emplace_back("impacts", impacts_);
    std::vector<double> touching;
    for (const Contact& contact : assembly_.contacts) touching.push_back(is_open(multiplier_of(contact)) ? 0.0 : 1.0);
    figures.emplace_back("touching", touching);
  }
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
