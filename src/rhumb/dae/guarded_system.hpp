#pragma once
/// A System as the integrator calls it: counted, and with failures that all ranks learn of together.
///
/// A residual that fails on one rank fills its part with NaN and the failure waits; the next reduction carries it to
/// all ranks at no extra cost. A recoverable one turns every reduced number into NaN, so each rank takes the same
/// branch; any other exception is thrown on all ranks there.

#include <rhumb/dae/system.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <limits>

namespace rhumb::dae {

struct EvaluationCounts {
  long residual = 0;        ///< all residual evaluations
  long residual_krylov = 0; ///< those made for matrix-vector products by differences
  long residual_matrix = 0; ///< those made for a matrix by coloured differences
  long jacobian = 0;        ///< iteration matrices evaluated
  long mass_product = 0;    ///< products with dF/dy'
  long sensitivity = 0;     ///< residual evaluations made for sensitivities, in no other count
  long reductions = 0;      ///< global reductions by the integrator (those inside a KSP or PC are PETSc's)
};

class GuardedSystem {
public:
  explicit GuardedSystem(System& system);
  ~GuardedSystem();
  GuardedSystem(const GuardedSystem&) = delete;
  GuardedSystem& operator=(const GuardedSystem&) = delete;

  System& system() const { return system_; }
  MPI_Comm comm() const { return comm_; }
  const Offers& offers() const { return offers_; }

  void residual(double t, Vec y, Vec ydot, Vec out);
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat out);
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec out);
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec out);
  void hidden_constraint(double t, Vec y, Vec ydot, Vec out);
  /// `memory` is what the system remembers with that value; empty: what it does now.
  void set_parameter(std::size_t index, double value, std::span<const double> memory = {});
  /// A parameter's value and how far it is moved for differences.
  struct Moved {
    std::size_t index = 0;
    double value = 0.0;
    double increment = 0.0;
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    /// The two values that a difference is taken of: one-sided where the range ends.
    double below() const { return value - increment >= lower ? value - increment : value; }
    double above() const { return value + increment <= upper ? value + increment : value; }

    /// What the system remembers, and how that depends on the parameter: F may depend on it. Empty: it does not.
    std::span<const double> memory = {}, memory_rate = {};
    std::vector<double> memory_at(double moved) const;
  };
  /// dF/dp, with what the system remembers: the system's, else the difference of two residuals; the work vectors are
  /// overwritten.
  void parameter_derivative(double t, Vec y, Vec ydot, const Moved& parameter, std::array<Vec, 2> work, Vec out);
  /// One reduction each; an exception on one rank is thrown on all.
  void event_values(double t, Vec y, Vec ydot, std::span<double> values);
  AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot);

  /// Says that something local went wrong that a smaller step may mend.
  void fail_here() { pending_ = std::max(pending_, Pending::recoverable); }

  /// Sums over the ranks, or what MPI_MAX finds, in place. All become NaN, on all ranks, when a recoverable failure was
  /// waiting anywhere. Throws, on all ranks, when another exception was. At most `max_sums` numbers.
  void reduce(std::span<double> sums, MPI_Op operation = MPI_SUM);
  static constexpr std::size_t max_sums = 6;

  /// Whether no rank has a failure waiting; a reduction of its own.
  bool all_well();

  /// Whether no entry of v is NaN or infinite, on any rank, and no failure is waiting; a reduction of its own.
  bool has_value(Vec v);

  /// What the last Recoverable said, on the lowest rank that had one; empty when none did. Called on all ranks.
  std::string last_complaint() const;
  /// What was said so far explains nothing that follows.
  void forget_complaint() { complaint_.clear(); }

  EvaluationCounts counts;

private:
  enum class Pending : std::uint8_t { none, recoverable, fatal };

  template <class Call>
  void guarded(Vec out, Call&& call);
  template <class Call>
  void all_or_none(Call&& call);

  System& system_;
  MPI_Comm comm_ = MPI_COMM_NULL; ///< PETSc's, counted: PETSc frees it with the last object that uses it
  bool alone_ = false;            ///< on one rank there is nothing to sum
  Offers offers_;
  Pending pending_ = Pending::none;
  std::exception_ptr fatal_;
  std::string complaint_; ///< of the last Recoverable here
};

} // namespace rhumb::dae
