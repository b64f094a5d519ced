#pragma once
/// What surrounds the fluid: values at ghost places outside the box as linear functions of unknowns inside, and rows
/// that are not balances (a face whose velocity is given, a face or cell inside an obstacle).
///
/// Each ghost is  sum_k factor_k y_k + weight g(x, t). The residual fills ghosts before its sweep; the Jacobian puts a
/// ghost's derivative on the unknowns it is made of. With x_b the boundary, b the face on it:
///   wall, moving, inflow   tangential  u_g = 2 g - u      (the mean at x_b is g)
///   slip, outflow          tangential  u_g = u
///   all                    normal      u_g = 2 u_b - u    (linear)
///   outflow                pressure    p_g = -p + 2 nu du_n/dx_n   (do-nothing: nu du/dn - p n = 0 at x_b)
/// With -sides quadratic: tangential u_g from the parabola through g at x_b and the two cells inside;
/// at an outflow u_g and du_n/dx_n from the parabola through three faces.
///   scalar: value T_g = 2 g - T; insulated T_g = T; flux T_g = T + g dx

#include <rhumb/grid/given_values.hpp>
#include <rhumb/physics/flow/case.hpp>
#include <rhumb/physics/flow/staggered.hpp>

namespace rhumb::flow {

using grid::GivenValues;

/// What a row of the system says.
enum class RowKind : std::uint8_t {
  balance,  ///< momentum, continuity or scalar transport
  given,    ///< unknown = g(x, t)
  mirrored, ///< inside an obstacle, beside the fluid: unknown = sum of factors times neighbours
};

struct BoundaryTerm {
  PetscInt offset;
  double factor;
};

class Boundary {
public:
  Boundary(const Case& flow_case, const Staggered& grid, Level level);

  /// The first cell's continuity follows from all others; its row says p = 0 instead.
  void pin();
  void unpin();
  /// Values of t into everything given.
  void update(double t) { given_.update(t); }
  /// Ghosts into the local array.
  void fill_ghosts(double* local) const;
  /// The terms of the ghost at that place; empty where there is none (its derivative is zero).
  std::span<const BoundaryTerm> ghost(PetscInt offset) const;

  RowKind row(PetscInt owned) const { return rows_[owned]; }
  /// Rows that are not balances, with what they say: y[place] - g - sum of terms = 0.
  struct Special {
    PetscInt offset;
    PetscInt owned;
    PetscInt given;           ///< number in the given values, or -1
    std::uint32_t begin, end; ///< in the terms
  };
  std::span<const Special> special_rows() const { return special_; }
  std::span<const BoundaryTerm> terms(const Special& row) const {
    return {terms_.data() + row.begin, terms_.data() + row.end};
  }
  double value(const Special& row) const { return row.given < 0 ? 0.0 : given_.value(row.given); }
  bool moves(const Special& row) const { return row.given >= 0 && given_.moves(row.given); }
  /// The first end of a table after t: a kink.
  std::optional<double> next_break(double t) const;
  double rate(const Special& row, double t) const { return row.given < 0 ? 0.0 : given_.rate(row.given, t); }

  bool solid(const Index& cell) const; ///< any cell of the local array, ghosts included
  bool any_solid() const { return any_solid_; }
  /// Own cells next to an obstacle: cell, direction, and whether the obstacle lies above (+1) or below (-1).
  struct Contact {
    Index cell;
    int direction;
    int sign;
  };
  const std::vector<Contact>& contacts() const { return contacts_; }

private:
  struct Ghost {
    PetscInt offset;
    std::uint32_t begin, end;
    double weight;
    PetscInt given; ///< or -1
  };
  void mark_solid();
  void find_contacts();
  void add_side(int direction, int upper);
  /// A layer of ghosts beyond a side: which, the cells that it is at and mirrors, the face on the side.
  struct Layer {
    int direction, upper, depth;
    PetscInt outside, inside, face;
  };
  void add_ghost_layer(int direction, int upper, int layer);
  bool bends(const Layer& layer) const;
  static Index mirrored(const Layer& layer, Index ghost);
  Position on_side(const Layer& layer, int field, const Index& ghost) const;
  void add_tangential_ghost(const Layer& layer, int component, const Index& ghost);
  void add_quadratic_tangential_ghost(const Layer& layer, int component, const Index& ghost);
  void add_normal_ghost(const Layer& layer, const Index& ghost);
  void add_pressure_ghost(const Layer& layer, const Index& ghost);
  void add_scalar_ghost(const Layer& layer, const Index& ghost);
  void add_ghost(PetscInt offset, const std::vector<BoundaryTerm>& terms, double weight, PetscInt given);
  PetscInt add_velocity(const Side& side, int component, const Position& x);
  void fix_faces(int direction, int upper);
  void fix_solid();
  void add_special(PetscInt offset, RowKind kind, PetscInt given, const std::vector<BoundaryTerm>& terms);

  const Case& case_;
  const Staggered& grid_;
  std::vector<std::uint8_t> solid_; ///< by element of the local array
  bool any_solid_ = false;
  std::vector<RowKind> rows_;
  std::vector<Special> special_;
  std::vector<Ghost> ghosts_;
  std::vector<PetscInt> ghost_at_; ///< by place: number of the ghost, or -1
  std::vector<BoundaryTerm> terms_;
  std::vector<Contact> contacts_;
  GivenValues given_;
};

} // namespace rhumb::flow
