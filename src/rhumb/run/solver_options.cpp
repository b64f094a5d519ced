#include <rhumb/run/solver_options.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

namespace rhumb::run {

namespace {
/// Larger counts (iterations, levels, overlaps) are no use, and some would take all memory.
constexpr long max_count = 1'000'000;

constexpr std::string_view integrator_prefix = "dae_";

/// The parts of a preconditioner, which may stand inside each other. mg_levels_<k>_ and fieldsplit_<k>_ too.
constexpr std::array<std::string_view, 13> parts{
    "mg_levels_", "mg_coarse_", "sub_",    "redundant_",           "telescope_",           "esteig_",
    "inner_",     "upper_",     "coarse_", "fieldsplit_velocity_", "fieldsplit_pressure_", "fieldsplit_stream_",
    "ksp_ksp_"};
constexpr std::array<std::string_view, 2> numbered_parts{"mg_levels_", "fieldsplit_"};

constexpr std::string_view ksp_types = "spigmr gmres fgmres lgmres pgmres gcr cg pipecg cgs bcgs fbcgs bcgsl "
                                       "tfqmr cr minres symmlq lsqr richardson chebyshev preonly";
constexpr std::string_view pc_types = "none jacobi pbjacobi bjacobi sor ilu icc lu cholesky asm gasm mg gamg "
                                      "hypre redundant telescope fieldsplit ksp svd";
constexpr std::string_view packages = "petsc klu umfpack cholmod superlu_dist mumps";
constexpr std::string_view orderings = "natural nd 1wd rcm qmd rowlength amd";
constexpr std::string_view shifts = "none nonzero positive_definite inblocks";
constexpr std::string_view cycles = "multiplicative additive full kaskade";
constexpr std::string_view overlaps = "basic restrict interpolate none";
constexpr std::string_view sides = "left right symmetric";
constexpr std::string_view norms = "none preconditioned unpreconditioned natural default";

enum class Kind : std::uint8_t { flag, count, real, reals, string };

/// What a value must be; `words` are those of Kind::word.
struct Rule {
  std::string_view name;
  Kind kind;
  std::string_view choices = "";
};

/// Left out are those that crash PETSc 3.18, or what it calls, on some system of ours (tests/security found them):
/// dgmres, fcg, vpbjacobi, euclid, gamg's threshold, factors in place, nonzeros moved to the diagonal, and smoothers of
/// hypre for regular matrices only.
constexpr std::array rules{
    // Krylov methods
    Rule{"ksp_type", Kind::string, ksp_types}, Rule{"ksp_max_it", Kind::count}, Rule{"ksp_rtol", Kind::real},
    Rule{"ksp_atol", Kind::real}, Rule{"ksp_divtol", Kind::real}, Rule{"ksp_gmres_restart", Kind::count},
    Rule{"ksp_gmres_modifiedgramschmidt", Kind::flag}, Rule{"ksp_spigmr_single", Kind::flag},
    Rule{"ksp_knoll", Kind::flag}, Rule{"ksp_pc_side", Kind::string, sides}, Rule{"ksp_norm_type", Kind::string, norms},
    Rule{"ksp_richardson_scale", Kind::real}, Rule{"ksp_chebyshev_eigenvalues", Kind::reals},
    Rule{"ksp_chebyshev_esteig", Kind::reals}, Rule{"ksp_chebyshev_esteig_steps", Kind::count},
    Rule{"ksp_lgmres_augment", Kind::count},
    // preconditioners
    Rule{"pc_type", Kind::string, pc_types}, Rule{"pc_side", Kind::string, sides},
    Rule{"pc_jacobi_type", Kind::string, "diagonal rowmax rowsum"}, Rule{"pc_jacobi_abs", Kind::flag},
    Rule{"pc_bjacobi_blocks", Kind::count}, Rule{"pc_bjacobi_local_blocks", Kind::count},
    Rule{"pc_sor_omega", Kind::real}, Rule{"pc_sor_its", Kind::count}, Rule{"pc_sor_lits", Kind::count},
    Rule{"pc_sor_symmetric", Kind::flag}, Rule{"pc_sor_backward", Kind::flag}, Rule{"pc_sor_forward", Kind::flag},
    Rule{"pc_sor_local_symmetric", Kind::flag}, Rule{"pc_sor_local_backward", Kind::flag},
    Rule{"pc_sor_local_forward", Kind::flag}, Rule{"pc_asm_overlap", Kind::count},
    Rule{"pc_asm_type", Kind::string, overlaps}, Rule{"pc_asm_blocks", Kind::count},
    Rule{"pc_asm_local_type", Kind::string, "additive multiplicative"}, Rule{"pc_gasm_overlap", Kind::count},
    Rule{"pc_gasm_type", Kind::string, overlaps}, Rule{"pc_redundant_number", Kind::count},
    Rule{"pc_telescope_reduction_factor", Kind::count},
    Rule{"pc_fieldsplit_type", Kind::string, "additive multiplicative symmetric_multiplicative schur"},
    Rule{"pc_fieldsplit_schur_fact_type", Kind::string, "diag lower upper full"},
    Rule{"pc_fieldsplit_schur_precondition", Kind::string, "self selfp a11 full"},
    Rule{"pc_fieldsplit_detect_saddle_point", Kind::flag}, Rule{"fieldsplit_stream_from", Kind::real},
    Rule{"fieldsplit_coupled_from", Kind::real},
    // factorizations
    Rule{"pc_factor_mat_solver_type", Kind::string, packages},
    Rule{"pc_factor_mat_ordering_type", Kind::string, orderings}, Rule{"pc_factor_levels", Kind::count},
    Rule{"pc_factor_fill", Kind::real}, Rule{"pc_factor_zeropivot", Kind::real},
    Rule{"pc_factor_shift_type", Kind::string, shifts}, Rule{"pc_factor_shift_amount", Kind::real},
    Rule{"pc_factor_reuse_ordering", Kind::flag}, Rule{"pc_factor_reuse_fill", Kind::flag},
    Rule{"pc_factor_diagonal_fill", Kind::flag}, Rule{"pc_factor_pivot_in_blocks", Kind::flag},
    Rule{"mat_superlu_dist_equil", Kind::flag}, Rule{"mat_superlu_dist_replacetinypivot", Kind::flag},
    Rule{"mat_superlu_dist_iterrefine", Kind::flag},
    Rule{"mat_superlu_dist_rowperm", Kind::string, "norowperm largediag_mc64 largediag_awpm"},
    Rule{"mat_superlu_dist_colperm", Kind::string, "natural mmd_at_plus_a mmd_ata metis_at_plus_a"},
    // multigrid
    Rule{"pc_mg_cycle_type", Kind::string, "v w"}, Rule{"pc_mg_multiplicative_cycles", Kind::count},
    Rule{"pc_mg_distinct_smoothup", Kind::flag}, Rule{"pc_mg_galerkin", Kind::string, "both pmat mat none external"},
    Rule{"pc_gamg_type", Kind::string, "agg geo classical"}, Rule{"pc_gamg_agg_nsmooths", Kind::count},
    Rule{"pc_gamg_square_graph", Kind::count}, Rule{"pc_gamg_symmetrize_graph", Kind::flag},
    Rule{"pc_gamg_coarse_eq_limit", Kind::count}, Rule{"pc_gamg_process_eq_limit", Kind::count},
    Rule{"pc_gamg_repartition", Kind::flag}, Rule{"pc_gamg_reuse_interpolation", Kind::flag},
    Rule{"pc_gamg_asm_use_agg", Kind::flag}, Rule{"pc_gamg_esteig_ksp_max_it", Kind::count},
    Rule{"pc_gamg_esteig_ksp_type", Kind::string, "cg gmres"},
    // hypre
    Rule{"pc_hypre_type", Kind::string, "boomeramg pilut parasails"},
    Rule{"pc_hypre_boomeramg_cycle_type", Kind::string, "v w"}, Rule{"pc_hypre_boomeramg_max_levels", Kind::count},
    Rule{"pc_hypre_boomeramg_max_iter", Kind::count}, Rule{"pc_hypre_boomeramg_tol", Kind::real},
    Rule{"pc_hypre_boomeramg_strong_threshold", Kind::real}, Rule{"pc_hypre_boomeramg_max_row_sum", Kind::real},
    Rule{"pc_hypre_boomeramg_truncfactor", Kind::real}, Rule{"pc_hypre_boomeramg_p_max", Kind::count},
    Rule{"pc_hypre_boomeramg_agg_nl", Kind::count}, Rule{"pc_hypre_boomeramg_agg_num_paths", Kind::count},
    Rule{"pc_hypre_boomeramg_grid_sweeps_all", Kind::count}, Rule{"pc_hypre_boomeramg_grid_sweeps_down", Kind::count},
    Rule{"pc_hypre_boomeramg_grid_sweeps_up", Kind::count}, Rule{"pc_hypre_boomeramg_relax_weight_all", Kind::real},
    Rule{"pc_hypre_boomeramg_outer_relax_weight_all", Kind::real},
    Rule{"pc_hypre_boomeramg_relax_type_all", Kind::string,
         "jacobi sequential-gauss-seidel sor/jacobi backward-sor/jacobi symmetric-sor/jacobi "
         "l1scaled-jacobi"},
    Rule{"pc_hypre_boomeramg_coarsen_type", Kind::string, "cljp ruge-stueben modifiedruge-stueben falgout pmis hmis"},
    Rule{"pc_hypre_boomeramg_interp_type", Kind::string,
         "classical direct multipass multipass-wts ext+i ext+i-cc standard standard-wts block block-wtd ff ff1 ext "
         "ext+e ext+e-mm"},
    Rule{"pc_hypre_pilut_maxiter", Kind::count}, Rule{"pc_hypre_pilut_tol", Kind::real}};

/// MUMPS has its parameters by number. Left out: those that print, that put factors on disk (22), and that tell it how
/// the matrix is handed over, which PETSc does.
constexpr Rule mumps_integer{"mat_mumps_icntl_<k>", Kind::count};
constexpr Rule mumps_real{"mat_mumps_cntl_<k>", Kind::real};

std::optional<int> number_behind(std::string_view name, std::string_view before) {
  if (!name.starts_with(before)) return std::nullopt;
  const auto number = core::parse_integer(std::string(name.substr(before.size())));
  if (!number || *number < 0 || *number > 99) return std::nullopt;
  return static_cast<int>(*number);
}

const Rule* mumps_rule(std::string_view name) {
  constexpr std::array harmless{6, 7, 8, 10, 11, 12, 13, 14, 23, 24, 27, 28, 29, 35, 36, 38};
  if (const auto k = number_behind(name, "mat_mumps_icntl_"))
    return std::ranges::find(harmless, *k) != harmless.end() ? &mumps_integer : nullptr;
  return number_behind(name, "mat_mumps_cntl_") ? &mumps_real : nullptr;
}

/// Takes "fieldsplit_12_" or "mg_levels_3_" off the front of the name.
bool drop_numbered_part(std::string_view& name) {
  for (const auto part : numbered_parts) {
    if (!name.starts_with(part)) continue;
    const auto rest = name.substr(part.size());
    const auto digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || digits > 2 || rest[digits] != '_') continue;
    name = rest.substr(digits + 1);
    return true;
  }
  return false;
}

bool drop_part(std::string_view& name) {
  if (drop_numbered_part(name)) return true;
  const auto part = std::ranges::find_if(parts, [&](std::string_view begin) { return name.starts_with(begin); });
  if (part == parts.end()) return false;
  name.remove_prefix(part->size());
  return true;
}

const Rule* rule_of(std::string_view name) {
  if (!name.starts_with(integrator_prefix)) return nullptr;
  name.remove_prefix(integrator_prefix.size());
  do {
    const auto known = std::ranges::find(rules, name, &Rule::name);
    if (known != rules.end()) return &*known;
    if (const Rule* mumps = mumps_rule(name)) return mumps;
  } while (drop_part(name));
  return nullptr;
}

std::vector<std::string> choices_of(std::string_view text) {
  std::vector<std::string> choices;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    choices.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

/// What the rule wants, in words; nothing where the value will do.
std::string unmet_requirement(const Rule& rule, const std::string& value) {
  const auto is_real = [](const std::string& string) { return core::parse_real(string).has_value(); };
  switch (rule.kind) {
  case Kind::flag:
    return core::parse_flag(value) ? "" : "true or false is wanted";
  case Kind::count: {
    const auto count = core::parse_integer(value);
    return count && *count >= 0 && *count <= max_count ? "" : fmt::format("a count of 0 ... {} is wanted", max_count);
  }
  case Kind::real:
    return is_real(value) ? "" : "a number is wanted";
  case Kind::reals:
    return !value.empty() && std::ranges::all_of(core::split_at_commas(value), is_real)
               ? ""
               : "numbers between commas are wanted";
  case Kind::string:
    break;
  }
  const auto choices = choices_of(rule.choices);
  if (std::ranges::find(choices, core::to_lower(value)) != choices.end()) return "";
  const std::string meant = core::nearest(value, choices);
  return fmt::format("in a case file one of {} is wanted{}", fmt::join(choices, ", "),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}
} // namespace

bool is_solver_option(const std::string& name) {
  return rule_of(core::to_lower(name)) != nullptr;
}

void check_solver_option(const core::FileValue& given) {
  const Rule* rule = rule_of(core::to_lower(given.name));
  const std::string wanted = rule ? unmet_requirement(*rule, given.value) : "a case file cannot set it";
  if (!wanted.empty())
    throw core::BadInput(fmt::format("{}: option -{} {}: {}", given.location, given.name, given.value, wanted));
}

std::vector<std::string> solver_option_names() {
  std::vector<std::string> names;
  for (const auto& rule : rules) names.emplace_back(rule.name);
  names.emplace_back(mumps_integer.name);
  names.emplace_back(mumps_real.name);
  return names;
}

} // namespace rhumb::run
