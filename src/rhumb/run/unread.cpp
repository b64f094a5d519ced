#include <rhumb/run/unread.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/run/solver_options.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <petscsys.h>
#include <span>
#include <string_view>

namespace rhumb::run {

namespace {
/// Options of PETSc as a whole that it reads when it ends, or when the first object of a kind is made.
constexpr std::array petsc_options{"options_left",
                                   "options_view",
                                   "options_monitor",
                                   "objects_dump",
                                   "objects_view",
                                   "memory_view",
                                   "malloc_dump",
                                   "malloc_view",
                                   "malloc_debug",
                                   "malloc_info",
                                   "get_total_flops",
                                   "mpidump",
                                   "citations",
                                   "log_exclude",
                                   "log_view",
                                   "log_view_memory",
                                   "log_trace",
                                   "log_summary",
                                   "log",
                                   "log_all",
                                   "sf_type",
                                   "sf_backend",
                                   "skip_petscrc",
                                   "on_error_abort",
                                   "on_error_abort_mpi",
                                   "on_error_attach_debugger",
                                   "error_output_stdout",
                                   "nox",
                                   "history",
                                   "info",
                                   "fp_trap",
                                   "no_signal_handler"};

/// Parts of a preconditioner that get their options when it is set up; they follow the integrator's prefix.
constexpr std::array inner_parts{"mat_",       "sub_",  "mg_",      "fieldsplit_", "redundant_",
                                 "telescope_", "gamg_", "esteig_",  "inner_",      "coarse_",
                                 "schur_",     "lsc_",  "ksp_ksp_", "galerkin_",   "bddc_"};

/// Names that PETSc knows, for the message only.
constexpr std::array petscs_frequent{"ksp_type",          "ksp_spigmr_single", "ksp_max_it",
                                     "ksp_gmres_restart", "ksp_view",          "ksp_monitor",
                                     "pc_type",           "pc_factor_levels",  "pc_factor_mat_solver_type",
                                     "sub_pc_type",       "sub_ksp_type",      "sub_pc_factor_levels",
                                     "pc_asm_overlap",    "mg_levels_pc_type", "mg_levels_ksp_type",
                                     "mat_type",          "pc_mg_levels"};

bool starts_with_any(std::string_view name, std::span<const char* const> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return name.starts_with(part); });
}

bool read_later(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && starts_with_any(name.substr(prefix.size()), inner_parts);
}

/// The names that a user may have meant.
std::string nearest_to(const std::string& name, const core::Options& options, std::span<const std::string> solvers,
                       const std::string& prefix) {
  std::vector<std::string> known;
  for (const auto& option : options.declared()) known.push_back(option.name);
  for (const auto& solver : solvers) known.push_back(prefix + solver);
  const auto same = [full = core::to_lower(prefix + name)](const std::string& k) { return core::to_lower(k) == full; };
  if (const auto whole = std::ranges::find_if(known, same); whole != known.end()) return *whole; // -rtol
  return core::nearest(name, known);
}

/// PETSc has not seen this one: it is none that a case file may set.
[[noreturn]] void reject_of_file(const core::FileValue& value, const core::Options& options,
                                 const std::string& prefix) {
  const std::string meant = nearest_to(value.name, options, solver_option_names(), prefix);
  throw core::BadInput(fmt::format("{}: option -{} is not known here{} a case file sets options of the driver (-help) "
                                   "and of the linear solver; others come from the command line",
                                   value.location, value.name,
                                   meant.empty() ? ":" : fmt::format(", did you mean -{}?", meant)));
}

[[noreturn]] void reject(const std::string& name, const core::Options& options, const std::string& prefix) {
  const std::vector<std::string> frequent(petscs_frequent.begin(), petscs_frequent.end());
  const std::string meant = nearest_to(name, options, frequent, prefix);
  if (meant == core::to_lower(name))
    throw core::BadInput(fmt::format("option -{} has no effect: no part of the linear solver in use reads it "
                                     "(-dae_ksp_view shows the parts)",
                                     name));
  throw core::BadInput(fmt::format("option -{} is not known here{} -help lists the options", name,
                                   meant.empty() ? ";" : fmt::format(", did you mean -{}?", meant)));
}
} // namespace

void reject_unknown_options(const core::Options& options, const std::string& prefix, Moment moment) {
  for (const auto& given : options.unread()) {
    const std::string name = core::to_lower(given.name);
    const bool of_file = !given.location.empty();
    if (of_file && !is_solver_option(name)) reject_of_file(given, options, prefix); // PETSc will never see it
    if (std::ranges::find(petsc_options, name) != petsc_options.end()) continue;
    if (moment == Moment::before_start && read_later(name, prefix)) continue;
    of_file ? reject_of_file(given, options, prefix) : reject(given.name, options, prefix);
  }
}

} // namespace rhumb::run
