#include "physics/heat/errors.hpp"

#include "core/arrays.hpp"
#include "core/failure.hpp"
#include <cmath>

namespace rhumb::heat {

namespace {

bool separates(const Case& heat_case) {
  const auto zero = [](const Expression& e) { return !e.uses_place() && !e.uses('t') && !e.uses('T') && e({}) == 0.0; };
  if (Coefficients::variety(heat_case) != Coefficients::Variety::uniform) return false;
  if (!zero(heat_case.materials[0].source)) return false;
  if (heat_case.materials[0].k.uses('t')) return false;
  for (std::size_t side = 0; side < 2 * heat_case.shape.cells.size(); ++side)
    if (heat_case.walls[side].type != Wall::Type::dirichlet || !zero(*heat_case.walls[side].value)) return false;
  return true;
}

} // namespace

Errors::Errors(const Case& heat_case, const grid::Box& box, const Coefficients& coefficients)
    : case_(heat_case), box_(box), coefficients_(coefficients) {
  if (!case_.exact_profile) return;
  if (!separates(case_))
    throw core::BadInput(
        "-exact_profile is for constant coefficients, no source and -bc_type dirichlet with -bc_value 0 "
        "on all sides");
  modes_.emplace(*case_.exact_profile, case_.shape, coefficients.diffusivity());
}

void Errors::take(double t, Vec y) {
  if (!known()) return;
  if (modes_) modes_->at(t);
  const core::Readable T(y);
  double largest = 0.0;
  std::array<double, 2> sums{}; // volume times square, volume
  for (PetscInt own = 0; own < box_.own_nodes(); ++own) {
    const auto point = box_.point(own);
    const double exact = modes_ ? modes_->value(point) : (*case_.exact)({box_.position(point), t, 0.0});
    const double error = std::abs(T[static_cast<std::size_t>(own)] - exact), volume = coefficients_.volume(own);
    largest = std::max(largest, error);
    sums[0] += volume * error * error;
    sums[1] += volume;
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, box_.comm()));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, box_.comm()));
  largest_ = std::max(largest_, largest);
  l2_ = std::max(l2_, std::sqrt(sums[0] / sums[1]));
}

std::span<const double> Errors::set_memory(std::span<const double> numbers) {
  largest_ = numbers[0];
  l2_ = numbers[1];
  return numbers.subspan(2);
}

} // namespace rhumb::heat
