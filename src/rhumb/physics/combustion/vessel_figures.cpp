/// The figures of a closed vessel: balances, flame, what was seen at given times.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/physics/combustion/vessel_problem.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::combustion {

namespace {
constexpr double heat_of_pressure = 2.5; // 1/(gamma - 1) of air
}

auto VesselProblem::state(Vec y) const -> State {
  const auto all = line_.gather(y);
  const auto F = entries();
  State now;
  const std::size_t nodes = all.size() / F;
  now.Y.assign(species(), std::vector<double>(nodes));
  now.T.resize(nodes);
  now.r.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    now.T[i] = all[i * F];
    for (std::size_t k = 0; k < species(); ++k) now.Y[k][i] = all[i * F + 1 + k];
    now.r[i] = all[i * F + index_of_r()];
  }
  now.p = all[index_of_p()];
  return now;
}

std::vector<double> VesselProblem::fractions(const State& now, std::size_t i) const {
  std::vector<double> Y;
  for (const auto& each : now.Y) Y.push_back(each[i]);
  return Y;
}

moving::Profile VesselProblem::profile(const State& now) const {
  moving::Profile out;
  out.x = now.r;
  out.u = {now.T};
  out.u.insert(out.u.end(), now.Y.begin(), now.Y.end());
  return out;
}

double VesselProblem::wall_loss(double t) const {
  return solid_angle(settings_.shell) * (t < before_.until ? before_.loss : loss_).value(t);
}

double VesselProblem::total_energy(double t, const State& now) const {
  const auto& psi = psi_at(t);
  double sum = 0.0;
  for (std::size_t i = 0; i < now.T.size(); ++i) sum += mass_in(psi, i) * internal_energy(now.T[i], fractions(now, i));
  return sum * solid_angle(settings_.shell);
}

std::vector<double> VesselProblem::totals_of_elements(double t, const State& now) const {
  const auto& psi = psi_at(t);
  std::vector<double> totals;
  for (const auto& [name, share] : gas_info_.elements) {
    double sum = 0.0;
    for (std::size_t i = 0; i < now.T.size(); ++i)
      for (std::size_t k = 0; k < species(); ++k) sum += mass_in(psi, i) * share[k] * now.Y[k][i];
    totals.push_back(sum);
  }
  return totals;
}

double VesselProblem::flame_radius(const State& now) const {
  moving::Profile only_T;
  only_T.x = now.r;
  only_T.u = {now.T};
  return only_T.front(0, settings_.flame_level).value_or(0.0);
}

/// Mass of fuel that is consumed per time, over what a flame of its radius would meet in the unburnt gas:
///   S = - sum m_i Y' / (rho_u Y_u r_f^g).
double VesselProblem::burning_speed(double t, const State& now, Vec ydot) const {
  const double r = flame_radius(now);
  if (gas_info_.fuel < 0 || !ydot || !(r > 0.0)) return 0.0;
  const State rate = state(ydot);
  const auto fuel = static_cast<std::size_t>(gas_info_.fuel);
  const auto& psi = psi_at(t);
  double consumed = 0.0;
  for (std::size_t i = 0; i < now.T.size(); ++i) consumed -= mass_in(psi, i) * rate.Y[fuel][i];
  const auto at = profile(now);
  const double ahead = 0.5 * (r + settings_.radius); // between the flame and the wall's cold layer
  std::vector<double> Y;
  for (std::size_t k = 0; k < species(); ++k) Y.push_back(at.value(1 + k, ahead));
  const double density = 1.0 / specific_volume(at.value(0, ahead), Y, now.p);
  return consumed / (density * gas_info_.mixture[fuel] * std::pow(r, exponent(settings_.shell)));
}

void VesselProblem::watch(double t, Vec y, Vec ydot) {
  const State now = state(y);
  const auto at = profile(now);
  seen_.times.push_back(t);
  seen_.p.push_back(now.p);
  seen_.centre.push_back(now.T[0]);
  seen_.loss.push_back(wall_loss(t));
  seen_.flame.push_back(flame_radius(now));
  seen_.speed.push_back(burning_speed(t, now, ydot));
  for (const double r : settings_.figure_radii) seen_.at_radii.push_back(at.value(0, r));
}

void VesselProblem::add_balances(double t, const State& now, dae::Figures& figures) const {
  double found = 0.0;
  for (std::size_t i = 1; i < now.T.size(); ++i) {
    const double v = 0.5 * (specific_volume(now.T[i - 1], fractions(now, i - 1), now.p) +
                            specific_volume(now.T[i], fractions(now, i), now.p));
    found += (volume(settings_.shell, now.r[i]) - volume(settings_.shell, now.r[i - 1])) / v;
  }
  figures.emplace_back("mass_error", std::abs(found / psi_.back() - 1.0));
  const double loss = wall_loss(t), gained = total_energy(t, now) - energy_at_start_;
  figures.emplace_back("wall_loss_end", loss);
  // Of the supplied energy; where gas burns, of all that was turned over.
  const double inside = solid_angle(settings_.shell) * volume(settings_.shell, settings_.radius);
  const double burnt =
      species() > 0 ? std::abs(loss) + heat_of_pressure * inside * std::abs(now.p - settings_.p0) : 0.0;
  if (const double size = settings_.source.energy + burnt; size > 0.0)
    figures.emplace_back("energy_balance", (gained + loss - supplied(t)) / size);
  const auto totals = totals_of_elements(t, now);
  double worst = 0.0;
  for (std::size_t e = 0; e < totals.size(); ++e)
    if (element_totals_[e] > 0.0) worst = std::max(worst, std::abs(totals[e] / element_totals_[e] - 1.0));
  if (!totals.empty()) figures.emplace_back("elements_error", worst);
}

/// The lists over `figure_times`.
void VesselProblem::add_lists(dae::Figures& figures) const {
  if (seen_.times.empty()) return;
  figures.emplace_back("figure_times", seen_.times);
  figures.emplace_back("p", seen_.p);
  figures.emplace_back("T_centre", seen_.centre);
  figures.emplace_back("wall_loss", seen_.loss);
  figures.emplace_back("flame_radius", seen_.flame);
  if (gas_info_.fuel >= 0) figures.emplace_back("burning_speed", seen_.speed);
  const std::size_t radii = settings_.figure_radii.size();
  for (std::size_t j = 0; j < radii; ++j) {
    std::vector<double> there;
    for (std::size_t i = j; i < seen_.at_radii.size(); i += radii) there.push_back(seen_.at_radii[i]);
    figures.emplace_back(fmt::format("T_at_{:g}_mm", 1e3 * settings_.figure_radii[j]), there);
  }
}

dae::Figures VesselProblem::report(double t, Vec y, Vec ydot) {
  const State now = state(y);
  dae::Figures figures;
  add_lists(figures);
  std::vector<double> T;
  for (const double r : settings_.figure_radii) T.push_back(profile(now).value(0, r));
  figures.emplace_back("radii", settings_.figure_radii);
  figures.emplace_back("T", T);
  figures.emplace_back("p_end", now.p);
  figures.emplace_back("T_centre_end", now.T[0]);
  figures.emplace_back("T_highest", seen_.highest_T);
  figures.emplace_back("flame_radius_end", flame_radius(now));
  if (gas_info_.fuel >= 0) figures.emplace_back("burning_speed_end", burning_speed(t, now, ydot));
  add_balances(t, now, figures);
  figures.emplace_back("nodes", static_cast<double>(now.T.size()));
  if (settings_.adaptation.active()) figures.emplace_back("regrids", seen_.regrids);
  if (species() > 0) {
    figures.emplace_back("lowest_fraction", seen_.lowest_fraction);
    if (species() > 1) figures.emplace_back("mass_fractions_error", seen_.sum_error);
    figures.emplace_back("fate", std::string(seen_.ignited_at >= 0.0 ? "ignited"
                                             : seen_.died_at >= 0.0  ? "died"
                                                                     : "open"));
    if (seen_.ignited_at >= 0.0) figures.emplace_back("ignited_at", seen_.ignited_at);
    if (seen_.died_at >= 0.0) figures.emplace_back("died_at", seen_.died_at);
  }
  if (const auto text = remark(seen_.lowest_T, seen_.highest_T); !text.empty()) figures.emplace_back("remark", text);
  return figures;
}

std::vector<std::pair<std::string, double>> VesselProblem::series(double t, Vec y, Vec) {
  const State now = state(y);
  return {{"p", now.p}, {"T_centre", now.T[0]}, {"flame_radius", flame_radius(now)}, {"wall_loss", wall_loss(t)}};
}

} // namespace rhumb::combustion
