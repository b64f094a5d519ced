/// The state at the start: that of given pressures at rest, or the steady one; and the modes after an event.
///
/// The steady state is found by Newton's method with continuation: implicit Euler steps of the equations themselves,
/// each solved by Newton's method, with a length that grows until time plays no role any more. Machines change their
/// modes on the way as they would in time.
///
/// Where an event changes equations, flows that bindings determine jump, and so may have to close a valve at once. Very
/// short steps of the same kind show them: the first one moves pressures onto the new bindings, the second one, which goes
/// on in time as pressures that follow a table do, has the flows.

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/network/pipes.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace rhumb::network {

using core::check;
using core::Readable;
using core::Writable;
using Type = Unknown::Type;

namespace {

constexpr double first_step = 1.0;     // s
constexpr double shortest_step = 1e-9; // s
constexpr double longest_step = 1e12;  // s: the rest of y' is below rounding
constexpr double growth = 4.0, cut = 0.25;
constexpr int most_steps = 2000;
constexpr int most_iterations = 20;
constexpr double converged = 1e-10; // of the corrections, relative
constexpr double least_part = 0.3;  // of its pressure that a Newton correction leaves a volume
constexpr double exhausted = 1e-6;  // of the pressure at the beginning
constexpr double instant = 1e-4;    // s: short against all times of a network; shorter ones drown flows in rounding
constexpr int most_changes = 20;    // of modes at one event

double max_over(MPI_Comm comm, double value) {
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm));
  return value;
}

/// KLU and MUMPS pivot, which constraints need.
core::KspHandle direct_solver(MPI_Comm comm, Mat matrix, bool small) {
  core::KspHandle solver;
  PC pc = nullptr;
  check(KSPCreate(comm, solver.out()));
  check(KSPSetOperators(solver, matrix, matrix));
  check(KSPSetType(solver, KSPPREONLY));
  check(KSPGetPC(solver, &pc));
  const bool alone = core::size_of(comm) == 1;
  if (!alone && small) { // factored on every rank
    KSP whole = nullptr;
    check(PCSetType(pc, PCREDUNDANT));
    check(PCRedundantGetKSP(pc, &whole));
    check(KSPGetPC(whole, &pc));
  }
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, alone || small ? MATSOLVERKLU : MATSOLVERMUMPS));
  return solver;
}

} // namespace

/// One implicit Euler step after the other.
class Pipes::Continuation {
public:
  Continuation(Pipes& pipes, double t, Vec y)
      : pipes_(pipes), t_(t), y_(y), before_(core::same_layout(y)), rate_(core::same_layout(y)),
        residual_(core::same_layout(y)), correction_(core::same_layout(y)), matrix_(pipes.create_matrix()),
        solver_(direct_solver(pipes.comm_, matrix_, pipes.layout_.size() <= factored_everywhere)) {}

  void run() {
    double step = first_step;
    const double highest = max_over(pipes_.comm_, highest_pressure());
    for (int count = 0; count < most_steps; ++count) {
      check(VecCopy(y_, before_));
      if (!newton(t_, step)) {
        check(VecCopy(before_, y_));
        step *= cut;
        if (step < shortest_step) give_up("Newton's method does not converge");
        continue;
      }
      const HeadValues ends = pipes_.fetch_ends(y_);
      if (*std::ranges::min_element(ends.pressure) < exhausted * highest) give_up("the gas is used up");
      if (pipes_.controls_.settle(t_, ends)) {
        pipes_.controls_.check_bindings();
        step = std::min(step, first_step);
        continue;
      }
      if (step >= longest_step) return;
      step = std::min(step * growth, longest_step);
    }
    give_up("machines do not come to rest");
  }

  /// What y is just after it, with the present modes; false where that cannot be found.
  bool look_ahead() {
    for (const double later : {0.0, instant}) {
      check(VecCopy(y_, before_));
      if (!newton(t_ + later, instant)) return false;
    }
    return true;
  }

private:
  bool newton(double t, double step) {
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      check(VecWAXPY(rate_, -1.0, before_, y_));
      check(VecScale(rate_, 1.0 / step));
      pipes_.residual(t, y_, rate_, residual_);
      pipes_.jacobian(t, y_, rate_, 1.0 / step, matrix_);
      if (!solve()) return false;
      const double size = move();
      if (!std::isfinite(size)) return false;
      if (size < converged) return true;
    }
    return false;
  }

  bool solve() {
    KSPConvergedReason reason = KSP_DIVERGED_BREAKDOWN;
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(KSPSolve(solver_, residual_, correction_));
    check(KSPGetConvergedReason(solver_, &reason));
    return reason > 0;
  }

  /// y -= correction, as far as pressures stay positive; the largest relative correction, NaN where there is none.
  double move() {
    constexpr double smallest_flow = 1e-2, smallest_pressure = 1e3; // for relative sizes
    double largest = 0.0, longest = 0.0;
    const bool gas = !pipes_.network_.fluid.liquid();
    {
      const Readable y(y_), d(correction_);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const Type type = pipes_.rows_[i].unknown.type;
        const bool pressure = type == Type::node || type == Type::volume;
        const bool density = type == Type::node_density || type == Type::volume_density;
        if (type == Type::account || type == Type::energy_account) continue;
        if (!std::isfinite(d[i])) largest = std::numeric_limits<double>::infinity();
        largest = std::max(largest, std::abs(d[i]) / (std::abs(y[i]) + (pressure ? smallest_pressure : smallest_flow)));
        if ((pressure || density) && gas) longest = std::max(longest, d[i] / ((1.0 - least_part) * y[i]));
      }
    }
    std::array<double, 2> both{largest, longest};
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, both.data(), 2, MPI_DOUBLE, MPI_MAX, pipes_.comm_));
    if (!std::isfinite(both[0])) return both[0];
    check(VecAXPY(y_, -1.0 / std::max(1.0, both[1]), correction_));
    return both[0];
  }

  double highest_pressure() const {
    double highest = 0.0;
    const Readable y(y_);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (pipes_.field_of(static_cast<PetscInt>(i)) == 0) highest = std::max(highest, y[i]);
    return highest;
  }

  [[noreturn]] void give_up(const std::string& why) {
    const HeadValues ends = pipes_.fetch_ends(y_);
    const auto lowest = std::ranges::min_element(ends.pressure);
    const auto node = static_cast<std::size_t>(lowest - ends.pressure.begin());
    throw core::BadInput(fmt::format("{}: no steady state at t = {:g}: {}; the lowest pressure, {:.4g} Pa, is at node "
                                     "'{}'. Check that supplies can bring what demands take",
                                     pipes_.network_.file, t_, why, *lowest, pipes_.network_.nodes[node].name));
  }

  Pipes& pipes_;
  double t_;
  Vec y_;
  core::VecHandle before_, rate_, residual_, correction_;
  core::MatHandle matrix_;
  core::KspHandle solver_;
};

namespace {
/// The pressure that the start has at every node: the given one, else the first one that is held.
std::vector<double> first_pressures(const Network& network, const Controls& controls, double t, bool all_given) {
  std::vector<double> of_node(network.nodes.size(), not_given);
  double anywhere = not_given;
  for (std::size_t i = 0; i < network.boundaries.size(); ++i) {
    if (network.boundaries[i].type != Boundary::Type::pressure) continue;
    const double value = controls.boundary_value(i, t).value;
    of_node[network.boundaries[i].node] = value;
    anywhere = std::isnan(anywhere) ? value : std::max(anywhere, value);
  }
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    const Node& node = network.nodes[i];
    if (std::isnan(of_node[i])) of_node[i] = node.pressure;
    if (!std::isnan(of_node[i])) continue;
    if (all_given)
      throw core::BadInput(fmt::format("{}: node {}: -start given needs its `pressure`", network.file, node.name));
    of_node[i] = anywhere;
  }
  return of_node;
}
} // namespace

void Pipes::initial_values(double t, Vec y, Vec ydot) {
  controls_ = Controls(network_);
  controls_.begin(t);
  mass_at_start_.reset();
  largest_defect_ = 0.0;
  check(VecSet(y, 0.0));
  check(VecSet(ydot, 0.0));
  start_at_rest(t, y);
  if (settings_.start == Settings::Start::steady) Continuation(*this, t, y).run();
  settle_modes(t, y); // pressures that follow tables may begin to move at once
  controls_.check_bindings();
  forget_accounts(t, y, ydot);
}

void Pipes::settle_modes(double t, Vec y) {
  const auto trial = core::same_layout(y);
  Continuation after(*this, t, trial);
  for (int change = 0; change < most_changes; ++change) {
    check(VecCopy(y, trial));
    if (!after.look_ahead() || !controls_.settle(t, fetch_ends(trial))) return;
  }
}

/// Pressures between those of the nodes, no flow, the fluid's temperature.
void Pipes::start_at_rest(double t, Vec y) const {
  const bool given = settings_.start == Settings::Start::given;
  const auto of_node = first_pressures(network_, controls_, t, given);
  const Writable value(y);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Unknown& unknown = rows_[i].unknown;
    const bool density = unknown.type == Type::node_density || unknown.type == Type::volume_density;
    double pressure = 0.0;
    if (unknown.type == Type::node || unknown.type == Type::node_density) {
      pressure = of_node[unknown.element];
    } else if (unknown.type == Type::volume || unknown.type == Type::volume_density) {
      const Pipe& pipe = network_.pipes[unknown.element];
      const double part = static_cast<double>(unknown.position) / static_cast<double>(pipe.cells);
      pressure = (1.0 - part) * of_node[pipe.from] + part * of_node[pipe.to];
    } else {
      continue;
    }
    const double P = network_.fluid.reduced(pressure);
    value[i] = density ? network_.fluid.density_of(P) : P;
  }
}

/// Nothing has come in yet; what comes in is m' = s.
void Pipes::forget_accounts(double t, Vec y, Vec ydot) {
  gathered_->fetch(y);
  const Writable value(y), rate(ydot);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Type type = rows_[i].unknown.type;
    if (type != Type::account && type != Type::energy_account) continue;
    value[i] = 0.0;
    rate[i] = type == Type::account ? gathered_->values()[rows_[i].index[0]] : energy_balance(rows_[i], t);
  }
}

} // namespace rhumb::network
