#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/stored_count.hpp>
#include <rhumb/pde/moving_box/box_problem.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

/// What a run on a moving box shows and remembers: volumes, shapes, fronts, errors, snapshots, checkpoints' memory.

namespace rhumb::moving_box {

namespace {
double over_ranks(MPI_Comm comm, double value, MPI_Op operation) {
  double result = value;
  core::check_mpi(MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, comm));
  return result;
}
} // namespace

Quality BoxProblem::quality() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::array<double, 3> extremes{-infinity, -infinity, -infinity}; // of -volume, volume, -shape
  Quality found;
  std::array<double, 10> here{};
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    const Corners x = positions(e);
    const double volume = volume_of(x, dimension()), shape = shape_of(x, dimension());
    extremes = {std::max(extremes[0], -volume), std::max(extremes[1], volume), std::max(extremes[2], -shape)};
    ++here[static_cast<std::size_t>(std::clamp(10.0 * shape, 0.0, 9.0))];
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 3, MPI_DOUBLE, MPI_MAX, simplices_.comm()));
  core::check_mpi(MPI_Allreduce(here.data(), found.shapes.data(), 10, MPI_DOUBLE, MPI_SUM, simplices_.comm()));
  found.smallest_volume = -extremes[0];
  found.largest_volume = extremes[1];
  found.worst_shape = -extremes[2];
  return found;
}

void BoxProblem::after_step(double, Vec y, Vec) {
  if (!moves() && std::isfinite(smallest_volume_)) return;
  load(y, nullptr);
  const Quality now = quality();
  smallest_volume_ = std::min(smallest_volume_, now.smallest_volume);
  worst_quality_ = std::min(worst_quality_, now.worst_shape);
}

/// The farthest point on the box's diagonal from its lower corner where the first component has the front's value, as a
/// part of the diagonal; NaN: none. On a simplex both barycentric coordinates and u are linear along the diagonal.
double BoxProblem::front() const {
  const auto D = static_cast<std::size_t>(dimension());
  const auto& box = simplices_.shape();
  double farthest = -1.0;
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    const Corners x = positions(e);
    const double volume = volume_of(x, dimension());
    double low = 0.0, high = 1.0, u0 = 0.0, derivative = 0.0;
    for (std::size_t a = 0; a <= D; ++a) {
      Corners begin = x, end = x;
      for (std::size_t d = 0; d < D; ++d) {
        begin[a][d] = box.lower[d];
        end[a][d] = box.upper[d];
      }
      const double at_begin = volume_of(begin, dimension()) / volume, at_end = volume_of(end, dimension()) / volume;
      const double change = at_end - at_begin, u = values_[entry(simplices_.corners(e)[a], 0)];
      if (change > 0.0) low = std::max(low, -at_begin / change);
      if (change < 0.0) high = std::min(high, -at_begin / change);
      if (change == 0.0 && at_begin < 0.0) high = -1.0;
      u0 += at_begin * u;
      derivative += change * u;
    }
    const double s = (settings_.front_level - u0) / derivative;
    if (low <= high && s >= low - 1e-12 && s <= high + 1e-12) farthest = std::max(farthest, s);
  }
  farthest = over_ranks(simplices_.comm(), farthest, MPI_MAX);
  return farthest < 0.0 ? std::numeric_limits<double>::quiet_NaN() : farthest;
}

void BoxProblem::watch(double t, Vec y, Vec) {
  load(y, nullptr);
  times_.push_back(t);
  fronts_.push_back(front());
}

dae::Figures BoxProblem::report(double t, Vec y, Vec) {
  load(y, nullptr);
  const Quality now = quality();
  double nodes = 1.0;
  for (int d = 0; d < dimension(); ++d) nodes *= static_cast<double>(simplices_.shape().nodes(d));
  dae::Figures figures;
  figures.emplace_back("mesh_equation", std::string(moves() ? "diffusion" : "fixed"));
  figures.emplace_back("nodes", nodes);
  if (const auto e = errors(t)) {
    figures.emplace_back("error_l2", std::sqrt(over_ranks(simplices_.comm(), e->square, MPI_SUM)));
    figures.emplace_back("error_max", over_ranks(simplices_.comm(), e->largest, MPI_MAX));
  }
  if (!times_.empty()) {
    figures.emplace_back("front_times", times_);
    figures.emplace_back("front", fronts_);
  }
  for (const auto& [name, value] : totals()) figures.emplace_back(name, value);
  figures.emplace_back("smallest_volume", smallest_volume_);
  figures.emplace_back("largest_volume", now.largest_volume);
  figures.emplace_back("worst_quality", worst_quality_);
  figures.emplace_back("quality_histogram", std::vector<double>(now.shapes.begin(), now.shapes.end()));
  return figures;
}

std::vector<std::pair<std::string, double>> BoxProblem::totals() const {
  std::vector<double> here(about_.fields.size(), 0.0), lowest(here.size(), std::numeric_limits<double>::infinity());
  std::vector<double> all(here.size());
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    const double part = volume_of(positions(e), dimension()) / simplices_.vertices();
    for (int a = 0; a < simplices_.vertices(); ++a)
      for (int c = 0; c < components(); ++c) {
        const double u = values_[entry(simplices_.corners(e)[a], c)];
        here[c] += part * u;
        lowest[c] = std::min(lowest[c], u);
      }
  }
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t c = 0; c < here.size(); ++c) {
    out.emplace_back("integral_" + about_.fields[c].name, over_ranks(simplices_.comm(), here[c], MPI_SUM));
    out.emplace_back("lowest_" + about_.fields[c].name, over_ranks(simplices_.comm(), lowest[c], MPI_MIN));
  }
  return out;
}

std::vector<std::pair<std::string, double>> BoxProblem::series(double, Vec y, Vec) {
  load(y, nullptr);
  const Quality now = quality();
  std::vector<std::pair<std::string, double>> all{{"front", front()},
                                                  {"smallest_volume", now.smallest_volume},
                                                  {"largest_volume", now.largest_volume},
                                                  {"worst_quality", now.worst_shape}};
  const auto sums = totals();
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

std::vector<double> BoxProblem::saved_state() const {
  std::vector<double> numbers{smallest_volume_, worst_quality_, static_cast<double>(times_.size())};
  numbers.insert(numbers.end(), times_.begin(), times_.end());
  numbers.insert(numbers.end(), fronts_.begin(), fronts_.end());
  return numbers;
}

void BoxProblem::restore_state(std::span<const double> numbers) {
  constexpr std::size_t head = 3;
  if (numbers.size() < head ||
      numbers.size() != head + 2 * core::stored_count(numbers[2], numbers.size(), "the number of times"))
    throw core::BadInput("the checkpoint's memory is not that of a moving box");
  smallest_volume_ = numbers[0];
  worst_quality_ = numbers[1];
  const std::size_t count = (numbers.size() - head) / 2;
  const auto times = numbers.subspan(head, count), fronts = numbers.subspan(head + count);
  times_.assign(times.begin(), times.end());
  fronts_.assign(fronts.begin(), fronts.end());
}

std::string BoxProblem::signature() const {
  return fmt::format("{} cut into simplices, {}, {} unknowns", simplices_.shape().describe(),
                     moves() ? "moving" : "fixed", unknowns());
}

grid::Mesh BoxProblem::mesh(double, Vec y) {
  load(y, nullptr);
  grid::Mesh mesh;
  mesh.kind = grid::Mesh::Kind::unstructured;
  std::uint64_t nodes = 1;
  for (int d = 0; d < dimension(); ++d) nodes *= static_cast<std::uint64_t>(simplices_.shape().nodes(d));
  mesh.points.global = {nodes, static_cast<std::uint64_t>(dimension())};
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    mesh.points.rows.push_back(static_cast<std::uint64_t>(simplices_.natural(node)));
    for (int d = 0; d < dimension(); ++d) mesh.points.values.push_back(position(node, d));
  }
  grid::CellBlock cells{dimension() == 2 ? grid::CellShape::triangle : grid::CellShape::tetrahedron, {}};
  cells.nodes.global = {simplices_.total(), static_cast<std::uint64_t>(simplices_.vertices())};
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    if (!simplices_.is_counted(e)) continue;
    cells.nodes.rows.push_back(simplices_.index(e));
    for (int a = 0; a < simplices_.vertices(); ++a)
      cells.nodes.values.push_back(simplices_.natural(simplices_.corners(e)[a]));
  }
  mesh.cells.push_back(std::move(cells));
  return mesh;
}

std::vector<grid::FieldBlock> BoxProblem::fields(double, Vec y, Vec) {
  const core::Readable entries(y);
  std::vector<grid::FieldBlock> blocks;
  std::uint64_t nodes = 1;
  for (int d = 0; d < dimension(); ++d) nodes *= static_cast<std::uint64_t>(simplices_.shape().nodes(d));
  for (int f = 0; f < unknowns(); ++f) {
    if (f >= components() && f < monitor_index()) continue;
    const auto& field = fields_[f];
    grid::FieldBlock block{field.name, field.unit, field.long_name, grid::Location::point, 1, {}};
    block.data.global = {nodes};
    for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
      block.data.rows.push_back(static_cast<std::uint64_t>(simplices_.natural(simplices_.owned(i))));
      block.data.values.push_back(entries[i * unknowns() + f]);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<PetscInt> BoxProblem::natural_indices() const {
  std::vector<PetscInt> numbers;
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i)
    for (int f = 0; f < unknowns(); ++f) numbers.push_back(simplices_.natural(simplices_.owned(i)) * unknowns() + f);
  return numbers;
}

} // namespace rhumb::moving_box
