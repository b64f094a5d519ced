#pragma once
/// How a case is read from the options.

#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/case.hpp>
#include <rhumb/pde/text/language.hpp>
#include <fmt/format.h>

namespace rhumb::text {

class CaseReader {
public:
  CaseReader(MPI_Comm comm, const core::Options& options)
      : comm_(comm), options_(options), given_(options.undeclared()) {}

  Case read();

private:
  /// What a map of the case file holds.
  struct Item {
    std::string key;
    Source source;
  };

  std::vector<Item> items(const std::string& map, const std::string& about);
  std::string location(const std::string& name) const;
  /// Runs `body`; what it rejects is said to stand at that option.
  template <class Body>
  auto with_location(const std::string& name, const Body& body) const {
    try {
      return body();
    } catch (const core::BadInput& error) {
      throw core::BadInput(fmt::format("{}: {}", location(name), error.what()));
    }
  }
  void read_geometry();
  void read_box();
  void read_mesh();
  void read_names();
  void read_tables();
  void read_equations();
  void read_equation(const Source& source);
  void read_initial();
  void read_stored(const Item& item, const std::vector<std::size_t>& fields);
  void read_boundary();
  void hold_rates();
  void read_orders();
  void read_moving();
  /// Whether equations become a weak form: on meshes, and where points move.
  bool is_weak() const { return case_.mesh != nullptr || case_.moving; }
  std::size_t named_side(const Item& item) const;
  void read_condition(int side, const std::string& key, const Source& source);
  void read_figures();
  /// Rejects a position outside of the box, and what a mesh does not have.
  void check_probes(const std::string& origin);
  std::vector<std::size_t> fields_of(const std::string& name, const std::string& origin) const;
  std::vector<Node> values_for(const std::vector<std::size_t>& fields, const Source& source, const Allowed& allowed);

  MPI_Comm comm_;
  const core::Options& options_;
  std::vector<core::FileValue> given_;
  Case case_;
  Language language_{case_.model};
};

} // namespace rhumb::text
