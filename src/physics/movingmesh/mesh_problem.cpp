#include "physics/movingmesh/mesh_problem.hpp"

#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace rhumb::movingmesh {

using core::check;
using core::check_mpi;

namespace {
/// The number of cells may be off by this factor before nodes come or go.
constexpr double number_tolerance = 1.3;

const char* word(Equation equation) {
  switch (equation) {
  case Equation::fixed:
    return "fixed";
  case Equation::rate:
    return "rate";
  case Equation::mmpde4:
    return "mmpde4";
  case Equation::mmpde5:
    return "mmpde5";
  case Equation::mmpde6:
    return "mmpde6";
  case Equation::dorfi:
    return "dorfi";
  }
  return "";
}
} // namespace

MeshProblem::MeshProblem(MPI_Comm comm, core::Options& options, Description about, const Extras& extras)
    : about_(std::move(about)), settings_(read_settings(options, about_, extras)),
      rtol_(options.real("dae_rtol", about_.rtol, {"relative tolerance"}, core::Range::at_least(0.0))),
      fields_(all_fields()), reach_(reaches()),
      line_(comm, settings_.regridding.most + 1, static_cast<int>(fields_.size()), *std::ranges::max_element(reach_)) {
  seen_.most_nodes = static_cast<double>(nodes());
}

Unknowns MeshProblem::unknowns() const {
  if (rule().equation == Equation::fixed) return Unknowns::solution;
  const bool monitored = rule().equation != Equation::rate;
  return monitored && rule().monitor.floor == Monitor::Floor::mean ? Unknowns::with_floor : Unknowns::with_mesh;
}

std::vector<dae::Field> MeshProblem::all_fields() const {
  auto all = about_.fields;
  if (unknowns() != Unknowns::solution) all.push_back({"x", "", "place of the node"});
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
  if (unknowns() == Unknowns::with_floor && rule().monitor.kind == Monitor::Kind::curvature) reach[n + 1] = 2;
  return reach;
}

dae::Tolerances MeshProblem::default_tolerances() const {
  dae::Tolerances tolerances;
  tolerances.rtol = about_.rtol;
  tolerances.atol = about_.atol_of_rtol * rtol_;
  if (unknowns() != Unknowns::solution) {
    tolerances.atol_of_field.assign(fields_.size(), tolerances.atol);
    tolerances.atol_of_field[about_.fields.size()] = rtol_ * rule().length;
  }
  return tolerances;
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
  if (!settings_.regridding.active()) return;
  const Unevenness found = unevenness(t, now);
  double worst = found.ratio / settings_.regridding.ratio;
  if (settings_.regridding.share > 0.0) {
    // How far the number of cells is from the wanted one, within what is allowed.
    const double much = static_cast<double>(cells_wanted(found.integral)) / static_cast<double>(rule().cells);
    worst = std::max(worst, std::max(much, 1.0 / much) / number_tolerance);
  }
  values.back() = worst - 1.0;
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

void MeshProblem::regrid(double t, Vec y, Vec ydot) {
  const Profile old = profile(y);
  if (settings_.regridding.share > 0.0) set_cells(cells_wanted(unevenness(t, old).integral));
  put(t, laid_out_anew(t, old), y, ydot);
  seen_.regrids += 1.0;
}

void MeshProblem::put(double t, const std::vector<double>& numbers, Vec y, Vec ydot) const {
  const auto slopes = rates(t, numbers);
  const core::Writable values(y), own_rates(ydot);
  const auto first = static_cast<std::size_t>(line_.first() * line_.entries());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool used = first + i < numbers.size();
    values[i] = used ? numbers[first + i] : 0.0;
    own_rates[i] = used ? slopes[first + i] : 0.0;
  }
}

Profile MeshProblem::profile(Vec y) const {
  const auto all = line_.gather(y);
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  Profile out;
  out.u.resize(n);
  for (std::size_t i = 0; i < static_cast<std::size_t>(nodes()); ++i) {
    for (std::size_t k = 0; k < n; ++k) out.u[k].push_back(all[i * F + k]);
    out.x.push_back(F == n ? x_start_[i] : all[i * F + n]);
  }
  return out;
}

double MeshProblem::front(const Profile& profile) const {
  const auto place = profile.front(static_cast<std::size_t>(settings_.front_component), settings_.front_level);
  return place.value_or(std::numeric_limits<double>::quiet_NaN());
}

void MeshProblem::watch(double t, Vec y, Vec) {
  const Profile now = profile(y);
  const auto& u = now.u[static_cast<std::size_t>(settings_.front_component)];
  seen_.times.push_back(t);
  seen_.fronts.push_back(front(now));
  seen_.lowest.push_back(*std::ranges::min_element(u));
  seen_.highest.push_back(*std::ranges::max_element(u));
  if (const auto e = error(t, now)) seen_.error = std::max(seen_.error, *e);
}

void MeshProblem::after_step(double, Vec y, Vec) {
  if (unknowns() == Unknowns::solution) return;
  const core::Readable own(y);
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  const auto end = static_cast<std::size_t>(own_nodes()) * F;
  for (std::size_t i = F + n; i < end; i += F)
    seen_.smallest_cell = std::min(seen_.smallest_cell, own[i] - own[i - F]);
}

dae::Figures MeshProblem::report(double t, Vec y, Vec) {
  const Profile now = profile(y);
  dae::Figures figures;
  figures.emplace_back("mesh_equation", std::string(word(rule().equation)));
  if (!seen_.times.empty()) {
    figures.emplace_back("front_times", seen_.times);
    figures.emplace_back("front", seen_.fronts);
    figures.emplace_back("lowest", seen_.lowest);
    figures.emplace_back("highest", seen_.highest);
  }
  if (seen_.ignition >= 0.0) figures.emplace_back("ignition_time", seen_.ignition);
  figures.emplace_back("nodes_max", seen_.most_nodes);
  if (settings_.regridding.active()) {
    figures.emplace_back("regrids", seen_.regrids);
    figures.emplace_back("nodes_end", static_cast<double>(nodes()));
  }
  double smallest = seen_.smallest_cell;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &smallest, 1, MPI_DOUBLE, MPI_MIN, line_.comm()));
  if (unknowns() != Unknowns::solution) figures.emplace_back("smallest_cell", smallest);
  if (const auto e = error(t, now)) {
    figures.emplace_back("error_end", *e);
    figures.emplace_back("error_max", std::max(seen_.error, *e));
  }
  return figures;
}

std::vector<std::pair<std::string, double>> MeshProblem::series(double, Vec y, Vec) {
  return {{"front", front(profile(y))}};
}

/// The figures so far, so that a continued run reports them all.
std::vector<double> MeshProblem::memory() const {
  std::vector<double> numbers{static_cast<double>(rule().cells), seen_.ignition,   seen_.error,
                              seen_.smallest_cell,               seen_.regrids,    seen_.most_nodes,
                              static_cast<double>(seen_.times.size())};
  for (const auto* list : {&seen_.times, &seen_.fronts, &seen_.lowest, &seen_.highest})
    numbers.insert(numbers.end(), list->begin(), list->end());
  return numbers;
}

void MeshProblem::set_memory(std::span<const double> numbers) {
  constexpr std::size_t head = 7;
  if (numbers.size() < head || numbers.size() != head + 4 * static_cast<std::size_t>(numbers[head - 1]))
    throw core::BadInput("the checkpoint's memory is not that of a moving mesh");
  set_cells(static_cast<PetscInt>(numbers[0]));
  seen_.ignition = numbers[1];
  seen_.error = numbers[2];
  seen_.smallest_cell = numbers[3];
  seen_.regrids = numbers[4];
  seen_.most_nodes = numbers[5];
  const auto count = static_cast<std::size_t>(numbers[head - 1]);
  auto from = numbers.begin() + static_cast<std::ptrdiff_t>(head);
  for (auto* list : {&seen_.times, &seen_.fronts, &seen_.lowest, &seen_.highest}) {
    list->assign(from, from + static_cast<std::ptrdiff_t>(count));
    from += static_cast<std::ptrdiff_t>(count);
  }
}

std::string MeshProblem::signature() const {
  return fmt::format("line of {} cells, [{:g}, {:g}], {}", line_.nodes() - 1, about_.lower, about_.upper,
                     word(rule().equation));
}

grid::Mesh MeshProblem::mesh(double, Vec y) {
  const core::Readable own(y);
  const auto F = static_cast<std::size_t>(line_.entries()), n = about_.fields.size();
  std::vector<double> x;
  for (std::size_t i = 0; i < static_cast<std::size_t>(own_nodes()); ++i)
    x.push_back(F == n ? x_start_[static_cast<std::size_t>(line_.first()) + i] : own[i * F + n]);
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::moving;
  mesh.points =
      grid::piece(static_cast<std::uint64_t>(nodes()), static_cast<std::uint64_t>(std::min(line_.first(), nodes())), std::move(x));
  return mesh;
}

std::vector<grid::FieldBlock> MeshProblem::fields(double, Vec y, Vec) {
  const core::Readable own(y);
  const auto F = static_cast<std::size_t>(line_.entries());
  std::vector<grid::FieldBlock> blocks;
  for (std::size_t k = 0; k < about_.fields.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = k; i < static_cast<std::size_t>(own_nodes()) * F; i += F) values.push_back(own[i]);
    blocks.push_back({about_.fields[k].name, about_.fields[k].unit, about_.fields[k].long_name, grid::Location::point,
                      1,
                      grid::piece(static_cast<std::uint64_t>(nodes()), static_cast<std::uint64_t>(std::min(line_.first(), nodes())),
                                  std::move(values))});
  }
  return blocks;
}

} // namespace rhumb::movingmesh
