#include <rhumb/physics/heat/errors.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>

namespace rhumb::heat {

namespace {

bool separates(const Case& heat_case) {
  const auto zero = [](const Expression& e) {
    return !e.uses_position() && !e.uses('t') && !e.uses('T') && e({}) == 0.0;
  };
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

WorstErrors::Share Errors::share(double t, Vec y) {
  if (modes_) modes_->at(t);
  const core::Readable T(y);
  WorstErrors::Share here;
  for (PetscInt owned = 0; owned < box_.owned_nodes(); ++owned) {
    const auto point = box_.point(owned);
    const double exact = modes_ ? modes_->value(point) : (*case_.exact)({box_.position(point), t, 0.0});
    const double error = std::abs(T[owned] - exact), volume = coefficients_.volume(owned);
    here.largest = std::max(here.largest, error);
    here.squares += volume * error * error;
    here.volume += volume;
  }
  return here;
}

} // namespace rhumb::heat
