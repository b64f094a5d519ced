#include <rhumb/bdf/check_jacobian.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/coloured_jacobian.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace rhumb::bdf {

using core::check;

namespace {

/// Differences are good to about sqrt(u) of the row's largest entry; this much of it is a mistake.
constexpr double limit = 1e-4;

/// A row of a matrix, for as long as the object lives.
class MatrixRow {
public:
  MatrixRow(Mat matrix, PetscInt index) : matrix_(matrix), index_(index) {
    check(MatGetRow(matrix, index, &count_, &columns_, &values_));
  }
  ~MatrixRow() { MatRestoreRow(matrix_, index_, &count_, &columns_, &values_); }
  MatrixRow(const MatrixRow&) = delete;
  MatrixRow& operator=(const MatrixRow&) = delete;

  std::size_t size() const { return static_cast<std::size_t>(count_); }
  PetscInt column(std::size_t p) const { return columns_[p]; }
  double operator[](std::size_t p) const { return values_[p]; }
  double largest() const {
    double size = 0.0;
    for (PetscInt p = 0; p < count_; ++p) size = std::max(size, std::abs(values_[p]));
    return size;
  }

private:
  Mat matrix_;
  PetscInt index_, count_ = 0;
  const PetscInt* columns_ = nullptr;
  const PetscScalar* values_ = nullptr;
};

/// Tolerances whose weights are the fields' largest values; a field that is zero everywhere has 1.
dae::Tolerances sizes_of_fields(dae::GuardedSystem& system, Vec y) {
  dae::Tolerances sizes{.rtol = 0.0, .atol = 1.0};
  sizes.atol_of_field.assign(system.system().fields().size(), 0.0);
  const core::Readable values(y);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& size = sizes.atol_of_field[system.system().field_of(static_cast<PetscInt>(i))];
    size = std::max(size, std::abs(values[i]));
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sizes.atol_of_field.data(), static_cast<int>(sizes.atol_of_field.size()),
                                MPI_DOUBLE, MPI_MAX, system.comm()));
  for (double& size : sizes.atol_of_field)
    if (size == 0.0) size = sizes.atol;
  return sizes;
}

} // namespace

void check_jacobian(dae::GuardedSystem& system, const dae::Weights& weights, Mat given, double t, Vec y, Vec ydot,
                    double alpha, Vec residual) {
  const dae::Weights sizes(system, sizes_of_fields(system, y));
  dae::ColouredJacobian coloured(system, given);
  constexpr auto smallest = dae::ColouredJacobian::Increments::smallest;
  std::array<core::MatHandle, 2> differences;
  for (auto& matrix : differences) check(MatDuplicate(given, MAT_DO_NOT_COPY_VALUES, matrix.out()));
  coloured.evaluate(t, y, ydot, alpha, residual, weights, differences[0], smallest);
  if (!system.all_well()) throw core::BadInput("the Jacobian could not be checked: the residual fails near the start");
  coloured.evaluate(t, y, ydot, alpha, residual, sizes, differences[1], smallest);
  if (!system.all_well()) check(MatCopy(differences[0], differences[1], SAME_NONZERO_PATTERN)); // too far away

  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(given, &first, &last));
  const auto fields = system.system().fields();
  std::string complaint;
  for (PetscInt i = first; i < last && complaint.empty(); ++i) {
    const MatrixRow row(given, i), fine(differences[0], i), coarse(differences[1], i);
    const double largest = std::min(fine.largest(), coarse.largest());
    for (std::size_t p = 0; p < row.size() && complaint.empty(); ++p) {
      const double off_fine = std::abs(row[p] - fine[p]), off_coarse = std::abs(row[p] - coarse[p]);
      const double allowed = limit * std::max(largest, std::abs(row[p]));
      if (off_fine <= allowed || off_coarse <= allowed) continue;
      complaint = fmt::format("the system's Jacobian disagrees with differences in row {} (field {}), column {}: "
                              "{:.8g} given, {:.8g} by differences",
                              i, fields[system.system().field_of(i - first)].name, row.column(p), row[p],
                              off_coarse < off_fine ? coarse[p] : fine[p]);
    }
  }
  std::array<double, 1> wrong_ranks{complaint.empty() ? 0.0 : 1.0};
  system.reduce(wrong_ranks);
  if (!complaint.empty()) throw core::BadInput(complaint);
  if (wrong_ranks[0] > 0.0) throw core::BadInput("the system's Jacobian disagrees with differences on another rank");
}

} // namespace rhumb::bdf
