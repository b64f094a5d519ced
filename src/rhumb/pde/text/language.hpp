#pragma once
/// From formulas to nodes of a model's graph: the formula language with fields, derivatives and the user's definitions.

#include <rhumb/core/formula_builder.hpp>
#include <rhumb/pde/text/model.hpp>
#include <rhumb/pde/text/table.hpp>
#include <set>

namespace rhumb::text {

/// A scalar, a vector (one node per direction) or a tensor (row by row: T_ij = d_j v_i).
struct Value {
  int rank = 0;
  std::vector<Node> nodes;
};

/// What a formula may name beside parameters, definitions, coordinates and t.
struct Allowed {
  bool fields = true;
  bool rates = false;       ///< dt
  bool derivatives = false; ///< grad, div, ...
  bool reductions = false;  ///< integral, average, ...
  bool noise = false;
  bool normal = false; ///< outward on a boundary of a mesh
};

struct Definition {
  std::vector<std::string> arguments;
  Source body;
};

class Language {
public:
  explicit Language(Model& model) : model_(model) {}

  Model& model() { return model_; }
  /// Names in the order of declaration. Throw BadInput for names that are taken or no words.
  void add_field(const std::string& name, bool is_vector, const std::string& origin);
  void add_parameter(const std::string& name, double value, const std::string& origin);
  void add_definition(const std::string& head, const Source& body);
  /// A function of one argument.
  void add_table(const std::string& name, Table table, const std::string& origin);

  /// Throw BadInput that shows the position of the mistake.
  Value parse(const Source& source, const Allowed& allowed);
  Node parse_scalar(const Source& source, const Allowed& allowed);
  /// Names of a mesh's regions; those that mean something else already are left out.
  void add_regions(const std::vector<std::string>& names) { regions_ = names; }
  /// Adds fields for second derivatives that cannot be integrated by parts: in functions, in products with each other
  /// or with factors that jump, in reductions.
  void lower_for_weak_forms();
  /// The components of a field's or a vector's name; empty where there is no such field.
  std::vector<std::size_t> components(const std::string& name) const;
  std::vector<std::string> field_names() const;

private:
  friend class EquationBuilder;
  void claim(const std::string& name, const std::string& origin);
  /// A field that equals the node, with the equation that says so.
  Node added_field(Node node, const std::string& name);
  /// A field that is the time derivative of another.
  Node rate_field(std::size_t field);
  int order(Node node);
  /// `node` with its parts of order 2 or more as fields of their own.
  Node lowered(Node node);
  Node linear_in_second_derivatives(Node node);

  Model& model_;
  std::set<std::string> names_;
  std::map<std::string, std::size_t> vectors_; ///< first component
  std::map<std::string, std::size_t> parameters_;
  std::map<std::string, Definition> definitions_;
  std::map<std::string, Table> tables_;
  std::vector<std::string> regions_;
  std::map<Node, std::size_t> added_;
  std::map<std::size_t, std::size_t> rate_fields_;
  std::vector<int> orders_; ///< of nodes, as far as known
  int expansions_ = 0;      ///< of definitions, in all formulas
};

} // namespace rhumb::text
