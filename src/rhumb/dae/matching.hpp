#pragma once
/// What the zero pattern of a matrix says about it, whatever its values: the structural rank by a maximum matching of
/// rows and columns (Hopcroft and Karp 1973), and the parts that have too many or too few equations (the coarse
/// decomposition of Dulmage and Mendelsohn 1958). Pure: no vectors, no MPI.

#include <span>
#include <vector>

namespace rhumb::dae {

/// The places of the entries of a sparse matrix, by rows.
struct Pattern {
  struct Entry {
    int row = 0, column = 0;
    auto operator<=>(const Entry&) const = default;
  };

  int rows = 0, columns = 0;
  std::vector<int> begin = {0}; ///< of each row in `column`, and the end of the last
  std::vector<int> column = {}; ///< ascending within a row

  /// In any order; an entry may come several times.
  static Pattern of(int rows, int columns, std::vector<Entry> entries);
  std::span<const int> row(int i) const { return {column.data() + begin[i], column.data() + begin[i + 1]}; }
  Pattern transposed() const;
};

inline constexpr int unmatched = -1;

/// Pairs of a row and a column, each in at most one pair.
struct Matching {
  std::vector<int> column_of_row; ///< or `unmatched`
  std::vector<int> row_of_column;
  int size = 0; ///< pairs
};

/// As many pairs as there can be: their number is the structural rank.
Matching maximum_matching(const Pattern& pattern);

/// Rows and columns in ascending order. In the overdetermined part every column is matched and rows are left over; in
/// the underdetermined part every row is matched and columns are left over. Both are empty where the matrix is
/// structurally nonsingular.
struct StructuralParts {
  std::vector<int> overdetermined_rows, overdetermined_columns;
  std::vector<int> underdetermined_rows, underdetermined_columns;
};
StructuralParts structural_parts(const Pattern& pattern, const Matching& maximum);

} // namespace rhumb::dae
