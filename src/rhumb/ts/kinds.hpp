#pragma once
/// Which variables of a TS are algebraic, and of which index. In order of authority:
///   1. index sets composed on the TS under "rhumb_algebraic", "rhumb_index2", "rhumb_index3" (global numbers);
///   2. the options -ts_rhumb_algebraic, -ts_rhumb_index2, -ts_rhumb_index3;
///   3. the residual: an equation that no udot changes is algebraic, and one that also no algebraic variable changes is
///      a constraint of index 2, or of index 3 where its derivative holds none either. TSSetEquationType may say 3,
///      too.
/// In all cases variable i is taken to belong to equation i; for small systems where the residual shows that udot_i
/// stands in another equation, variables are probed one by one.

#include <rhumb/dae/system.hpp>
#include <petscts.h>
#include <string>

namespace rhumb::ts {

struct TsSettings;

/// Of the local entries.
struct Kinds {
  std::vector<dae::Kind> variable, equation;
  std::string source = "all differential"; ///< for TSView
  bool detected = false;                   ///< from the residual
  bool operator==(const Kinds&) const = default;
};

/// `known`: what the last start found; where it was detected and still holds, few evaluations show it.
Kinds find_kinds(TS ts, dae::System& system, const TsSettings& settings, const Kinds& known);

} // namespace rhumb::ts
