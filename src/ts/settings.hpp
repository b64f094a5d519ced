#pragma once
/// What a user may choose beyond TS's own options: -ts_rhumb_*.

#include "bdf/options.hpp"
#include <petscts.h>
#include <vector>

namespace rhumb::ts {

struct Settings {
  int max_order = 5;
  double first_step = 0.0; ///< 0: chosen by the integrator, not by -ts_dt
  bdf::ErrorTest error_test = bdf::ErrorTest::automatic;
  double kappa = 1.0;
  bdf::Start start = bdf::Start::find;
  bdf::Operator linear_operator = bdf::Operator::automatic;
  /// Global numbers of algebraic variables, and of those of index 2 and 3; empty: from the TS, or detected.
  std::vector<PetscInt> algebraic, index2, index3;
};

/// Reads -ts_rhumb_* under the TS's prefix; prints them for -help.
PetscErrorCode read_settings(PetscOptionItems* PetscOptionsObject, Settings& settings);

/// The integrator's options for this TS: its tolerances, step limits, adaptor and prefix, and the settings.
bdf::Options integrator_options(TS ts, const Settings& settings);

/// Whether an option of this name is given under the prefix of the TS.
bool option_given(TS ts, const char* name);

} // namespace rhumb::ts
