#include <rhumb/pde/text/language.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula_functions.hpp>
#include <rhumb/core/formula_operators.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/pde/text/equation_builder.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::text {

namespace {

constexpr std::size_t max_fields = 64;

bool is_name(const std::string& name) {
  using namespace core::formula;
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

} // namespace

void Language::claim(const std::string& name, const std::string& origin) {
  if (!is_name(name)) throw core::BadInput(fmt::format("{}: '{}' is no name: use letters, digits and _", origin, name));
  const auto functions = EquationBuilder::operators();
  const bool is_operator = std::ranges::find(functions, name) != functions.end();
  const bool is_function = std::ranges::find(core::formula::functions(), name, &core::formula::Function::name) !=
                           core::formula::functions().end();
  const bool is_coordinate = name == "t" || name == "x" || name == "y" || name == "z";
  if (is_operator || is_function || is_coordinate)
    throw core::BadInput(fmt::format("{}: the name '{}' has a meaning already: choose another", origin, name));
  if (!names_.insert(name).second)
    throw core::BadInput(
        fmt::format("{}: the name '{}' is given twice: to a field, a parameter or a definition", origin, name));
}

void Language::add_field(const std::string& name, bool is_vector, const std::string& origin) {
  claim(name, origin);
  if (is_vector) vectors_[name] = model_.fields.size();
  const int count = is_vector ? model_.dimension : 1;
  for (int c = 0; c < count; ++c) {
    const std::string scalar = is_vector ? fmt::format("{}_{}", name, "xyz"[c]) : name;
    if (is_vector) claim(scalar, origin);
    model_.fields.push_back({scalar, is_vector ? name : "", c, false});
  }
  if (model_.fields.size() > max_fields)
    throw core::BadInput(fmt::format("{}: at most {} fields are possible", origin, max_fields));
}

void Language::add_parameter(const std::string& name, double value, const std::string& origin) {
  claim(name, origin);
  parameters_[name] = model_.parameters.size();
  model_.parameters.push_back({name, value});
}

void Language::add_table(const std::string& name, Table table, const std::string& origin) {
  claim(name, origin);
  tables_[name] = std::move(table);
}

/// `head` is a name, or a name with its arguments: k(u, v).
void Language::add_definition(const std::string& head, const Source& body) {
  const auto bracket = head.find('(');
  Definition definition{{}, body};
  std::string name = head.substr(0, bracket);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  claim(name, body.origin);
  if (bracket != std::string::npos) {
    if (head.back() != ')') throw core::BadInput(fmt::format("{}: '{}' has no closing bracket", body.origin, head));
    definition.arguments = core::split_at_commas(head.substr(bracket + 1, head.size() - bracket - 2));
    for (const auto& argument : definition.arguments)
      if (!is_name(argument))
        throw core::BadInput(fmt::format("{}: '{}' is no name for an argument", body.origin, argument));
    if (definition.arguments.empty())
      throw core::BadInput(fmt::format("{}: '{}' has no arguments: leave the brackets out", body.origin, head));
  }
  definitions_[name] = std::move(definition);
}

Value Language::parse(const Source& source, const Allowed& allowed) {
  EquationBuilder builder(*this, allowed);
  return builder.value(core::formula::build_formula(source.text, builder, source.origin));
}

Node Language::parse_scalar(const Source& source, const Allowed& allowed) {
  const Value value = parse(source, allowed);
  if (value.rank != 0)
    throw core::BadInput(fmt::format("{}: '{}' is a vector, and a number is wanted", source.origin, source.text));
  return value.nodes[0];
}

std::vector<std::size_t> Language::components(const std::string& name) const {
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f < model_.fields.size(); ++f)
    if (model_.fields[f].name == name || (!name.empty() && model_.fields[f].vector == name)) found.push_back(f);
  return found;
}

std::vector<std::string> Language::field_names() const {
  std::vector<std::string> names;
  for (const auto& field : model_.fields)
    if (!field.added) names.push_back(field.name);
  for (const auto& [name, first] : vectors_) names.push_back(name);
  return names;
}

Node Language::added_field(Node node, const std::string& name) {
  if (const auto known = added_.find(node); known != added_.end())
    return model_.graph.symbol(Symbol::Kind::field, known->second);
  const std::size_t field = model_.fields.size();
  if (field >= max_fields)
    throw core::BadInput(fmt::format("at most {} fields are possible, with those for higher derivatives", max_fields));
  added_[node] = field;
  model_.fields.push_back({.name = name, .vector = "", .added = true});
  const Node value = model_.graph.symbol(Symbol::Kind::field, field);
  model_.equations.push_back({model_.graph.subtract(value, node), {name + " = its definition", "added for you"}});
  return value;
}

Node Language::rate_field(std::size_t field) {
  if (const auto known = rate_fields_.find(field); known != rate_fields_.end())
    return model_.graph.symbol(Symbol::Kind::field, known->second);
  const Node rate = model_.graph.symbol(Symbol::Kind::rate, field);
  const Node value = added_field(rate, model_.fields[field].name + "_t");
  rate_fields_[field] = model_.fields.size() - 1;
  model_.fields.back().rate_of = field;
  return value;
}

int Language::order(Node root) {
  for (Node node = static_cast<Node>(orders_.size()); node <= root; ++node) {
    const Entry& entry = model_.graph[node];
    int order = entry.op == Op::derivative || entry.op == Op::divergence ? 1 : 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      order = std::max(order, orders_[entry.operands[k]] + (entry.op == Op::derivative || entry.op == Op::divergence));
    orders_.push_back(order);
  }
  return orders_[root];
}

Node Language::lowered(Node root) {
  Graph& graph = model_.graph;
  if (order(root) < 2) return root;
  std::map<Node, Node> made;
  // From the outside in: the first group or derivative of order 2 on a path becomes a field.
  const std::function<Node(Node)> lower = [&](Node node) -> Node {
    if (const auto known = made.find(node); known != made.end()) return known->second;
    const Entry entry = graph[node];
    Node result = node;
    const bool differential = entry.op == Op::derivative || entry.op == Op::divergence || entry.op == Op::group;
    if (order(node) >= 2 && differential) {
      result = added_field(node, fmt::format("aux_{}", added_.size() + 1));
    } else if (order(node) >= 2) {
      std::array<Node, 3> operands{};
      for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
        operands[k] = lower(entry.operands[k]);
      result = graph.make(entry.op, operands, entry.callee, entry.detail);
    }
    return made[node] = result;
  };
  return lower(root);
}

} // namespace rhumb::text
