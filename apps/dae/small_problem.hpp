#pragma once
/// The base of the small systems of the literature. All unknowns live on rank 0, so a problem is written with plain
/// numbers; the other ranks have no entries and take part in nothing but the assembly and the reports.

#include <rhumb/core/options.hpp>
#include <rhumb/core/vec_version.hpp>
#include <rhumb/dae/problem.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

namespace rhumb::problems {

/// A small square matrix, zero at first.
class Dense {
public:
  explicit Dense(std::size_t size) : size_(size), entries_(size * size, 0.0) {}
  double& operator()(std::size_t row, std::size_t column) { return entries_[row * size_ + column]; }
  double operator()(std::size_t row, std::size_t column) const { return entries_[row * size_ + column]; }
  std::size_t size() const { return size_; }
  void clear() { std::fill(entries_.begin(), entries_.end(), 0.0); }

private:
  std::size_t size_;
  std::vector<double> entries_;
};

/// The derivatives of F at one point.
struct Linearisation {
  Dense dy;    ///< dF/dy
  Dense dydot; ///< dF/dy'
};

using Values = std::span<const double>;

class SmallProblem : public dae::Problem {
public:
  /// Reads -start_values, which every small problem knows.
  SmallProblem(MPI_Comm comm, std::string name, std::vector<dae::Field> fields, const core::Options& options);

  std::string name() const override { return name_; }
  std::vector<dae::Field> fields() const override { return fields_; }
  dae::Kind variable_kind(PetscInt local) const override { return fields_[local].kind; }
  int field_of(PetscInt local) const override { return static_cast<int>(local); }
  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true}; }

  core::VecHandle create_vector() const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  void hidden_constraint(double t, Vec y, Vec ydot, Vec residual) override;
  void exact(double t, Vec y) const override;
  void after_step(double t, Vec y, Vec ydot) override;
  void watch(double t, Vec y, Vec ydot) override;
  std::vector<double> saved_state() const override { return {largest_.begin(), largest_.end()}; }
  void restore_state(std::span<const double> memory) override;

  dae::Preferences preferences() const override { return {.backwards = true}; }

protected:
  /// The largest of an error over the run, seen on rank 0; a continued run remembers it.
  void note_error(std::size_t which, double error) { largest_[which] = std::max(largest_[which], error); }
  /// On all ranks.
  double largest_error(std::size_t which) const;

  /// The same on plain numbers, on rank 0 only. `linearise` gets zero matrices and must not throw: the other ranks wait
  /// in the assembly.
  virtual void start(double t, std::span<double> y, std::span<double> ydot) const = 0;
  virtual void evaluate(double t, Values y, Values ydot, std::span<double> f) const = 0;
  virtual void linearise(double t, Values y, Values ydot, Linearisation& at) const = 0;
  /// d/dt of the index-2 rows, into their entries; the other entries are not looked at.
  virtual void hidden(double /*t*/, Values /*y*/, Values /*ydot*/, std::span<double> /*f*/) const {}
  virtual void solution(double /*t*/, std::span<double> /*y*/) const {}
  virtual void see_step(double /*t*/, Values /*y*/, Values /*ydot*/) {}
  virtual void see(double /*t*/, Values /*y*/, Values /*ydot*/) {}

  std::size_t size() const { return fields_.size(); }
  /// The solution as numbers; only where `offers().exact`.
  std::vector<double> solution_at(double t) const;

  MPI_Comm comm() const { return comm_; }

private:
  /// Where the derivatives were last taken.
  struct Where {
    double t;
    core::VecVersion y, ydot;
    bool operator==(const Where&) const = default;
  };
  const Linearisation& linearised(double t, Vec y, Vec ydot);

  bool first_rank() const;

  MPI_Comm comm_;
  std::string name_;
  std::vector<dae::Field> fields_;
  bool rough_start_;
  std::optional<Where> where_;
  Linearisation last_; ///< there; all products of one error test share it
  std::array<double, 3> largest_{};
};

/// All entries of y, on all ranks.
std::vector<double> everywhere(Vec y);
/// A number that rank 0 knows, on all ranks.
double from_first_rank(MPI_Comm comm, double value);

/// The tolerances that the run will use: the problem's own, changed by -dae_rtol, -dae_atol and -dae_atol_<field>.
/// For problems that measure errors in units of the tolerance.
dae::Tolerances tolerances_in_use(const core::Options& options, const dae::Tolerances& defaults,
                                  const std::vector<dae::Field>& fields);

} // namespace rhumb::problems
