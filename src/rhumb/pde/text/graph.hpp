#pragma once
/// Expressions of equations as a graph: equal subexpressions are one node, children have smaller indices than their
/// parents, constants are evaluated when they are added. The same graph holds the equations as they are written (with
/// derivatives in space) and what they become at a grid point (with values of neighbours instead).

#include <rhumb/core/formula_program.hpp>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rhumb::text {

using Node = std::uint32_t;
using core::formula::Callee;

enum class Op : std::uint8_t {
  constant,
  symbol,     ///< a leaf; see Symbol
  derivative, ///< d/dx of the operand in direction `detail`
  divergence, ///< the same, as a term of div(...) or lap(...): a flux that a side may prescribe
  group,      ///< the operand; the value of one div, lap or curl
  upwind,     ///< the first operand, taken from where the second, a velocity in direction `detail`, comes from
  negate,
  logical_not,
  absolute,
  square_root,
  call_one,
  add,
  subtract,
  multiply,
  divide,
  less,
  less_or_equal,
  equal,
  logical_and,
  logical_or,
  call_two,
  choose,
};

/// What a leaf stands for. `index` is the field, parameter, direction, ...
struct Symbol {
  enum class Kind : std::uint8_t {
    field,      ///< value of a field; on a grid, at the neighbour `offset`
    rate,       ///< its time derivative
    direction,  ///< the vector of a product with the Jacobian
    coordinate, ///< x, y, z
    noise,      ///< a random number of the point, from seed `index`
    region,     ///< of a mesh: 1 in it, 0 elsewhere
    place,      ///< on a mesh, entry `index` of the point's row in the table of places; see Place
    // the same at all points:
    time,
    alpha,           ///< of alpha dF/dy' + dF/dy
    parameter,       ///< of the user
    reduction,       ///< integral, average, ... over the domain
    reduction_along, ///< its derivative along a direction
    spacing,         ///< of the grid in direction `index`
    inverse_spacing,
  };
  Kind kind{};
  std::uint8_t offset = 0; ///< 9 (dz + 1) + 3 (dy + 1) + dx + 1; at a point of a mesh: which derivative
  std::uint16_t index = 0;
  bool operator==(const Symbol&) const = default;
  bool uniform() const { return kind >= Kind::time; }
};

inline constexpr std::uint8_t centre = 13; ///< the offset of the point itself
/// The offset of the next point in a direction; at a point of a mesh it means the derivative in that direction.
constexpr std::uint8_t next_in(std::size_t direction) {
  constexpr std::array<std::uint8_t, 3> steps{1, 3, 9};
  return static_cast<std::uint8_t>(centre + steps[direction]);
}

/// What is known of a point of a mesh, in the order of the table's columns.
namespace place {
inline constexpr std::size_t position = 0, normal = 3, cell_size = 6, region = 7, width = 8;
}

struct Entry {
  Op op{};
  std::uint8_t detail = 0;
  Symbol symbol{};
  std::array<Node, 3> operands{};
  double value = 0.0; ///< of a constant
  const Callee* callee = nullptr;
  bool operator==(const Entry&) const = default;
};

int operand_count(Op op);
/// Of a function that is called: "sin", "pow".
std::string callee_name(const Callee* callee);
/// Of an operation on numbers.
double evaluate(const Entry& entry, double a, double b, double c);

/// Larger texts are mistakes.
inline constexpr std::size_t max_nodes = 200000;

class Graph {
public:
  const Entry& operator[](Node node) const { return entries_[node]; }
  std::size_t size() const { return entries_.size(); }

  Node constant(double value);
  Node symbol(Symbol symbol);
  Node symbol(Symbol::Kind kind, std::size_t index = 0, std::uint8_t offset = centre) {
    return this->symbol({kind, offset, static_cast<std::uint16_t>(index)});
  }
  Node make(Op op, std::array<Node, 3> operands, const Callee* callee = nullptr, std::uint8_t detail = 0);
  Node power(Node base, Node exponent);

  Node add(Node a, Node b) { return make(Op::add, {a, b}); }
  Node subtract(Node a, Node b) { return make(Op::subtract, {a, b}); }
  Node multiply(Node a, Node b) { return make(Op::multiply, {a, b}); }
  Node divide(Node a, Node b) { return make(Op::divide, {a, b}); }
  Node scale(double factor, Node a) { return multiply(constant(factor), a); }

  bool is_constant(Node node) const { return entries_[node].op == Op::constant; }
  bool is_zero(Node node) const { return is_constant(node) && entries_[node].value == 0.0; }
  bool is_one(Node node) const { return is_constant(node) && entries_[node].value == 1.0; }

  /// Of operations on top of each other.
  std::size_t depth(Node node) const { return depths_[node]; }

  /// The nodes that the roots need, children first.
  std::vector<Node> needed(std::span<const Node> roots) const;
  bool depends(Node root, const std::function<bool(const Entry&)>& test) const;

  /// The derivative of `root` where each leaf has the derivative that `seed` gives (a node of this graph). Derivatives
  /// in space are passed through: d of D(a) is D(d of a).
  Node differentiate(Node root, const std::function<Node(const Symbol&)>& seed);

  /// The derivatives of `root` by each leaf that it depends on: by the chain rule backwards, in one sweep.
  std::vector<std::pair<Symbol, Node>> partial_derivatives(Node root);

  /// `root` with leaves replaced.
  Node substitute(Node root, const std::function<Node(const Symbol&, Node)>& replacement);

private:
  struct Hash {
    std::size_t operator()(const Entry& entry) const;
  };
  Node simplified(const Entry& entry, bool& found);
  Node push(const Entry& entry);
  Node rule(const Entry& entry, Node node, const std::array<Node, 3>& derivatives);
  Node derivative_of_call(const Entry& entry, Node node, const std::array<Node, 3>& derivatives);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> depths_;
  std::unordered_map<Entry, Node, Hash> known_;
};

} // namespace rhumb::text
