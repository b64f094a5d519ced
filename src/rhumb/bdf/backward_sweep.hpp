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
  };

  void check_tape() const;
  void replay(std::size_t step);
  void sweep(std::size_t step);
  void add_seeds(Column& column, const Tape::Step& step, double from, bool last) const;
  void solve(Column& column, const Tape::Step& step);
  void pass_integrals(Column& column, const Tape::Step& step);
  void by_parameters(Column& column, const Tape::Step& step);
  void pass_differences(Column& column, const Coefficients& c);
  void differentiate_integrand(Column& column, std::size_t integral, const Tape::Step& step, double weight);

  // The start, in adjoint_start.cpp.
  /// Where the system remembers something of its start that depends on a parameter, F depends on it, too.
  void differentiate_saved_state(TangentParameter& parameter);
  void start_by_parameters();
  /// dy0/dp of one parameter into work_.
  void differentiate_start(const TangentParameter& parameter);
  bool start_depends_on_search() const;
  void by_given_values(Column& column);

  Integrator& integrator_;
  Integrator::Implementation& parts_;
  Tape& tape_;
  TransposedMatrix matrix_;
  std::vector<Column> columns_;
  std::vector<TangentParameter> parameters_;
  std::vector<core::VecHandle> by_parameter_; ///< F_p of the step
  core::VecHandle lambda_, sum_, by_y_, by_rate_, work_, work2_, integrand_by_y_;
  long replayed_ = 0;
};

} // namespace rhumb::bdf
