#pragma once
/// The sweep back over a tape; adjoint.hpp has the formulas.

#include <rhumb/bdf/adjoint.hpp>
#include <rhumb/bdf/implementation.hpp>
#include <rhumb/bdf/transposed.hpp>

namespace rhumb::bdf {

class BackwardSweep {
public:
  /// `parameters` are positions in System::parameters.
  BackwardSweep(Integrator& integrator, Integrator::Implementation& parts, std::vector<Functional> functionals,
                std::vector<std::size_t> parameters);

  /// The integrator stands where the run ended, before and afterwards. Throws core::BadInput where the run cannot be
  /// differentiated.
  std::vector<Gradient> run();
  AdjointCounts counts() const;

private:
  using Differences = std::array<double, kept_differences + 1>;
  /// dG/dphi of a functional, of y and of its integrals.
  struct Column {
    Functional functional;
    Gradient gradient;
    std::array<core::VecHandle, kept_differences + 1> b;
    std::vector<Differences> of_integral;
    double by_event_time = 0.0; ///< of a jump, where the trajectory behind it stays
    core::VecHandle lambda;     ///< of the last step, from which the next solve begins
  };

  void check_tape() const;
  void replay(std::size_t step);
  void sweep(std::size_t step);
  void begin_of_run();
  void add_seeds(Column& column, const Tape::Step& step, double from, double to) const;
  /// Times up to here are of this step: before a jump, those up to it.
  double end_of(std::size_t step) const;
  void solve(Column& column, const Tape::Step& step);
  void pass_integrals(Column& column, const Tape::Step& step);
  void by_parameters(Column& column, const Tape::Step& step);
  void pass_differences(Column& column, const Coefficients& c);
  void differentiate_integrand(Column& column, std::size_t integral, const Tape::Step& step, double weight);

  // Restarts on the way, in adjoint_jumps.cpp.

  /// The system becomes what it was in this stretch.
  void enter(const Tape::Stretch& stretch);
  /// From dG/dphi at the start of a stretch to dG/dy and dG/dy' before it, which replace the first two.
  void pass_start(Column& column, const Tape::Stretch& stretch);
  void pass_events(Column& column, const Tape::Jump& jump);
  void pass_event_time(Column& column, const Tape::Jump& jump);
  /// To dG/dphi of the last step before the jump.
  void pass_interpolation(Column& column, const Tape::Jump& jump, const Tape::Step& step);
  void pass_jump(std::size_t stretch);
  /// weights^T (y behind the events - y)
  double change_by_events(const Tape::Jump& jump, double t, Vec y, Vec ydot, Vec weights);
  std::vector<double> memory_after_events(const Tape::Jump& jump, double t);
  void check_memory_of_events(const Tape::Stretch& stretch);
  /// The derivative of a number by a parameter; the system remembers what it did before the jump.
  double by_parameter(const TangentParameter& parameter, const Tape::Jump& jump, const std::function<double()>& value);

  // The start, in adjoint_start.cpp.
  /// Where the system remembers something of its start that depends on a parameter, F depends on it, too.
  void differentiate_saved_state(TangentParameter& parameter);
  void start_by_parameters(const LinearizationPoint& at);
  void constraints_by_parameter(Column& column, std::size_t i, const LinearizationPoint& at);
  /// dy0/dp of one parameter into work_; at a restart, of what makes `given` consistent.
  void differentiate_start(const TangentParameter& parameter, const Tape::Jump* given = nullptr);
  bool has_higher_index() const;
  bool start_depends_on_search() const;
  bool start_is_projection() const;
  /// By the values given at a start, from those by the consistent ones in b_1; `at` is consistent. Into column.lambda:
  /// by the constraints.
  void by_given_values(Column& column, Vec out, const LinearizationPoint& at);

  Integrator& integrator_;
  Integrator::Implementation& parts_;
  Tape& tape_;
  TransposedMatrix matrix_;
  std::vector<Column> columns_;
  std::vector<TangentParameter> parameters_;
  std::vector<core::VecHandle> by_parameter_; ///< F_p of the step
  core::VecHandle sum_, by_y_, by_rate_, work_, work2_, integrand_by_y_;
  double alpha_ = 1.0; ///< of the last step
  long replayed_ = 0;
};

} // namespace rhumb::bdf
