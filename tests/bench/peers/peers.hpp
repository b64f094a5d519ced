#pragma once
/// One problem, one code, one tolerance: what `bench_peers` measures. All codes get the same dae::Problem: the same
/// residual, the same Jacobian, the same preconditioner; all start from the same consistent values.

#include <rhumb/core/options.hpp>
#include <rhumb/dae/problem.hpp>
#include <functional>
#include <memory>

namespace rhumb::bench {

/// Consistent y and y'.
struct Start {
  core::VecHandle y, ydot;
};

/// How linear systems are solved: small ones by dense LU (TS: KLU), long ones with few entries by KLU (DASPK: band LU),
/// the others by GMRES with the problem's preconditioner.
enum class Algebra : std::uint8_t { dense, sparse, krylov };

/// What a run is judged by. Tolerances are rtol (|y_i| + floor); so is the error, without rtol:
///   error = max over the output times of sqrt(1/N sum ((y_i - truth_i) / (|truth_i| + floor_i))^2).
struct Task {
  dae::Problem& problem;
  double rtol;
  std::vector<double> floor; ///< per field
  std::vector<double> times; ///< of output
  Algebra algebra;
  Start start = {}; ///< the same for all codes, and at nobody's cost: see find_start
};

struct Cost {
  long steps = 0;
  long residuals = 0; ///< all evaluations of F
  long setups = 0;    ///< factorizations or preconditioners made
  long newton = 0;
  long linear = 0;
  double cpu_seconds = 0.0; ///< from the start values to the last output; making the codes' objects is left out
};

/// Counts every evaluation of F and hands everything on.
class Counted : public dae::System {
public:
  explicit Counted(dae::Problem& problem) : problem_(problem) {}
  long residuals = 0;

  std::vector<dae::Field> fields() const override { return problem_.fields(); }
  core::VecHandle create_vector() const override { return problem_.create_vector(); }
  void initial_values(double t, Vec y, Vec ydot) override { problem_.initial_values(t, y, ydot); }
  void residual(double t, Vec y, Vec ydot, Vec out) override {
    ++residuals;
    problem_.residual(t, y, ydot, out);
  }
  dae::Offers offers() const override {
    auto offers = problem_.offers();
    offers.exact = false;
    offers.product = false; // GMRES multiplies with the matrix, as TS's does; see run_ida for what IDA can do
    return offers;
  }
  int field_of(PetscInt local) const override { return problem_.field_of(local); }
  dae::Kind variable_kind(PetscInt local) const override { return problem_.variable_kind(local); }
  dae::Kind equation_kind(PetscInt local) const override { return problem_.equation_kind(local); }
  core::MatHandle create_matrix() const override { return problem_.create_matrix(); }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat out) override {
    problem_.jacobian(t, y, ydot, alpha, out);
  }
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec out) override { problem_.mass_product(t, y, ydot, v, out); }
  void hidden_constraint(double t, Vec y, Vec ydot, Vec out) override { problem_.hidden_constraint(t, y, ydot, out); }
  void configure(PC pc, Mat matrix) const override { problem_.configure(pc, matrix); }

private:
  dae::Problem& problem_;
};

/// Called at each output time with the solution there.
using Watch = std::function<void(std::size_t which, Vec y)>;

/// Fills task.start: by Rhumb, since not every code can find them.
void find_start(Task& task);

/// atol_i = rtol floor_i as a vector.
core::VecHandle atol_vector(const Task& task);

/// `variant` is an error test, or product: GMRES multiplies by the problem's product.
Cost run_rhumb(const Task& task, const std::string& variant, const Watch& watch);
/// `type` is bdf2 ... bdf5 or rosw.
Cost run_ts(const Task& task, const std::string& type, const Watch& watch);
#ifdef RHUMB_BENCH_IDA
/// `variant` is all (every variable in the error test), suppress (differential ones only) or matrix: as all, with the
/// kept matrix for GMRES's products, as Rhumb has it; else they are differences of F, IDA's own way.
Cost run_ida(const Task& task, const std::string& variant, const Watch& watch);
#endif

#ifdef RHUMB_BENCH_DASPK
/// The variants all and suppress; products are differences of F.
Cost run_daspk(const Task& task, const std::string& variant, const Watch& watch);
#endif

/// u_t = laplace u in the unit square or cube, no flux through its sides, -n cells: two modes, exact for the
/// differences. -preconditioner is ilu or hypre.
std::unique_ptr<dae::Problem> heat_box(MPI_Comm comm, const core::Options& options);

/// CPU seconds of this process so far.
double cpu_now();

} // namespace rhumb::bench
