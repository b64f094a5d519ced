#pragma once
/// A system of PDEs as its text says it: fields, equations, parameters, conditions on sides. docs/guide/pde.md describes the
/// language.

#include <rhumb/dae/system.hpp>
#include <rhumb/pde/text/graph.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::text {

/// A piece of text with its origin, for messages: "case.yaml:7:5: equation 2".
struct Source {
  std::string text;
  std::string origin;
};

/// A scalar: a field of the user, a component of a vector, or one that was added for a higher derivative.
struct FieldInfo {
  std::string name;
  std::string vector = ""; ///< the vector field that it is a component of
  int component = 0;
  bool added = false;
  bool pointwise = false;                   ///< added for a factor: nothing is assumed of its flux through sides
  std::optional<std::size_t> rate_of = {};  ///< added as the rate of that field
  dae::Kind kind = dae::Kind::differential; ///< found from the equations
};

struct Equation {
  Node residual = 0; ///< left side minus right side; once assigned, with a sign that makes the field's rate positive
  Source source;
};

/// What holds on a side for a field.
struct Condition {
  enum class Kind : std::uint8_t {
    value, ///< u = formula
    flux,  ///< what flows out through the side, of all that stands in div(...) and lap(...) of the field's equation
    derivative, ///< derivative along the outward normal = formula: dn(u)
  };
  Kind kind = Kind::flux;
  Node formula = 0;
  Source source = {};
};

/// A number of the whole domain.
struct Reduction {
  enum class Kind : std::uint8_t { integral, average, minimum, maximum, probe, position };
  Kind kind = Kind::integral;
  Node operand = 0;
  std::vector<double> position = {}; ///< of a probe
  double level = 0.0; ///< of `position`: where the operand's mean across `direction` has this value first
  int direction = 0;
  bool operator==(const Reduction&) const = default;
};

struct Figure {
  std::string name;
  Node formula = 0; ///< the same at all points: of reductions, parameters and t
};

struct Parameter {
  std::string name;
  double value = 0.0;
};

struct Model {
  int dimension = 1;
  Graph graph;
  std::vector<FieldInfo> fields;
  std::vector<Equation> equations;                  ///< equation i stands in the row of field i, once assigned
  std::vector<Parameter> parameters;                ///< Symbol parameter
  std::vector<Reduction> reductions;                ///< Symbol reduction; those that one uses come before it
  std::vector<Node> initial;                        ///< by field
  std::vector<std::map<int, Condition>> conditions; ///< by field: by side
  std::vector<Figure> figures;

  /// Indices of the reductions that equations and conditions use, and of those that these use, ascending.
  std::vector<std::size_t> reductions_in_equations() const;
  /// Whether the equations hold nothing of a field but its derivatives in space.
  bool only_slopes_of(std::size_t field) const;
};

/// What the equations were taken to be: the fields with their kinds.
std::string describe_kinds(const Model& model);

} // namespace rhumb::text
