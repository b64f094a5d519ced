#include <rhumb/dae/structure_words.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace rhumb::dae {

namespace {

constexpr std::size_t named_entries = 4; // of a field, in a message

std::string name_of(Kind kind) {
  return kind == Kind::differential ? "differential" : fmt::format("index {}", static_cast<int>(kind));
}

std::string counted(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// For each unknown its position in its field.
std::vector<int> positions(const Unknowns& unknowns) {
  std::vector<int> next(unknowns.fields.size(), 0), out;
  for (const int field : unknowns.field) out.push_back(next[field]++);
  return out;
}

int entries_of(const Unknowns& unknowns, int field) {
  return static_cast<int>(std::ranges::count(unknowns.field, field));
}

/// "entries 0, 1, 2, 3 and 12 more"; "at x = 0.25; x = 0.5" where they have coordinates.
std::string entries_in_words(const std::vector<int>& list, const std::vector<int>& position, const Unknowns& unknowns) {
  const auto named = static_cast<std::ptrdiff_t>(std::min(named_entries, list.size()));
  const bool placed = !unknowns.location.empty() && !unknowns.location[list.front()].empty();
  std::vector<std::string> names;
  for (const int k : std::span(list).first(static_cast<std::size_t>(named)))
    names.push_back(placed ? unknowns.location[k] : std::to_string(position[k]));
  const char* before = placed ? "at" : list.size() == 1 ? "entry" : "entries";
  return fmt::format("{} {}{}", before, fmt::join(names, placed ? "; " : ", "),
                     list.size() > named_entries ? fmt::format(" and {} more", list.size() - named_entries) : "");
}

/// "field p (entries 0, 1, 2, 3 and 12 more), field u"; a field that is there as a whole has no entries named.
std::string by_fields(const std::vector<int>& list, const Unknowns& unknowns) {
  const std::vector<int> position = positions(unknowns);
  std::vector<std::vector<int>> of_field(unknowns.fields.size());
  for (const int k : list) of_field[unknowns.field[k]].push_back(k);
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < of_field.size(); ++f) {
    const auto& found = of_field[f];
    if (found.empty()) continue;
    std::string text = "field " + unknowns.fields[f].name;
    if (static_cast<int>(found.size()) < entries_of(unknowns, static_cast<int>(f)))
      text += fmt::format(" ({})", entries_in_words(found, position, unknowns));
    parts.push_back(text);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<int> marked(const std::vector<char>& marks) {
  std::vector<int> out;
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (marks[k]) out.push_back(static_cast<int>(k));
  return out;
}

/// By the pencils where they agree, by the pattern elsewhere.
std::vector<int> best_growth(const StructureFindings& findings) {
  std::vector<int> out = findings.growth;
  const auto has_growth = [](const PencilIndex& one) { return !one.growth.empty(); };
  if (findings.pencils.empty() || !std::ranges::all_of(findings.pencils, has_growth)) return out;
  out.resize(findings.pencils.front().growth.size(), unclear);
  for (std::size_t j = 0; j < out.size(); ++j) {
    const int power = findings.pencils.front().growth[j];
    const bool agreed =
        std::ranges::all_of(findings.pencils, [&](const PencilIndex& one) { return one.growth[j] == power; });
    if (agreed && power != unclear) out[j] = power;
  }
  return out;
}

/// What a variable is. A variable whose rate stands in the equations may be called differential, whatever constraints
/// say about it; it may not where it behaves as one and is declared something else.
Kind kind_found(Kind declared, bool has_rate, int power) {
  const auto algebraic = static_cast<Kind>(std::clamp(power + 1, 1, 3));
  if (!has_rate) return power == unclear ? std::max(declared, Kind::index1) : algebraic;
  if (declared == Kind::differential || power == unclear) return declared;
  return power < 0 ? Kind::differential : algebraic;
}

/// How often a field's entries are of each kind.
using KindCounts = std::array<int, 4>;

std::string kinds_in_words(const KindCounts& counts) {
  std::vector<std::string> parts;
  const bool one = std::ranges::count(counts, 0) == 3;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0)
      parts.push_back(one ? name_of(static_cast<Kind>(k))
                          : fmt::format("{} {}", counts[k], name_of(static_cast<Kind>(k))));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// A kind that makes the error control wrong. One that is too high only leaves the field out of some error tests.
bool contradicts(Kind declared, Kind found) {
  return found > declared || (found == Kind::differential && declared != Kind::differential);
}

std::string kinds_of_fields(const StructureFindings& findings, const Unknowns& unknowns, Structure& out) {
  const std::vector<int> growth = best_growth(findings);
  const std::vector<char> has_rate = findings.signature.rate_columns();
  std::vector<KindCounts> declared(unknowns.fields.size(), KindCounts{}), found = declared;
  std::vector<std::vector<int>> wrong(unknowns.fields.size());
  for (std::size_t j = 0; j < unknowns.field.size(); ++j) {
    const int field = unknowns.field[j];
    const Kind kind = kind_found(unknowns.declared[j], has_rate[j] != 0, growth[j]);
    ++declared[field][static_cast<std::size_t>(unknowns.declared[j])];
    ++found[field][static_cast<std::size_t>(kind)];
    if (contradicts(unknowns.declared[j], kind)) wrong[field].push_back(static_cast<int>(j));
  }
  std::string text;
  for (std::size_t f = 0; f < unknowns.fields.size(); ++f) {
    if (declared[f] == KindCounts{}) continue; // without entries
    text += fmt::format("  {:<12} declared {}; found {}", unknowns.fields[f].name, kinds_in_words(declared[f]),
                        kinds_in_words(found[f]));
    if (!wrong[f].empty()) {
      out.contradicted = true;
      const int example = wrong[f].front();
      const Kind is = kind_found(unknowns.declared[example], has_rate[example] != 0, growth[example]);
      text += fmt::format(": CONTRADICTION, declare {} as {}", by_fields(wrong[f], unknowns), name_of(is));
    }
    text += "\n";
  }
  return text;
}

std::string index_in_words(const StructureFindings& findings, const Unknowns& unknowns, Structure& out) {
  std::string text;
  const auto add_line = [&](const std::string& line) { text += "  " + line + "\n"; };
  out.index = findings.structural_index;
  if (findings.pencils.empty()) {
    add_line(fmt::format("structural index {} (a lower bound of the index: docs/reference/structure.md)",
                         findings.structural_index));
    return text;
  }
  const PencilIndex& pencil = findings.pencils.front();
  if (pencil.null.count > 0) {
    add_line(fmt::format(
        "structural index {}, but the matrix is singular for every step: equations of {} repeat others or say "
        "nothing, and leave {} undetermined",
        findings.structural_index, by_fields(marked(pencil.null.rows), unknowns),
        by_fields(marked(pencil.null.columns), unknowns)));
    if (!pencil.null.constant) {
      out.index = -1;
      add_line(
          "no coordinates that stand still make it regular: BDF cannot solve it, although solutions may exist (BCP "
          "Example 2.4.1)");
      return text;
    }
    add_line(fmt::format("{} of variables {} in no equation: a level that is free, or a redundant equation",
                         counted(pencil.null.count, "combination"), pencil.null.count == 1 ? "stands" : "stand"));
  }
  out.index = pencil.index;
  if (pencil.index < 0) {
    add_line("the index is not clear: ranks of the matrices are not");
    return text;
  }
  add_line(fmt::format("index {} (of the matrix pencil{}), structural index {}", pencil.index,
                       pencil.null.count > 0 ? ", with that fixed" : "", findings.structural_index));
  if (findings.pencils.size() > 1 && findings.pencils[1].index != pencil.index)
    add_line(fmt::format("at another point the index is {}: it changes along the solution", findings.pencils[1].index));
  if (findings.rank_at_start.value_or(findings.rank) < findings.rank)
    add_line("at the initial values themselves the matrix is structurally singular: entries vanish there");
  else if (findings.index_at_start.value_or(findings.structural_index) != findings.structural_index)
    add_line(fmt::format("at the initial values themselves, where entries vanish, the structural index is {}",
                         *findings.index_at_start));
  if (pencil.index >= 2 && findings.rates_change)
    add_line("the coefficients of the rates change along the solution: this is the local index, and the index may be "
             "another (BCP Example 2.4.2)");
  return text;
}

} // namespace

void StructureFindings::examine_patterns(const Pattern& values, const Pattern& rates) {
  signature = signature_of(values, rates);
  const Matching matching = maximum_matching(signature.all);
  rank = matching.size;
  if (rank < signature.size()) {
    parts = structural_parts(signature.all, matching);
    return;
  }
  const Offsets found = offsets(signature);
  structural_index = dae::structural_index(signature, found);
  growth = dae::growth(signature, found);
}

void StructureFindings::examine_start(const Pattern& values, const Pattern& rates) {
  const Signature there = signature_of(values, rates);
  rank_at_start = maximum_matching(there.all).size;
  if (*rank_at_start == there.size()) index_at_start = dae::structural_index(there, offsets(there));
}

std::string parts_in_words(const StructuralParts& parts, const Unknowns& unknowns) {
  std::vector<std::string> text;
  if (!parts.overdetermined_rows.empty()) {
    const std::string rows = by_fields(parts.overdetermined_rows, unknowns);
    text.push_back(parts.overdetermined_columns.empty()
                       ? fmt::format("the equations of {} hold no variable", rows)
                       : fmt::format("overdetermined: {} of {} hold only {}, of {}",
                                     counted(static_cast<int>(parts.overdetermined_rows.size()), "equation"), rows,
                                     counted(static_cast<int>(parts.overdetermined_columns.size()), "variable"),
                                     by_fields(parts.overdetermined_columns, unknowns)));
  }
  if (!parts.underdetermined_columns.empty()) {
    const std::string columns = by_fields(parts.underdetermined_columns, unknowns);
    text.push_back(parts.underdetermined_rows.empty()
                       ? fmt::format("nothing determines {}: it stands in no equation", columns)
                       : fmt::format("underdetermined: {} of {} stand only in {}, of {}",
                                     counted(static_cast<int>(parts.underdetermined_columns.size()), "variable"),
                                     columns, counted(static_cast<int>(parts.underdetermined_rows.size()), "equation"),
                                     by_fields(parts.underdetermined_rows, unknowns)));
  }
  return fmt::format("{}", fmt::join(text, "; "));
}

Structure in_words(const StructureFindings& findings, const Unknowns& unknowns) {
  Structure out;
  const int size = findings.signature.size();
  out.text = fmt::format(
      "structure of {}{}\n  structural rank {} of {}\n", counted(size, findings.of_fields ? "field" : "unknown"),
      findings.of_fields ? ", each taken as one: no matrix here has all entries of the equations" : "", findings.rank,
      size);
  out.singular = findings.rank < size;
  if (out.singular) {
    out.text += fmt::format("  structurally singular: {}\n", parts_in_words(findings.parts, unknowns));
    return out;
  }
  out.text += index_in_words(findings, unknowns, out);
  out.text += kinds_of_fields(findings, unknowns, out);
  return out;
}

} // namespace rhumb::dae
