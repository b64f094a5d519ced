#pragma once
/// The functions and constants of the formula language.

#include <rhumb/core/formula_program.hpp>
#include <span>

namespace rhumb::core::formula {

struct Function {
  const char* name;
  int fewest, most; ///< arguments
  Operation operation;
  Callee callee;
  bool averages = false; ///< the result is divided by the number of arguments
};

struct Constant {
  const char* name;
  double value;
};

inline constexpr int any_number = 1000; ///< of arguments

std::span<const Function> functions();
std::span<const Constant> constants();
/// a^b
const Callee& power();

} // namespace rhumb::core::formula
