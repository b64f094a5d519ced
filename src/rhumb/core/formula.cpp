#include <rhumb/core/formula.hpp>

#include <algorithm>

namespace rhumb::core {

template double Formula::operator()(std::span<const double>) const;
template Dual<1> Formula::operator()(std::span<const Dual<1>>) const;
template void Formula::evaluate(std::span<const Column<double>>, std::size_t, double*) const;
template void Formula::evaluate(std::span<const Column<Dual<1>>>, std::size_t, Dual<1>*) const;

bool Formula::uses(std::size_t variable) const {
  const auto is_variable = [&](const formula::Operand& operand) {
    return operand.kind == formula::Operand::Kind::variable && operand.index == variable;
  };
  if (program_.instructions.empty()) return is_variable(program_.single_operand);
  return std::ranges::any_of(program_.instructions, [&](const formula::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, is_variable);
  });
}

} // namespace rhumb::core
