#pragma once
/// What a user writes: a DAE F(t, y, y') = 0 on distributed vectors. Only `fields`, `create_vector`, `initial_values`
/// and `residual` are needed; everything else makes the integration cheaper, stricter or richer, and is announced in
/// `offers`.

#include <rhumb/core/handle.hpp>
#include <rhumb/dae/parameter.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rhumb::dae {

/// What a variable is: differential (its derivative stands in F) or algebraic, with the index of the (sub)system that
/// determines it. A pressure in incompressible flow is `index2`, a Lagrange multiplier on positions is `index3`.
/// For an equation: the kind of variable that this row would determine; an `index2` row is a constraint that holds no
/// variable of its own kind, 0 = g(t, x).
enum class Kind : std::uint8_t { differential = 0, index1 = 1, index2 = 2, index3 = 3 };

/// A sign that every accepted value of a field must have. Kept by taking smaller steps, never by clipping.
enum class Sign : std::uint8_t { free, nonnegative, positive };

struct Field {
  std::string name;      ///< used in options (-dae_atol_<name>), files and messages
  std::string unit = ""; ///< "K", "m/s"; empty where dimensionless
  std::string long_name = "";
  Kind kind = Kind::differential;
  Sign sign = Sign::free;
  /// How far below zero still counts as nonnegative: what is used up to nothing cannot be kept above it to rounding.
  double sign_slack = 0.0;
};

/// A root function g(t, y, y'); the event is where it changes sign.
struct Event {
  enum class Direction : std::int8_t { falling = -1, any = 0, rising = 1 };
  std::string name;
  Direction direction = Direction::any;
};

/// What the integrator does after an event has been handled.
enum class AfterEvent : std::uint8_t {
  go_on,   ///< nothing changed: the event was only looked at
  restart, ///< values or equations changed: consistent start at the event, then order one
  stop,    ///< the run ends here
};

/// Which of the optional members of System are meant to be called.
struct Offers {
  bool jacobian = false;          ///< `jacobian` fills alpha dF/dy' + dF/dy
  bool product = false;           ///< `product` applies it without a matrix
  bool mass_product = false;      ///< `mass_product` applies dF/dy'
  bool hidden_constraint = false; ///< `hidden_constraint` gives d/dt of the index-2 rows
  bool exact = false;             ///< `exact` knows the solution
  bool algebraic_rates = false;   ///< `initial_values` gives y' of index-1 variables; the first prediction uses it
  bool exact_constraints =
      false; ///< `configure`'s preconditioner solves linear constraints to rounding; GMRES keeps that
};

class System {
public:
  System() = default;
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  /// The fields of y, in the order of their numbers.
  virtual std::vector<Field> fields() const = 0;

  /// A new vector with the layout of y. Also fixes the communicator.
  virtual core::VecHandle create_vector() const = 0;

  /// y and y' at the start time t. They need not be consistent; see bdf/consistent_start.hpp.
  virtual void initial_values(double t, Vec y, Vec ydot) = 0;

  /// F(t, y, y') into `residual`, every entry. May throw core::Recoverable where F has no value; entries that are NaN
  /// mean the same. Neither may skip communication that other ranks take part in, and so for all members below: an
  /// exception on one rank comes after the assembly of a matrix and after reductions, not before.
  virtual void residual(double t, Vec y, Vec ydot, Vec residual) = 0;

  virtual Offers offers() const { return {}; }

  /// The number of the field that the local entry belongs to. Default: fields are interleaved, point by point.
  virtual int field_of(PetscInt local) const;
  /// Default: the kind of the entry's field. Override where it varies, as on a Dirichlet boundary.
  virtual Kind variable_kind(PetscInt local) const;
  /// Kind of the equation in this row. Default: that of the variable with the same number.
  virtual Kind equation_kind(PetscInt local) const { return variable_kind(local); }

  /// A new matrix with the sparsity of alpha dF/dy' + dF/dy, preallocated. Default: every entry, for small systems
  /// only.
  virtual core::MatHandle create_matrix() const;
  /// alpha dF/dy' + dF/dy into `jacobian`, assembled, all of it: what the matrix held before may be lost. Without it
  /// the matrix comes from coloured differences.
  virtual void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian);
  /// (alpha dF/dy' + dF/dy) v into `product`.
  virtual void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product);
  /// (dF/dy') v into `product`. Without it: by differences.
  virtual void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product);
  /// d/dt of the index-2 rows, as a function of (t, y, y'), into their entries of `residual`; other entries untouched.
  virtual void hidden_constraint(double t, Vec y, Vec ydot, Vec residual);
  /// The exact solution at t.
  virtual void exact(double t, Vec y) const;

  /// Chooses the preconditioner's type and gives it what it needs (a DM, blocks); called before options are read.
  /// `matrix` is the one from create_matrix. Default: LU for small systems, block Jacobi with ILU for large ones.
  virtual void configure(PC preconditioner, Mat matrix) const;

  /// Root functions and what follows. Values must be the same on all ranks; an exception ends the run on all of them.
  virtual std::vector<Event> events() const { return {}; }
  virtual void event_values(double t, Vec y, Vec ydot, std::span<double> values);
  /// Called at a root, in order of time, with the events that changed sign there. May change y and y'.
  virtual AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot);

  /// The first time after t at which F jumps or has a kink in t (a source that ends, a table's corner). Steps end just
  /// before it, F is not evaluated across it, and the integration begins anew there.
  virtual std::optional<double> next_break(double /*t*/) const { return std::nullopt; }

  /// Where a local entry is, for messages: "x = 0.25, y = 0.5". Empty: it has no place beside its field.
  virtual std::string location(PetscInt /*local*/) const { return ""; }

  /// For each entry of y the size of the part of the domain that it stands for (as if the grid went on beyond its
  /// boundary), 0 where it has no place; null: not known. They decide how errors are averaged, see Norm in
  /// dae/weights.hpp. Asked for once.
  virtual core::VecHandle volumes() const { return {}; }

  /// Numbers in the equations, initial values and figures that a user may set, vary and differentiate by, with their
  /// present values. Default: those in `parameters_`.
  virtual std::vector<Parameter> parameters() const { return parameters_.list(); }
  /// Takes effect at the next call of any member. Called on all ranks with the same value.
  virtual void set_parameter(std::size_t index, double value) { parameters_.set(index, value); }
  /// dF/dp of one parameter into `out`, every entry. False: not known here, and differences are taken.
  virtual bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out);

  /// What the system remembers beside y (which branch is active, say), for checkpoints.
  virtual std::vector<double> saved_state() const { return {}; }
  virtual void restore_state(std::span<const double>) {}

protected:
  ParameterSet parameters_; ///< to be filled by constructors
};

/// Systems up to this size may have a full matrix and are factored by default.
inline constexpr PetscInt small_system = 2000;

} // namespace rhumb::dae
