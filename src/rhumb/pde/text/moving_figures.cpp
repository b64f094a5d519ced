#include <rhumb/pde/text/moving_figures.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/handle.hpp>
#include <rhumb/pde/text/weak_terms.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>

namespace rhumb::text {

using Kind = Reduction::Kind;

MovingFigures::MovingFigures(const Case& read)
    : directions_(static_cast<std::size_t>(read.model.dimension)), fields_(read.model.fields.size()),
      reductions_(read.model.reductions), origins_(read.origins) {
  const Model& model = read.model;
  WeakTerms weak(model);
  for (std::size_t k = 0; k < reductions_.size(); ++k) {
    const Node operand = weak.value(reductions_[k].operand);
    operands_.emplace_back(weak.graph(), std::vector{operand}, directions_, fields_);
  }
  std::vector<Node> formulas;
  for (const auto& figure : model.figures) {
    names_.push_back(figure.name);
    formulas.push_back(figure.formula);
  }
  figures_ = Program(model.graph, formulas, fields_);
}

/// The fields' slopes are those of the cell, rates are not known.
MovingFigures::Cell MovingFigures::cell(const double* corners) const {
  const std::size_t size = corner_size();
  Cell cell{corners, std::vector<double>(row_size(directions_, fields_), 0.0)};
  std::array<std::array<double, 2>, 2> edge{},
      dual{}; // edges from the first corner, gradients of the others' functions
  for (std::size_t a = 0; a < directions_; ++a)
    for (std::size_t d = 0; d < directions_; ++d) edge[a][d] = corners[(a + 1) * size + d] - corners[d];
  if (directions_ == 1) {
    cell.volume = edge[0][0];
    dual[0][0] = 1.0 / edge[0][0];
  } else {
    const double determinant = edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0];
    cell.volume = 0.5 * determinant;
    dual[0] = {edge[1][1] / determinant, -edge[1][0] / determinant};
    dual[1] = {-edge[0][1] / determinant, edge[0][0] / determinant};
  }
  for (std::size_t d = 0; d < directions_; ++d)
    for (std::size_t f = 0; f < fields_; ++f)
      for (std::size_t a = 0; a < directions_; ++a)
        cell.row[directions_ + (1 + d) * fields_ + f] +=
            dual[a][d] * (corners[(a + 1) * size + directions_ + f] - corners[directions_ + f]);
  return cell;
}

double MovingFigures::at(std::size_t which, const Uniforms& now, Cell& cell,
                         std::span<const double> barycentric) const {
  for (std::size_t i = 0; i < corner_size(); ++i) {
    cell.row[i] = 0.0;
    for (std::size_t a = 0; a <= directions_; ++a) cell.row[i] += barycentric[a] * cell.corners[a * corner_size() + i];
  }
  double value = 0.0;
  operands_[which](cell.row, now, &value);
  return value;
}

/// By as many points as the cell has corners: exact for products of two linear functions.
double MovingFigures::integral(std::size_t which, const Uniforms& now, Cell& cell) const {
  const double far = directions_ == 1 ? 0.21132486540518711775 : 1.0 / 6.0; // (1 - 1/sqrt 3)/2
  double sum = 0.0;
  for (std::size_t q = 0; q <= directions_; ++q) {
    std::array<double, 3> place{far, far, far};
    place[q] = 1.0 - static_cast<double>(directions_) * far;
    sum += at(which, now, cell, place);
  }
  return cell.volume * sum / static_cast<double>(directions_ + 1);
}

double MovingFigures::maximum(std::size_t which, const Uniforms& now, Cell& cell, double sign) const {
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a <= directions_; ++a) {
    std::array<double, 3> corner{};
    corner[a] = 1.0;
    highest = std::max(highest, sign * at(which, now, cell, corner));
  }
  return highest;
}

bool MovingFigures::find(std::size_t which, const Cell& cell, std::array<double, 3>& barycentric) const {
  constexpr double rounding = 1e-9;
  const auto& wanted = reductions_[which].position;
  const double* c = cell.corners;
  const std::size_t size = corner_size();
  const double x = wanted[0] - c[0], y = directions_ == 1 ? 0.0 : wanted[1] - c[1];
  if (directions_ == 1) {
    barycentric[1] = x / cell.volume;
    barycentric[2] = 0.0;
  } else {
    const double x1 = c[size] - c[0], y1 = c[size + 1] - c[1], x2 = c[2 * size] - c[0], y2 = c[2 * size + 1] - c[1];
    barycentric[1] = (x * y2 - y * x2) / (2.0 * cell.volume);
    barycentric[2] = (x1 * y - y1 * x) / (2.0 * cell.volume);
  }
  barycentric[0] = 1.0 - barycentric[1] - barycentric[2];
  return std::ranges::min(barycentric) >= -rounding;
}

/// A place between cells belongs to all of them, and their mean is taken: slopes differ.
double MovingFigures::reduce(MPI_Comm comm, std::size_t which, const Uniforms& now,
                             const std::vector<double>& cells) const {
  const Kind kind = reductions_[which].kind;
  const double sign = kind == Kind::minimum ? -1.0 : 1.0;
  const bool extremum = kind == Kind::minimum || kind == Kind::maximum;
  std::array<double, 2> sums{}; // and what they are divided by
  double highest = -std::numeric_limits<double>::infinity();
  const std::size_t size = (directions_ + 1) * corner_size();
  for (std::size_t first = 0; first < cells.size(); first += size) {
    Cell here = cell(cells.data() + first);
    std::array<double, 3> place{};
    if (extremum) {
      highest = std::max(highest, maximum(which, now, here, sign));
    } else if (kind != Kind::probe) {
      sums[0] += integral(which, now, here);
      sums[1] += here.volume;
    } else if (find(which, here, place)) {
      sums[0] += at(which, now, here, place);
      sums[1] += 1.0;
    }
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, comm));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPI_DOUBLE, MPI_MAX, comm));
  if (extremum) return sign * highest;
  if (kind == Kind::probe && sums[1] == 0.0)
    throw core::BadInput(fmt::format("{}: at(..., {}): this lies outside of the mesh", origins_[which],
                                     fmt::join(reductions_[which].position, ", ")));
  return kind == Kind::integral ? sums[0] : sums[0] / sums[1];
}

/// On a line, whose cells are in order: the smallest x at which the operand has the level.
double MovingFigures::position(std::size_t which, const Uniforms& now, const std::vector<double>& cells) const {
  const std::size_t size = 2 * corner_size();
  for (std::size_t first = 0; first < cells.size(); first += size) {
    Cell here = cell(cells.data() + first);
    const double a = at(which, now, here, std::array{1.0, 0.0}) - reductions_[which].level;
    const double b = at(which, now, here, std::array{0.0, 1.0}) - reductions_[which].level;
    if (a == 0.0) return here.corners[0];
    if ((a < 0.0) != (b < 0.0)) return here.corners[0] + a / (a - b) * here.volume;
    if (b == 0.0) return here.corners[0] + here.volume;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::pair<std::string, double>> MovingFigures::values(MPI_Comm comm, double t,
                                                                  std::span<const double> parameters,
                                                                  const std::vector<double>& cells) const {
  std::vector<double> found(reductions_.size(), 0.0);
  Uniforms now{.t = t, .parameters = parameters, .reductions = found}; // each may use those before it
  for (std::size_t k = 0; k < found.size(); ++k)
    found[k] = reductions_[k].kind == Kind::position ? position(k, now, cells) : reduce(comm, k, now, cells);
  figures_.begin(now);
  std::vector<std::pair<std::string, double>> all;
  for (std::size_t i = 0; i < names_.size(); ++i) all.emplace_back(names_[i], figures_.uniform_result(i));
  return all;
}

} // namespace rhumb::text
