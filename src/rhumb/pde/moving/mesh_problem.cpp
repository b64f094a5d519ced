#include <rhumb/pde/moving/mesh_problem.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/pde/moving/regridding.hpp>
#include <algorithm>
#include <cmath>

namespace rhumb::moving {

using core::check;

namespace {
/// The number of cells may be off by this factor before nodes come or go.
constexpr double count_tolerance = 1.3;
/// atol of the nodes' places, as a multiple of rtol and of the domain: where nodes stand exactly does not matter, and
/// the error they make in u is watched in u.
constexpr double position_tolerance = 100.0;

/// Newton's tolerance on a moving mesh: what it leaves in the nodes' places comes back as roughness of u, which has
/// steep slopes there, and roughness costs order and steps.
constexpr double strict_newton = 0.05;
/// The ideal number of cells may fall to this part before nodes are deleted.
constexpr double surplus = 0.5;
/// Neighbouring cells may come to differ by this factor before nodes are inserted or deleted.
constexpr double unlike = 10.0;
} // namespace

MeshProblem::MeshProblem(MPI_Comm comm, const core::Options& options, Description about, const Extras& extras)
    : about_(std::move(about)), settings_(read_settings(options, about_, extras)), fields_(all_fields()),
      reach_(reaches()),
      line_(comm, settings_.regridding.most + 1, static_cast<int>(fields_.size()), *std::ranges::max_element(reach_)),
      watch_({settings_.error_wanted, about_.rtol, about_.atol_of_rtol * about_.rtol, settings_.rule.monitor.scales,
              is_monitored(settings_.rule) ? settings_.rule.monitor.alpha : 0.0}),
      solution_(about_.fields.size()) {
  seen_.most_nodes = static_cast<double>(nodes());
}

Unknowns MeshProblem::unknowns() const {
  if (rule().equation == Equation::fixed) return Unknowns::solution;
  if (rule().balance != Balance::points) return Unknowns::with_contents;
  const bool monitored = rule().equation != Equation::rate;
  return monitored && rule().monitor.floor == Monitor::Floor::mean ? Unknowns::with_floor : Unknowns::with_mesh;
}

std::vector<dae::Field> MeshProblem::all_fields() const {
  auto all = about_.fields;
  if (unknowns() != Unknowns::solution) all.push_back({"x", "", "place of the node"});
  if (unknowns() == Unknowns::with_contents)
    for (const auto& field : about_.fields)
      all.push_back({"content_" + field.name, field.unit, "integral over the node's volume, over the mean volume"});
  if (unknowns() == Unknowns::with_floor) {
    all.push_back({"part", "", "integral of the monitor's density up to the node", dae::Kind::index1});
    all.push_back({"whole", "", "integral of the monitor's density", dae::Kind::index1});
  }
  return all;
}

std::vector<int> MeshProblem::reaches() const {
  std::vector<int> reach(all_fields().size(), 1);
  const auto n = about_.fields.size();
  if (reach.size() > n) reach[n] = width(rule());
  if (unknowns() == Unknowns::with_contents)
    std::fill(reach.begin() + static_cast<std::ptrdiff_t>(n) + 1, reach.end(), 2); // limited slopes
  if (unknowns() == Unknowns::with_floor && rule().monitor.kind == Monitor::Kind::curvature) reach[n + 1] = 2;
  return reach;
}

dae::Tolerances MeshProblem::tolerances(double rtol) const {
  dae::Tolerances tolerances;
  tolerances.rtol = rtol;
  tolerances.atol = about_.atol_of_rtol * rtol;
  if (unknowns() != Unknowns::solution) {
    tolerances.atol_of_field.assign(fields_.size(), tolerances.atol);
    tolerances.atol_of_field[about_.fields.size()] = position_tolerance * rtol * rule().length;
  }
  return tolerances;
}

dae::Preferences MeshProblem::preferences() const {
  dae::Preferences wishes;
  if (unknowns() != Unknowns::solution) wishes.newton_tolerance = strict_newton;
  if (rule().equation == Equation::rate) wishes.error_test = "filter"; // BCP 5.4.2, after regriddings above all
  return wishes;
}

void MeshProblem::configure(PC preconditioner, Mat) const {
  check(PCSetType(preconditioner, PCLU));
}

std::vector<dae::Event> MeshProblem::events() const {
  std::vector<dae::Event> all;
  if (about_.ignition_level) all.push_back({"ignition", dae::Event::Direction::rising});
  if (settings_.regridding.active()) all.push_back({"regrid", dae::Event::Direction::rising});
  return all;
}

void MeshProblem::event_values(double t, Vec y, Vec, std::span<double> values) {
  const Profile now = profile(y);
  if (about_.ignition_level) values[0] = now.u[0][0] - *about_.ignition_level;
  if (settings_.regridding.active()) values.back() = urgency(t, now) - 1.0;
}

double MeshProblem::urgency(double t, const Profile& profile) const {
  if (settings_.regridding.local()) return local_urgency(profile);
  const Unevenness found = unevenness(t, profile);
  const double worst = found.ratio / settings_.regridding.ratio;
  if (!(settings_.regridding.share > 0.0)) return worst;
  // How far the number of cells is from the wanted one, within what is allowed.
  const double much = static_cast<double>(cells_wanted(found.integral)) / static_cast<double>(rule().cells);
  return std::max(worst, std::max(much, 1.0 / much) / count_tolerance);
}

double MeshProblem::local_urgency(const Profile& profile) const {
  const auto errors = cell_errors(profile, rule().monitor.scales);
  const double largest = *std::ranges::max_element(errors) / (settings_.regridding.ratio * cell_error_);
  const double fewer = surplus * ideal_cells_ / std::max(ideal_cells(errors, cell_error_), 1e-300);
  const bool can_be_fewer = rule().cells > settings_.regridding.fewest;
  return std::max({largest, largest_ratio(profile.x) / unlike, can_be_fewer ? std::min(fewer, 1e3) : 0.0});
}

dae::AfterEvent MeshProblem::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  const bool ignites = about_.ignition_level && std::ranges::find(which, 0) != which.end();
  if (ignites && seen_.ignition < 0.0) seen_.ignition = t;
  const int regridding = about_.ignition_level ? 1 : 0;
  if (std::ranges::find(which, regridding) == which.end()) return dae::AfterEvent::go_on;
  regrid(t, y, ydot);
  return dae::AfterEvent::restart;
}

PetscInt MeshProblem::cells_wanted(double integral) const {
  const auto& r = settings_.regridding;
  const double wanted = std::ceil(integral / r.share);
  return std::clamp(static_cast<PetscInt>(std::min(wanted, 1e9)), r.fewest, r.most);
}

void MeshProblem::set_cells(PetscInt cells) {
  settings_.rule.cells = cells;
  seen_.most_nodes = std::max(seen_.most_nodes, static_cast<double>(nodes()));
  number_of_nodes_changed();
}

std::vector<double> MeshProblem::nodes_inserted_and_deleted(const Profile& profile) {
  const auto& r = settings_.regridding;
  auto found = refined(profile, rule().monitor.scales,
                       {r.error, static_cast<std::size_t>(r.fewest), static_cast<std::size_t>(r.most)});
  const Profile now = profile.on(found.x);
  const auto errors = cell_errors(now, rule().monitor.scales);
  // What is left must not ask for the next regridding at once.
  constexpr double safety = 0.8;
  cell_error_ = std::max(found.error, *std::ranges::max_element(errors) / (safety * r.ratio));
  ideal_cells_ = ideal_cells(errors, cell_error_);
  set_cells(static_cast<PetscInt>(found.x.size()) - 1);
  return found.x;
}

void MeshProblem::regrid(double t, Vec y, Vec ydot) {
  const Profile old = profile(y);
  seen_.regrids += 1.0;
  if (settings_.regridding.local()) {
    const Profile now = old.on(nodes_inserted_and_deleted(old));
    std::vector<double> node_values;
    for (std::size_t i = 0; i < now.x.size(); ++i) {
      for (const auto& u : now.u) node_values.push_back(u[i]);
      node_values.push_back(now.x[i]);
    }
    put(t, node_values, y, ydot);
    return;
  }
  if (settings_.regridding.share > 0.0) set_cells(cells_wanted(unevenness(t, old).integral));
  put(t, laid_out_anew(t, old), y, ydot);
}

/// Nodes that are not in use stand at the left end, with u = 0.
void MeshProblem::put(double t, const std::vector<double>& node_values, Vec y, Vec ydot) const {
  const auto ydots = rates(t, node_values);
  const core::Writable values(y), local_rates(ydot);
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  const std::size_t first = static_cast<std::size_t>(line_.first()) * F;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool used = first + i < node_values.size();
    values[i] = used ? node_values[first + i] : i % F == n ? about_.lower : 0.0;
    local_rates[i] = used ? ydots[first + i] : 0.0;
  }
}

std::size_t MeshProblem::nodes_in_use(const std::vector<double>& all) const {
  auto count = static_cast<std::size_t>(nodes());
  if (settings_.regridding.most == settings_.regridding.fewest) return count;
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  count = all.size() / F;
  while (count > 1 && all[(count - 1) * F + n] == about_.lower) --count;
  return count;
}

Profile MeshProblem::profile(Vec y) const {
  const auto all = line_.gather(y);
  const std::size_t count = nodes_in_use(all);
  Profile out = columns(all, count);
  if (unknowns() == Unknowns::solution) std::copy_n(x_start_.begin(), count, out.x.begin());
  if (unknowns() == Unknowns::with_contents) take_from_contents(all, out);
  return out;
}

/// What Newton's iteration leaves between u and the contents is not shown: the contents are what is conserved.
void MeshProblem::take_from_contents(const std::vector<double>& all, Profile& profile) const {
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  for (std::size_t i = 0; i < profile.x.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double content = all[i * F + n + 1 + k] * rule().mean_volume() / volume_at(profile.x, i, about_.symmetry);
      profile.u[k][i] = rule().balance == Balance::nonnegative ? std::max(content, 0.0) : content;
    }
}

Profile MeshProblem::speeds(Vec ydot, std::size_t count) const {
  Profile out = columns(line_.gather(ydot), count);
  out.x.front() = out.x.back() = 0.0;
  return out;
}

Profile MeshProblem::columns(const std::vector<double>& all, std::size_t count) const {
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  Profile out{std::vector<double>(count, 0.0), std::vector<std::vector<double>>(n, std::vector<double>(count))};
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < count; ++i) out.u[k][i] = all[i * F + k];
  for (std::size_t i = 0; F > n && i < count; ++i) out.x[i] = all[i * F + n];
  return out;
}

} // namespace rhumb::moving
