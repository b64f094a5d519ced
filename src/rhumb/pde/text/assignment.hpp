#pragma once
/// Which equation determines which field, and of what kind the fields are.

#include <rhumb/pde/text/model.hpp>

namespace rhumb::text {

/// Puts the equations in the order of the fields that they determine, with signs that make the rate of that field
/// positive as it is written, and sets the fields' kinds: differential where a rate of the field stands in an
/// equation; index 1 where an equation without rates holds it; index 2 where the equation that is left for it, without
/// rates, does not. Throws BadInput that names a field which nothing determines.
void assign_equations(Model& model);

} // namespace rhumb::text
