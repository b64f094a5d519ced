#pragma once
/// A formula between its text and its program: a tree whose children stand before their parents. What is constant is
/// evaluated when it is added.

#include <rhumb/core/formula_program.hpp>

namespace rhumb::core::formula {

class Tree {
public:
  using Index = std::uint32_t;

  Index constant(double value);
  Index variable(std::uint32_t index);
  /// As many children as the operation has operands. The callee must outlive the program.
  Index add(Operation operation, const std::array<Index, 3>& children, const Callee* callee = nullptr);
  /// a^b; small powers are products.
  Index power(Index base, Index exponent);

  /// The program of the tree below `root`.
  Program compile(Index root) const;

private:
  struct Node {
    bool leaf = true;
    Operand operand{}; ///< of a leaf
    Operation operation{};
    std::array<Index, 3> children{};
    const Callee* callee = nullptr;
    std::uint32_t temporaries = 0; ///< that its evaluation needs
  };

  class Compiler;

  Index push(const Node& node);
  bool is_constant(Index index) const;
  double value(Index index) const { return nodes_[index].operand.value; }

  std::vector<Node> nodes_;
};

} // namespace rhumb::core::formula
