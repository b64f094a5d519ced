#pragma once
/// What the parser of formulas hands over, piece by piece: constants, names, operations and calls. A Tree becomes a
/// program; other modules build something else from the same language (pde/text: equations with derivatives).

#include <rhumb/core/formula_program.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rhumb::core::formula {

/// Thrown by a builder that has no meaning for a piece; the parser shows where in the text it stands.
class Mistake : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Builder {
public:
  using Index = std::uint32_t; ///< of what has been built

  Builder() = default;
  virtual ~Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  virtual Index constant(double value) = 0;
  /// A variable or constant of this formula; they hide constants of the language.
  virtual std::optional<Index> name(std::string_view name) = 0;
  /// As many operands as the operation has. The callee outlives the builder.
  virtual Index add(Operation operation, const std::array<Index, 3>& operands, const Callee* callee) = 0;
  virtual Index power(Index base, Index exponent) = 0;

  /// Functions beside those of the language, which they hide.
  virtual bool is_function(std::string_view /*name*/) const { return false; }
  virtual Index call(std::string_view name, std::span<const Index> /*arguments*/) {
    throw Mistake(std::string(name) + " is not a function");
  }

  /// What may be named, for messages.
  virtual std::vector<std::string> names() const = 0;
  virtual std::vector<std::string> function_names() const { return {}; }
};

/// Parses the text into the builder. Throws BadInput that shows the position of the mistake.
Builder::Index build_formula(std::string_view text, Builder& builder, std::string_view source = {});

} // namespace rhumb::core::formula
