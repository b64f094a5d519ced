#pragma once
/// What was found of a DAE's structure, as text. Pure: numbers in, text out.

#include <rhumb/dae/pencil.hpp>
#include <rhumb/dae/signature.hpp>
#include <rhumb/dae/structure.hpp>
#include <optional>

namespace rhumb::dae {

/// The variables (and the equations, which are counted with them) of a system, or its fields in their place.
struct Unknowns {
  std::vector<Field> fields;
  std::vector<int> field;     ///< of each
  std::vector<Kind> declared; ///< of each
  /// Of each, in coordinates (System::location); empty: they have none.
  std::vector<std::string> location = {};
};

struct StructureFindings {
  bool of_fields = false; ///< the patterns are those of fields
  Signature signature;
  int rank = 0;          ///< structural
  StructuralParts parts; ///< where the rank is not full
  int structural_index = -1;
  std::vector<int> growth;          ///< by the pattern, see signature.hpp
  std::vector<PencilIndex> pencils; ///< at general points; empty: the system is too large
  /// The same patterns at the initial values themselves, where entries may vanish.
  std::optional<int> rank_at_start = std::nullopt, index_at_start = std::nullopt;
  bool rates_change = false; ///< dF/dy' differs from point to point

  void examine_patterns(const Pattern& values, const Pattern& rates);
  void examine_start(const Pattern& values, const Pattern& rates);
};

/// "the equations of field 'a' ... ", without a full stop.
std::string parts_in_words(const StructuralParts& parts, const Unknowns& unknowns);

Structure in_words(const StructureFindings& findings, const Unknowns& unknowns);

} // namespace rhumb::dae
