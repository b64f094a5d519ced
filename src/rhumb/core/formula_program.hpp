#pragma once
/// What a formula becomes: a list of instructions for a machine with temporaries (formula_machine.hpp). Only what is
/// cheap is done by the machine itself; every other function is reached through a pointer, in double alone: of duals it
/// needs its value and its partial derivatives, the rest is the chain rule, the same for all functions and any number
/// of directions.

#include <rhumb/core/dual.hpp>
#include <cstdint>
#include <vector>

namespace rhumb::core::formula {

enum class Operation : std::uint8_t {
  // of one operand
  negate,
  logical_not,
  square,
  cube,
  absolute,
  square_root,
  call_one,
  // of two
  add,
  subtract,
  multiply,
  divide,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  minimum,
  maximum,
  call_two,
  // of three
  choose,
};

constexpr int operand_count(Operation operation) {
  return operation < Operation::add ? 1 : operation < Operation::choose ? 2 : 3;
}

/// A function that the machine calls. Those of one argument have the first two, those of two arguments the others.
struct Callee {
  double (*one)(double) = nullptr;
  Dual<1> (*one_dual)(double) = nullptr;
  double (*two)(double, double) = nullptr;
  Dual<2> (*two_dual)(double, double) = nullptr;
  Dual<1> (*by_first)(double, double) = nullptr, (*by_second)(double, double) = nullptr; ///< the other is constant
};

struct Operand {
  enum class Kind : std::uint8_t { constant, variable, temporary };
  Kind kind = Kind::constant;
  std::uint32_t index = 0; ///< of the variable or temporary
  double value = 0.0;      ///< of the constant
};

struct Instruction {
  Operation operation{};
  std::uint32_t target = 0; ///< the temporary that takes the result
  std::array<Operand, 3> operands{};
  const Callee* callee = nullptr; ///< where something is called
};

/// Enough for every formula of the greatest length, when of an operation's operands the one that needs most goes first
/// (Sethi and Ullman, J. ACM 17 (1970) 715): one temporary more takes two such operands, two more take three of a
/// `choose`, so k of them take a text of more than 3^(k/2) characters.
inline constexpr std::uint32_t max_temporaries = 24;

/// The last instruction has the result; with no instructions the formula is `alone`.
struct Program {
  std::vector<Instruction> instructions;
  Operand single_operand;
};

} // namespace rhumb::core::formula
