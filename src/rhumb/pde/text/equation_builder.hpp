#pragma once
/// What the parser of formulas calls while it reads a formula of a model.

#include <rhumb/pde/text/language.hpp>

namespace rhumb::text {

class EquationBuilder final : public core::formula::Builder {
public:
  EquationBuilder(Language& language, const Allowed& allowed, int depth = 0)
      : language_(language), graph_(language.model().graph), allowed_(allowed), depth_(depth) {}

  const Value& value(Index index) const { return values_[index]; }
  /// An argument of a definition.
  void bind(const std::string& name, Value value) { bound_[name] = std::move(value); }

  /// Names of the functions that work on fields.
  static std::vector<std::string> operators();

  Index constant(double value) override;
  std::optional<Index> name(std::string_view name) override;
  Index add(core::formula::Operation operation, const std::array<Index, 3>& operands, const Callee* callee) override;
  Index power(Index base, Index exponent) override;
  bool is_function(std::string_view name) const override;
  Index call(std::string_view name, std::span<const Index> arguments) override;
  std::vector<std::string> names() const override;
  std::vector<std::string> function_names() const override;

private:
  std::size_t directions() const { return static_cast<std::size_t>(language_.model().dimension); }
  Index push(Value value);
  Value normal() const;
  std::optional<Index> region(const std::string& name);
  Index scalar(Node node) { return push({0, {node}}); }
  Value each(const Value& value, const std::function<Node(Node)>& make) const;
  Value pairwise(const Value& a, const Value& b, const char* what, const std::function<Node(Node, Node)>& make) const;
  Value product(const Value& a, const Value& b) const;
  Value dot(const Value& a, const Value& b) const;

  Node derivative(Node node, std::size_t direction, Op op = Op::derivative);
  Value gradient(const Value& value);
  Value divergence(const Value& value);
  Value curl(const Value& value);
  Value rate(const Value& value);
  Value upwind(const Value& value, const Value& velocity);
  Value reduction(std::string_view name, std::span<const Value> values);
  Node reduced(Node node, Reduction wanted, std::string_view name);
  Value position(std::span<const Value> values);
  Value noise(const Value& seed);
  Value vector(std::span<const Value> values) const;
  Value transpose(const Value& value) const;
  Value definition(const std::string& name, std::span<const Value> arguments);

  Language& language_;
  Graph& graph_;
  Allowed allowed_;
  int depth_; ///< of definitions inside definitions
  std::map<std::string, Value> bound_;
  std::vector<Value> values_;
};

} // namespace rhumb::text
