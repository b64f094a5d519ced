#include <rhumb/pde/text/assignment.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace rhumb::text {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
using Incidence = std::vector<std::vector<bool>>; ///< by equation and field

/// What stands in each equation: rates, values.
struct Contents {
  Incidence rates, values;
  std::vector<bool> has_rate; ///< of equations
};

Contents contents_of(const Model& model) {
  const std::size_t n = model.fields.size();
  Contents found{Incidence(n, std::vector<bool>(n)), Incidence(n, std::vector<bool>(n)), std::vector<bool>(n)};
  for (std::size_t e = 0; e < n; ++e)
    for (const Node node : model.graph.needed(std::array{model.equations[e].residual})) {
      const Entry& entry = model.graph[node];
      if (entry.op != Op::symbol) continue;
      if (entry.symbol.kind == Symbol::Kind::field) found.values[e][entry.symbol.index] = true;
      if (entry.symbol.kind == Symbol::Kind::rate) found.rates[e][entry.symbol.index] = found.has_rate[e] = true;
    }
  return found;
}

/// A matching of fields to equations that grows by augmenting paths.
class FieldMatching {
public:
  explicit FieldMatching(std::size_t count) : field_of(count, none), equation_of(count, none) {}

  /// Takes in as many more fields as `may` allows; fields once matched stay so.
  void grow(const std::function<bool(std::size_t equation, std::size_t field)>& may) {
    for (std::size_t field = 0; field < equation_of.size(); ++field) {
      std::vector<bool> seen(field_of.size());
      if (equation_of[field] == none) augment(field, may, seen);
    }
  }

  std::vector<std::size_t> field_of, equation_of;

private:
  bool augment(std::size_t field, const std::function<bool(std::size_t, std::size_t)>& may, std::vector<bool>& seen) {
    for (std::size_t equation = 0; equation < field_of.size(); ++equation) {
      if (seen[equation] || !may(equation, field)) continue;
      seen[equation] = true;
      if (field_of[equation] != none && !augment(field_of[equation], may, seen)) continue;
      field_of[equation] = field;
      equation_of[field] = equation;
      return true;
    }
    return false;
  }
};

/// Rates first, then equations without rates; what is left takes any equation that holds it.
FieldMatching match(const Contents& contents, const std::vector<bool>& differential) {
  FieldMatching matching(differential.size());
  matching.grow([&](std::size_t e, std::size_t f) { return contents.rates[e][f]; });
  matching.grow([&](std::size_t e, std::size_t f) {
    return contents.rates[e][f] || (!differential[f] && !contents.has_rate[e] && contents.values[e][f]);
  });
  return matching;
}

/// Pairs what is left: an equation without rates that holds no algebraic field of its own is a constraint, index 2.
void pair_constraints(Model& model, const Contents& contents, FieldMatching& matching) {
  for (std::size_t f = 0; f < model.fields.size(); ++f) {
    if (matching.equation_of[f] != none) continue;
    const bool stands = std::ranges::any_of(contents.values, [&](const auto& row) { return row[f]; });
    const auto constraint = [&](std::size_t e) {
      return matching.field_of[e] == none && !contents.has_rate[e] &&
             std::ranges::find(contents.values[e], true) != contents.values[e].end();
    };
    std::size_t e = 0;
    while (e < model.equations.size() && !constraint(e)) ++e;
    if (!stands || e == model.equations.size())
      throw core::BadInput(
          fmt::format("nothing determines the field '{}': {}", model.fields[f].name,
                      stands ? "every equation that holds it determines another field" : "it stands in no equation"));
    matching.field_of[e] = f;
    matching.equation_of[f] = e;
    if (model.fields[f].kind == dae::Kind::index1) model.fields[f].kind = dae::Kind::index2;
  }
}

/// The sign with which `leaf` stands in `root`, as it is written: a * b has the sign of the constants and minus signs in
/// it.
int written_sign(const Graph& graph, Node root, Node leaf) {
  std::vector<int> below(root + 1, 0); // the sign of the leaf in each node; 0: it is not there
  std::vector<int> owned(root + 1, 1); // the sign of the node itself, where no leaf is in it
  below[leaf] = 1;
  for (const Node node : graph.needed(std::array{root})) {
    const Entry& entry = graph[node];
    const auto [a, b, c] = entry.operands;
    if (node == leaf) continue;
    switch (entry.op) {
    case Op::constant:
      owned[node] = entry.value < 0.0 ? -1 : 1;
      break;
    case Op::negate:
      owned[node] = -owned[a];
      below[node] = -below[a];
      break;
    case Op::add:
      below[node] = below[a] != 0 ? below[a] : below[b];
      break;
    case Op::subtract:
      below[node] = below[a] != 0 ? below[a] : -below[b];
      break;
    case Op::multiply:
    case Op::divide:
      owned[node] = owned[a] * owned[b];
      below[node] = below[a] != 0 ? below[a] * owned[b] : below[b] * owned[a];
      break;
    default:
      for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
        if (below[node] == 0) below[node] = below[entry.operands[k]];
    }
  }
  return below[root];
}

} // namespace

void assign_equations(Model& model) {
  const std::size_t n = model.fields.size();
  if (model.equations.size() != n)
    throw core::BadInput(fmt::format("{} equation{} for {} field{}: there must be as many (those of vectors count once "
                                     "for each component)",
                                     model.equations.size(), model.equations.size() == 1 ? "" : "s", n,
                                     n == 1 ? "" : "s"));
  const Contents contents = contents_of(model);
  std::vector<bool> differential(n);
  for (std::size_t f = 0; f < n; ++f) {
    differential[f] = std::ranges::any_of(contents.rates, [&](const auto& row) { return row[f]; });
    model.fields[f].kind = differential[f] ? dae::Kind::differential : dae::Kind::index1;
  }
  FieldMatching matching = match(contents, differential);
  pair_constraints(model, contents, matching);
  std::vector<Equation> ordered;
  for (std::size_t f = 0; f < n; ++f) {
    Equation equation = model.equations[matching.equation_of[f]];
    const Node rate = model.graph.symbol(Symbol::Kind::rate, f);
    if (contents.rates[matching.equation_of[f]][f] && rate <= equation.residual &&
        written_sign(model.graph, equation.residual, rate) < 0)
      equation.residual = model.graph.make(Op::negate, {equation.residual});
    ordered.push_back(std::move(equation));
  }
  model.equations = std::move(ordered);
}

} // namespace rhumb::text
