#pragma once
/// The text of a reaction, "2 OH (+M) <=> H2O2 (+M)", taken apart. Pure: knows no mechanism.

#include <string>
#include <vector>

namespace rhumb::combustion {

struct EquationText {
  enum class Third : std::uint8_t { none, body, falloff }; ///< nothing, `+ M`, `(+M)`
  struct Side {
    std::vector<std::pair<std::string, int>> terms; ///< species and count, each species once
    Third third = Third::none;
    std::string collider; ///< of (+X): X, "M" for any
  };
  Side left, right;
  bool reversible = true;
};

/// Throws std::invalid_argument with what is wrong.
EquationText parse_equation(const std::string& text);

} // namespace rhumb::combustion
