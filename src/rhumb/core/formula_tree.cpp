#include <rhumb/core/formula_tree.hpp>

#include <rhumb/core/formula_functions.hpp>
#include <rhumb/core/formula_machine.hpp>
#include <algorithm>
#include <stdexcept>

namespace rhumb::core::formula {

Tree::Index Tree::push(const Node& node) {
  nodes_.push_back(node);
  return static_cast<Index>(nodes_.size() - 1);
}

Tree::Index Tree::constant(double value) {
  return push({.operand = {Operand::Kind::constant, 0, value}});
}

Tree::Index Tree::variable(std::uint32_t index) {
  return push({.operand = {Operand::Kind::variable, index, 0.0}});
}

bool Tree::is_constant(Index index) const {
  return nodes_[index].leaf && nodes_[index].operand.kind == Operand::Kind::constant;
}

Tree::Index Tree::add(Operation operation, const std::array<Index, 3>& children, const Callee* callee) {
  const auto count = static_cast<std::size_t>(operand_count(operation));
  if (operation == Operation::choose && is_constant(children[0])) return children[value(children[0]) != 0.0 ? 1 : 2];
  Node node{.leaf = false, .operation = operation, .children = children, .callee = callee};
  std::array<std::uint32_t, 3> needs{};
  for (std::size_t i = 0; i < count; ++i) needs[i] = nodes_[children[i]].temporaries;
  std::sort(needs.begin(), needs.end(), std::greater<>());
  // The one that needs most goes first; its result waits while the next is evaluated.
  for (std::uint32_t i = 0; i < count; ++i)
    if (needs[i] > 0) node.temporaries = std::max(node.temporaries, needs[i] + i);
  node.temporaries = std::max(node.temporaries, 1U);
  const Index index = push(node);
  if (!std::all_of(children.begin(), children.begin() + count, [&](Index child) { return is_constant(child); }))
    return index;
  using One = std::integral_constant<std::size_t, 1>;
  double result = 0.0;
  Machine<double, One>(nullptr, 0, One()).run(compile(index), &result);
  return constant(result);
}

Tree::Index Tree::power(Index base, Index exponent) {
  const double b = is_constant(exponent) && !is_constant(base) ? value(exponent) : 0.0;
  if (b == 1.0) return base;
  if (b == 2.0) return add(Operation::square, {base});
  if (b == 3.0) return add(Operation::cube, {base});
  if (b == 4.0) return add(Operation::square, {add(Operation::square, {base})});
  return add(Operation::call_two, {base, exponent}, &formula::power());
}

/// Walks the tree with a stack of its own: a long sum is as deep as it is long.
class Tree::Compiler {
public:
  explicit Compiler(const Tree& tree) : tree_(tree) { free_.fill(true); }

  Program compile(Index root) {
    Program program;
    program.single_operand = tree_.nodes_[root].operand;
    if (tree_.nodes_[root].leaf) return program;
    visit(root);
    while (!path_.empty()) {
      Visit& top = path_.back();
      const Node& node = tree_.nodes_[top.node];
      if (top.done < top.order.size()) {
        const Index child = node.children[top.order[top.done++]];
        if (!tree_.nodes_[child].leaf) visit(child);
        continue;
      }
      program.instructions.push_back(instruction(node));
      slot_of_.push_back({top.node, program.instructions.back().target});
      path_.pop_back();
    }
    return program;
  }

private:
  struct Visit {
    Index node;
    std::vector<std::size_t> order; ///< of the children
    std::size_t done = 0;
  };
  struct Slot {
    Index node;
    std::uint32_t temporary;
  };

  void visit(Index index) {
    const Node& node = tree_.nodes_[index];
    Visit next{index, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(operand_count(node.operation)); ++i) next.order.push_back(i);
    const auto needs = [&](std::size_t child) { return tree_.nodes_[node.children[child]].temporaries; };
    std::stable_sort(next.order.begin(), next.order.end(),
                     [&](std::size_t a, std::size_t b) { return needs(a) > needs(b); });
    path_.push_back(std::move(next));
  }

  Instruction instruction(const Node& node) {
    Instruction made{node.operation, 0, {}, node.callee};
    for (std::size_t i = 0; i < static_cast<std::size_t>(operand_count(node.operation)); ++i) {
      const Node& child = tree_.nodes_[node.children[i]];
      made.operands[i] = child.leaf ? child.operand : take(node.children[i]);
    }
    const auto slot = std::find(free_.begin(), free_.end(), true);
    if (slot == free_.end()) throw std::logic_error("a formula needs more temporaries than its length allows");
    *slot = false;
    made.target = static_cast<std::uint32_t>(slot - free_.begin());
    return made;
  }

  /// The result of a node, which nobody else needs.
  Operand take(Index node) {
    const auto found = std::find_if(slot_of_.rbegin(), slot_of_.rend(), [&](const Slot& p) { return p.node == node; });
    const Operand operand{Operand::Kind::temporary, found->temporary, 0.0};
    free_[found->temporary] = true;
    slot_of_.erase(std::next(found).base());
    return operand;
  }

  const Tree& tree_;
  std::vector<Visit> path_;
  std::vector<Slot> slot_of_; ///< results that wait
  std::array<bool, max_temporaries> free_{};
};

Program Tree::compile(Index root) const {
  return Compiler(*this).compile(root);
}

} // namespace rhumb::core::formula
