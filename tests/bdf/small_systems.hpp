#pragma once
/// Systems for tests of the integrator, spread over all ranks, each written as a few lines of plain numbers.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <cmath>
#include <functional>

namespace rhumb::test {

using core::check;
using Numbers = std::vector<double>;

/// One small DAE per point, `points` of them on every rank, all alike: fields interleaved.
class Pointwise : public dae::System {
public:
  using Function =
      std::function<void(double t, std::span<const double> y, std::span<const double> ydot, std::span<double> f)>;

  Pointwise(std::vector<dae::Field> fields, Numbers start, Numbers rate, Function f)
      : fields_(std::move(fields)), start_(std::move(start)), rate_(std::move(rate)), f_(std::move(f)) {}

  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override {
    core::VecHandle y;
    check(VecCreateMPI(PETSC_COMM_WORLD, static_cast<PetscInt>(points * start_.size()), PETSC_DETERMINE, y.out()));
    return y;
  }
  void initial_values(double, Vec y, Vec ydot) override {
    const core::Writable value(y), rate(ydot);
    for (std::size_t i = 0; i < value.size(); ++i) {
      value[i] = start_[i % start_.size()];
      rate[i] = rate_[i % rate_.size()];
    }
  }
  void residual(double t, Vec y, Vec ydot, Vec residual) override {
    const core::Readable value(y), rate(ydot);
    const core::Writable out(residual);
    const std::size_t n = start_.size();
    for (std::size_t i = 0; i < value.size(); i += n)
      f_(t, value.span().subspan(i, n), rate.span().subspan(i, n), out.span().subspan(i, n));
  }
  dae::Offers offers() const override { return {.jacobian = static_cast<bool>(jacobian_block)}; }
  void jacobian(double t, Vec y, Vec, double alpha, Mat matrix) override {
    const core::Readable value(y);
    const auto n = static_cast<PetscInt>(start_.size());
    PetscInt first = 0, last = 0;
    check(MatGetOwnershipRange(matrix, &first, &last));
    for (PetscInt i = first; i < last; i += n) {
      const auto block =
          jacobian_block(t, value.span().subspan(static_cast<std::size_t>(i - first), start_.size()), alpha);
      std::vector<PetscInt> index(start_.size());
      for (PetscInt k = 0; k < n; ++k) index[k] = i + k;
      check(MatSetValues(matrix, n, index.data(), n, index.data(), block.data(), INSERT_VALUES));
    }
    check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }
  std::vector<dae::Event> events() const override { return event_list; }
  void event_values(double t, Vec y, Vec ydot, std::span<double> g) override {
    const Numbers value = first_point(y), rate = first_point(ydot);
    event_function(t, value, rate, g);
  }
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override {
    return event_action ? event_action(t, which, y, ydot) : dae::AfterEvent::go_on;
  }

  /// The values of the first point, the same on all ranks.
  Numbers first_point(Vec v) const {
    Numbers values(start_.size());
    const core::Readable local(v);
    std::copy_n(local.begin(), values.size(), values.begin());
    core::check_mpi(MPI_Bcast(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, 0, PETSC_COMM_WORLD));
    return values;
  }

  std::size_t points = 2; ///< on every rank
  /// alpha dF/dy' + dF/dy of one point, row by row; where given, the system offers a Jacobian.
  std::function<Numbers(double t, std::span<const double> y, double alpha)> jacobian_block;
  std::vector<dae::Event> event_list;
  Function event_function;
  std::function<dae::AfterEvent(double, std::span<const int>, Vec, Vec)> event_action;

private:
  std::vector<dae::Field> fields_;
  Numbers start_, rate_;
  Function f_;
};

inline std::vector<double> local_values(Vec v) {
  const core::Readable values(v);
  return {values.begin(), values.end()};
}

inline bdf::IntegratorOptions with_tolerance(double tolerance) {
  bdf::IntegratorOptions options;
  options.tolerances.rtol = options.tolerances.atol = tolerance;
  return options;
}

/// What the failure says; empty when there was none of that sort.
template <class Failure, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

/// PETSc options for as long as the object lives.
class PetscOptionsFor {
public:
  explicit PetscOptionsFor(std::vector<std::pair<std::string, std::string>> words) : words_(std::move(words)) {
    for (const auto& [name, value] : words_) check(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  PetscOptionsFor(const std::string& name, const std::string& value) : words_{{name, value}} {
    check(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  ~PetscOptionsFor() {
    for (const auto& word : words_) PetscOptionsClearValue(nullptr, word.first.c_str());
  }
  PetscOptionsFor(const PetscOptionsFor&) = delete;
  PetscOptionsFor& operator=(const PetscOptionsFor&) = delete;

private:
  std::vector<std::pair<std::string, std::string>> words_;
};

} // namespace rhumb::test
