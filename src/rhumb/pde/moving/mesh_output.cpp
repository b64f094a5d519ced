#include <rhumb/core/failure.hpp>
#include <rhumb/core/stored_count.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/pde/moving/mesh_problem.hpp>
#include <algorithm>
#include <fmt/format.h>

/// What a run on a line shows and remembers: fronts, figures, checkpoints' memory, snapshots.

namespace rhumb::moving {

namespace {
const char* name_of(Equation equation) {
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

double MeshProblem::front(const Profile& profile) const {
  const auto position = profile.front(static_cast<std::size_t>(settings_.front_component), settings_.front_level);
  return position.value_or(std::numeric_limits<double>::quiet_NaN());
}

void MeshProblem::watch(double t, Vec y, Vec) {
  const Profile now = profile(y);
  const auto& u = now.u[settings_.front_component];
  seen_.times.push_back(t);
  seen_.fronts.push_back(front(now));
  seen_.lowest.push_back(*std::ranges::min_element(u));
  seen_.highest.push_back(*std::ranges::max_element(u));
  if (const auto e = error(t, now)) seen_.error = std::max(seen_.error, *e);
}

void MeshProblem::after_step(double t, Vec y, Vec ydot) {
  const Profile now = profile(y);
  watch_.step(t, now, speeds(ydot, now.x.size()));
  solution_.step(now, integrals(now), backward_diffusion(t, now));
  if (unknowns() == Unknowns::solution) return;
  for (std::size_t i = 1; i < now.x.size(); ++i)
    seen_.smallest_cell = std::min(seen_.smallest_cell, now.x[i] - now.x[i - 1]);
}

std::vector<double> MeshProblem::integrals(const Profile& profile) const {
  std::vector<double> sums(about_.fields.size(), 0.0);
  for (std::size_t i = 0; i < profile.x.size(); ++i) {
    const double volume = volume_at(profile.x, i, about_.symmetry);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += volume * profile.u[k][i];
  }
  return sums;
}

/// Where diffusion runs backwards, neither cells nor tolerances are the remedy.
std::string MeshProblem::advice() const {
  if (solution_.has_backward_diffusion()) return solution_.cause(about_.fields[solution_.backward_component()].name);
  return watch_.advice(seen_.most_nodes - 1.0);
}

dae::Figures MeshProblem::report(double t, Vec y, Vec) {
  const Profile now = profile(y);
  dae::Figures figures;
  figures.emplace_back("mesh_equation", std::string(name_of(rule().equation)));
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
  if (unknowns() != Unknowns::solution) figures.emplace_back("smallest_cell", seen_.smallest_cell);
  if (const auto e = error(t, now)) {
    figures.emplace_back("error_end", *e);
    figures.emplace_back("error_max", std::max(seen_.error, *e));
  }
  figures.emplace_back("error_in_space", watch_.in_space());
  figures.emplace_back("error_in_time", watch_.in_time());
  const auto whole = integrals(now);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    figures.emplace_back("integral_" + about_.fields[k].name, whole[k]);
    figures.emplace_back("integral_start_" + about_.fields[k].name, solution_.integrals_at_start()[k]);
    figures.emplace_back("lowest_" + about_.fields[k].name, solution_.lowest()[k]);
  }
  if (const auto text = advice(); !text.empty()) figures.emplace_back("advice", text);
  return figures;
}

std::vector<std::pair<std::string, double>> MeshProblem::series(double, Vec y, Vec) {
  return {{"front", front(profile(y))}};
}

/// The figures so far, so that a continued run reports them all.
std::vector<double> MeshProblem::saved_state() const {
  std::vector<double> values{static_cast<double>(rule().cells),
                             cell_error_,
                             ideal_cells_,
                             seen_.ignition,
                             seen_.error,
                             seen_.smallest_cell,
                             seen_.regrids,
                             seen_.most_nodes};
  const auto watched = watch_.saved_state();
  values.insert(values.end(), watched.begin(), watched.end());
  const auto solution = solution_.saved_state();
  values.insert(values.end(), solution.begin(), solution.end());
  values.push_back(static_cast<double>(seen_.times.size()));
  for (const auto* list : {&seen_.times, &seen_.fronts, &seen_.lowest, &seen_.highest})
    values.insert(values.end(), list->begin(), list->end());
  return values;
}

void MeshProblem::restore_state(std::span<const double> values) {
  constexpr std::size_t own_values = 8;
  const std::size_t watched = own_values + ErrorWatch::saved_state_size;
  const std::size_t head = watched + solution_.saved_state_size() + 1;
  if (values.size() < head ||
      values.size() != head + 4 * core::stored_count(values[head - 1], values.size(), "the number of times"))
    throw core::BadInput("the checkpoint's memory is not that of a moving mesh");
  const auto cells = static_cast<PetscInt>(
      core::stored_count(values[0], static_cast<std::size_t>(line_.nodes() - 1), "the number of cells"));
  if (cells == 0) throw core::BadInput("the checkpoint's memory has a mesh without cells");
  set_cells(cells);
  cell_error_ = values[1];
  ideal_cells_ = values[2];
  seen_.ignition = values[3];
  seen_.error = values[4];
  seen_.smallest_cell = values[5];
  seen_.regrids = values[6];
  seen_.most_nodes = values[7];
  watch_.restore_state(values.subspan(own_values, ErrorWatch::saved_state_size));
  solution_.restore_state(values.subspan(watched, solution_.saved_state_size()));
  const auto count = static_cast<std::size_t>(values[head - 1]);
  auto from = values.begin() + static_cast<std::ptrdiff_t>(head);
  for (auto* list : {&seen_.times, &seen_.fronts, &seen_.lowest, &seen_.highest}) {
    list->assign(from, from + static_cast<std::ptrdiff_t>(count));
    from += static_cast<std::ptrdiff_t>(count);
  }
}

std::string MeshProblem::signature() const {
  return fmt::format("line of {} cells, [{:g}, {:g}], {}", line_.nodes() - 1, about_.lower, about_.upper,
                     name_of(rule().equation));
}

grid::Block<double> MeshProblem::local_part(const std::vector<double>& values) const {
  const auto count = static_cast<PetscInt>(values.size());
  const PetscInt first = std::min(line_.first(), count), end = std::min(line_.first() + line_.count(), count);
  return grid::piece(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(first),
                     {values.begin() + first, values.begin() + end});
}

grid::Mesh MeshProblem::mesh(double, Vec y) {
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::moving;
  mesh.points = local_part(profile(y).x);
  return mesh;
}

std::vector<grid::FieldBlock> MeshProblem::fields(double, Vec y, Vec) {
  const Profile now = profile(y);
  std::vector<grid::FieldBlock> blocks;
  for (std::size_t k = 0; k < about_.fields.size(); ++k) {
    const auto& field = about_.fields[k];
    blocks.push_back({field.name, field.unit, field.long_name, grid::Location::point, 1, local_part(now.u[k])});
  }
  return blocks;
}

} // namespace rhumb::moving
