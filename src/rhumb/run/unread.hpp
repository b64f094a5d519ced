#pragma once
/// Options that were given and that nobody read: a misspelt name must not pass in silence.

#include <rhumb/core/options.hpp>
#include <cstdint>
#include <string>

namespace rhumb::run {

/// PETSc reads some options of a preconditioner (-dae_sub_..., -dae_mg_..., -dae_mat_...) only when it sets it up, that
/// is inside the first step.
enum class Moment : std::uint8_t { before_start, after_first_step };

/// Throws core::BadInput with the nearest known name when an option was given that should have been read by now and was
/// not. `prefix` is that of the integrator's PETSc objects.
void reject_unknown_options(const core::Options& options, const std::string& prefix, Moment moment);

} // namespace rhumb::run
