#pragma once
/// What a user may choose beyond TS's own options: -ts_rhumb_*.

#include <rhumb/bdf/options.hpp>
#include <petscts.h>
#include <vector>

namespace rhumb::ts {

struct TsSettings {
  int max_order = 5;
  double first_step = 0.0; ///< 0: chosen by the integrator, not by -ts_dt
  bdf::ErrorTest error_test = bdf::ErrorTest::automatic;
  bdf::Exclude exclude = bdf::IntegratorOptions{}.exclude;
  double kappa = 1.0;
  bdf::Start start = bdf::Start::find;
  bdf::Operator linear_operator = bdf::Operator::automatic;
  double newton_tolerance = bdf::IntegratorOptions{}.newton_tolerance;
  double linear_tolerance = bdf::IntegratorOptions{}.linear_tolerance;
  bool check_jacobian = false;
  /// Global numbers of algebraic variables, and of those of index 2 and 3; empty: from the TS, or detected.
  std::vector<PetscInt> algebraic, index2, index3;
  int readings = 0; ///< how often the options were read: each time those of KSP and PC may have changed as well
  bool operator==(const TsSettings&) const = default;
};

/// Reads -ts_rhumb_* under the TS's prefix; prints them for -help.
PetscErrorCode read_settings(PetscOptionItems* PetscOptionsObject, TsSettings& settings);

/// The integrator's options for this TS: its tolerances, step limits, adaptor and prefix, and the settings. `dt` is the
/// time step that the program asked for.
bdf::IntegratorOptions integrator_options(TS ts, const TsSettings& settings, double dt);

/// Whether steps are of the program's size (-ts_adapt_type none).
bool has_fixed_step(TS ts);

/// Whether an option of this name is given under the prefix of the TS.
bool option_given(TS ts, const char* name);

} // namespace rhumb::ts
