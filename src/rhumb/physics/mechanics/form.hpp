#pragma once
/// The forms of the equations of a mechanism, BCP section 6.2: which constraints stand in them.

#include <cstdint>
#include <string>
#include <vector>

namespace rhumb::mechanics {

enum class Form : std::uint8_t {
  index1,     ///< 0 = phi'': accelerations are unknowns, positions and velocities drift
  index2,     ///< 0 = phi' = G v + phi_t: positions drift
  index3,     ///< 0 = phi
  stabilized, ///< 0 = phi and 0 = phi', with q' = v + G^T mu, BCP (6.2.8)
  baumgarte,  ///< 0 = phi'' + 2 a phi' + a^2 phi
  invariants, ///< all three, with q' = v + G^T mu and v' = a + G^T tau (Fuehrer and Leimkuhler, BCP [108])
};

inline const std::vector<std::string> form_names{"index1", "index2", "index3", "stabilized", "baumgarte", "invariants"};

/// One of form_names.
Form form_named(const std::string& name);

/// What a form has beside positions, velocities and lambda.
inline bool has_accelerations(Form form) {
  return form == Form::index1 || form == Form::baumgarte || form == Form::invariants;
}
inline bool has_mu(Form form) {
  return form == Form::stabilized || form == Form::invariants;
}
inline bool has_tau(Form form) {
  return form == Form::invariants;
}

} // namespace rhumb::mechanics
