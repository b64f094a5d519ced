#include <rhumb/pde/text/equation_builder.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::text {

using core::formula::Mistake;
using core::formula::Operation;

namespace {

using Kind = Symbol::Kind;

constexpr int max_depth = 32; ///< of definitions that use definitions
constexpr std::size_t max_operations_deep = 2000;
constexpr int max_expansions = 20000; ///< of definitions in all formulas of a case

struct Operator {
  const char* name;
  std::size_t fewest, most; ///< arguments
};
constexpr std::array all_operators{
    Operator{"dt", 1, 1},       Operator{"dx", 1, 1},       Operator{"dy", 1, 1},        Operator{"dz", 1, 1},
    Operator{"grad", 1, 1},     Operator{"div", 1, 1},      Operator{"lap", 1, 1},       Operator{"curl", 1, 1},
    Operator{"dot", 2, 2},      Operator{"vector", 1, 3},   Operator{"transpose", 1, 1}, Operator{"upwind", 2, 2},
    Operator{"integral", 1, 1}, Operator{"average", 1, 1},  Operator{"minimum", 1, 1},   Operator{"maximum", 1, 1},
    Operator{"at", 2, 4},       Operator{"position", 3, 3}, Operator{"noise", 0, 1}};

const char* rank_name(int rank) {
  return rank == 0 ? "a number" : rank == 1 ? "a vector" : "a tensor";
}

void need_rank(const Value& value, int rank, const char* what) {
  if (value.rank != rank)
    throw Mistake(fmt::format("{} takes {}, not {}", what, rank_name(rank), rank_name(value.rank)));
}

} // namespace

std::vector<std::string> EquationBuilder::operators() {
  std::vector<std::string> names;
  for (const auto& known : all_operators) names.emplace_back(known.name);
  return names;
}

EquationBuilder::Index EquationBuilder::push(Value value) {
  for (const Node node : value.nodes)
    if (graph_.depth(node) > max_operations_deep)
      throw Mistake(fmt::format("more than {} operations on top of each other", max_operations_deep));
  values_.push_back(std::move(value));
  return static_cast<Index>(values_.size() - 1);
}

EquationBuilder::Index EquationBuilder::constant(double value) {
  return scalar(graph_.constant(value));
}

std::optional<EquationBuilder::Index> EquationBuilder::name(std::string_view given) {
  const std::string name(given);
  if (const auto bound = bound_.find(name); bound != bound_.end()) return push(bound->second);
  if (name == "t") return scalar(graph_.symbol(Kind::time));
  for (std::size_t d = 0; d < directions(); ++d) {
    if (name == std::string(1, "xyz"[d])) return scalar(graph_.symbol(Kind::coordinate, d));
  }
  if (const auto p = language_.parameters_.find(name); p != language_.parameters_.end())
    return scalar(graph_.symbol(Kind::parameter, p->second));
  if (const auto d = language_.definitions_.find(name);
      d != language_.definitions_.end() && d->second.arguments.empty())
    return push(definition(name, {}));
  const auto components = language_.components(name);
  if (components.empty() && name == "normal" && allowed_.normal) return push(normal());
  if (components.empty()) return region(name);
  if (!allowed_.fields) throw Mistake(fmt::format("the field '{}' cannot stand here", name));
  Value value{language_.vectors_.contains(name) ? 1 : 0, {}};
  for (const std::size_t f : components) value.nodes.push_back(graph_.symbol(Kind::field, f));
  return push(std::move(value));
}

Value EquationBuilder::each(const Value& value, const std::function<Node(Node)>& make) const {
  Value out{value.rank, {}};
  for (const Node node : value.nodes) out.nodes.push_back(make(node));
  return out;
}

Value EquationBuilder::pairwise(const Value& a, const Value& b, const char* what,
                                const std::function<Node(Node, Node)>& make) const {
  if (a.rank != b.rank)
    throw Mistake(fmt::format("{} and {} cannot be {}", rank_name(a.rank), rank_name(b.rank), what));
  Value out{a.rank, {}};
  for (std::size_t i = 0; i < a.nodes.size(); ++i) out.nodes.push_back(make(a.nodes[i], b.nodes[i]));
  return out;
}

Value EquationBuilder::product(const Value& a, const Value& b) const {
  if (a.rank > 0 && b.rank > 0) throw Mistake("two vectors cannot be multiplied by *: use dot(a, b)");
  const Value& many = a.rank > 0 ? a : b;
  return each(many, [&](Node node) {
    return a.rank > 0 ? graph_.multiply(node, b.nodes[0]) : graph_.multiply(a.nodes[0], node);
  });
}

EquationBuilder::Index EquationBuilder::add(Operation operation, const std::array<Index, 3>& operands,
                                            const Callee* callee) {
  const int count = core::formula::operand_count(operation);
  const Value a = values_[operands[0]], b = count > 1 ? values_[operands[1]] : a,
              c = count > 2 ? values_[operands[2]] : a;
  switch (operation) {
  case Operation::negate:
    return push(each(a, [&](Node n) { return graph_.make(Op::negate, {n}); }));
  case Operation::add:
    return push(pairwise(a, b, "added", [&](Node m, Node n) { return graph_.add(m, n); }));
  case Operation::subtract:
    return push(pairwise(a, b, "subtracted", [&](Node m, Node n) { return graph_.subtract(m, n); }));
  case Operation::multiply:
    return push(product(a, b));
  case Operation::divide:
    if (b.rank != 0) throw Mistake(fmt::format("nothing can be divided by {}", rank_name(b.rank)));
    return push(each(a, [&](Node n) { return graph_.divide(n, b.nodes[0]); }));
  case Operation::choose:
    need_rank(a, 0, "a condition");
    return push(pairwise(b, c, "the two branches of one condition", [&](Node m, Node n) {
      return graph_.make(Op::choose, {a.nodes[0], m, n});
    }));
  default:
    break;
  }
  for (int k = 0; k < count; ++k)
    if (values_[operands[k]].rank != 0)
      throw Mistake(fmt::format("a number is wanted here, not {}", rank_name(values_[operands[k]].rank)));
  const Node x = a.nodes[0], y = b.nodes[0];
  const auto negated = [&](Node n) { return graph_.make(Op::logical_not, {n}); };
  switch (operation) {
  case Operation::logical_not:
    return scalar(negated(x));
  case Operation::square:
    return scalar(graph_.power(x, graph_.constant(2.0)));
  case Operation::cube:
    return scalar(graph_.power(x, graph_.constant(3.0)));
  case Operation::absolute:
    return scalar(graph_.make(Op::absolute, {x}));
  case Operation::square_root:
    return scalar(graph_.make(Op::square_root, {x}));
  case Operation::call_one:
    return scalar(graph_.make(Op::call_one, {x}, callee));
  case Operation::less:
    return scalar(graph_.make(Op::less, {x, y}));
  case Operation::less_or_equal:
    return scalar(graph_.make(Op::less_or_equal, {x, y}));
  case Operation::greater:
    return scalar(graph_.make(Op::less, {y, x}));
  case Operation::greater_or_equal:
    return scalar(graph_.make(Op::less_or_equal, {y, x}));
  case Operation::equal:
    return scalar(graph_.make(Op::equal, {x, y}));
  case Operation::not_equal:
    return scalar(negated(graph_.make(Op::equal, {x, y})));
  case Operation::logical_and:
    return scalar(graph_.make(Op::logical_and, {x, y}));
  case Operation::logical_or:
    return scalar(graph_.make(Op::logical_or, {x, y}));
  case Operation::minimum:
    return scalar(graph_.make(Op::choose, {graph_.make(Op::less, {y, x}), y, x}));
  case Operation::maximum:
    return scalar(graph_.make(Op::choose, {graph_.make(Op::less, {x, y}), y, x}));
  default:
    return scalar(graph_.make(Op::call_two, {x, y}, callee));
  }
}

EquationBuilder::Index EquationBuilder::power(Index base, Index exponent) {
  need_rank(values_[base], 0, "a power");
  need_rank(values_[exponent], 0, "an exponent");
  return scalar(graph_.power(values_[base].nodes[0], values_[exponent].nodes[0]));
}

bool EquationBuilder::is_function(std::string_view name) const {
  for (const auto& known : all_operators)
    if (known.name == name) return true;
  if (language_.tables_.contains(std::string(name))) return true;
  const auto found = language_.definitions_.find(std::string(name));
  return found != language_.definitions_.end() && !found->second.arguments.empty();
}

EquationBuilder::Index EquationBuilder::call(std::string_view name, std::span<const Index> arguments) {
  std::vector<Value> values;
  for (const Index index : arguments) values.push_back(values_[index]);
  for (const auto& known : all_operators)
    if (known.name == name && (values.size() < known.fewest || values.size() > known.most))
      throw Mistake(
          fmt::format("{} takes {} argument{}, not {}", name, known.most, known.most == 1 ? "" : "s", values.size()));
  if (name == "dt") return push(rate(values[0]));
  if (name == "dot") return push(dot(values[0], values[1]));
  if (name == "vector") return push(vector(values));
  if (name == "transpose") return push(transpose(values[0]));
  if (name == "noise") return push(noise(values.empty() ? Value{0, {graph_.constant(0.0)}} : values[0]));
  if (name == "position") return push(position(values));
  if (name == "integral" || name == "average" || name == "minimum" || name == "maximum" || name == "at")
    return push(reduction(name, values));
  if (const auto found = language_.tables_.find(std::string(name)); found != language_.tables_.end()) {
    if (values.size() != 1 || values[0].rank != 0) throw Mistake(fmt::format("the table {} takes one number", name));
    return scalar(look_up(graph_, found->second, values[0].nodes[0]));
  }
  if (!is_function(name) || language_.definitions_.contains(std::string(name)))
    return push(definition(std::string(name), values));
  if (!allowed_.derivatives) throw Mistake(fmt::format("'{}' cannot stand here", name));
  if (name == "grad") return push(gradient(values[0]));
  if (name == "div") return push(divergence(values[0]));
  if (name == "lap") return push(divergence(gradient(values[0])));
  if (name == "curl") return push(curl(values[0]));
  if (name == "upwind") return push(upwind(values[0], values[1]));
  const auto direction = static_cast<std::size_t>(name[1] - 'x');
  if (direction >= directions())
    throw Mistake(
        fmt::format("there is no {} in {} dimension{}", "xyz"[direction], directions(), directions() == 1 ? "" : "s"));
  return push(each(values[0], [&](Node n) { return derivative(n, direction); }));
}

Value EquationBuilder::normal() const {
  Value value{1, {}};
  for (std::size_t d = 0; d < directions(); ++d) value.nodes.push_back(graph_.symbol(Kind::place, place::normal + d));
  return value;
}

/// 1 in a region of the mesh, 0 elsewhere.
std::optional<EquationBuilder::Index> EquationBuilder::region(const std::string& name) {
  const auto& known = language_.regions_;
  const auto found = std::ranges::find(known, name, core::to_lower);
  if (found == known.end()) return std::nullopt;
  if (!allowed_.fields) throw Mistake(fmt::format("the region '{}' cannot stand here: use x, y, z", *found));
  return scalar(graph_.symbol(Kind::region, static_cast<std::size_t>(found - known.begin())));
}

std::vector<std::string> EquationBuilder::names() const {
  std::vector<std::string> names = language_.regions_;
  if (allowed_.fields) std::ranges::copy(language_.field_names(), std::back_inserter(names));
  for (const auto& [name, value] : bound_) names.push_back(name);
  for (const auto& parameter : language_.model().parameters) names.push_back(parameter.name);
  for (const auto& [name, body] : language_.definitions_)
    if (body.arguments.empty()) names.push_back(name);
  for (std::size_t d = 0; d < directions(); ++d) names.emplace_back(1, "xyz"[d]);
  names.emplace_back("t");
  if (allowed_.normal) names.emplace_back("normal");
  return names;
}

std::vector<std::string> EquationBuilder::function_names() const {
  auto names = operators();
  for (const auto& [name, body] : language_.definitions_)
    if (!body.arguments.empty()) names.push_back(name);
  for (const auto& [name, table] : language_.tables_) names.push_back(name);
  return names;
}

/// The formula of a definition, read anew with its arguments bound: a derivative inside it sees what they are.
Value EquationBuilder::definition(const std::string& name, std::span<const Value> arguments) {
  const Definition& known = language_.definitions_.at(name);
  if (arguments.size() != known.arguments.size())
    throw Mistake(fmt::format("{} takes {} argument{}, not {}", name, known.arguments.size(),
                              known.arguments.size() == 1 ? "" : "s", arguments.size()));
  if (depth_ >= max_depth) throw Mistake(fmt::format("the definition of '{}' uses itself", name));
  if (++language_.expansions_ > max_expansions) throw Mistake("the definitions are used too often");
  EquationBuilder inner(language_, allowed_, depth_ + 1);
  for (std::size_t i = 0; i < arguments.size(); ++i) inner.bind(known.arguments[i], arguments[i]);
  const Index root = core::formula::build_formula(known.body.text, inner, known.body.origin);
  return inner.value(root);
}

} // namespace rhumb::text
