#pragma once
/// A problem whose unknowns all live on rank 0, with a sparse matrix: circuits, mechanisms. It is written with plain
/// numbers; the other ranks have no entries and take part in nothing but the assembly and the reports. That has a bound,
/// `max_unknowns`: beyond it a system belongs on all ranks.

#include <rhumb/core/vec_version.hpp>
#include <rhumb/dae/problem.hpp>
#include <optional>

namespace rhumb::dae {

/// The entries of dF/dy and dF/dy' of one pattern. They are added in the same order each time: the first time finds the
/// pattern, later ones only sum up values.
class SparseLinearisation {
public:
  /// Before the entries of one point.
  void begin();
  void add(std::size_t row, std::size_t column, double dy, double dydot = 0.0);
  void add_rate(std::size_t row, std::size_t column, double dydot) { add(row, column, 0.0, dydot); }
  /// After them; throws std::logic_error where fewer or others were added than the first time.
  void end(std::size_t size);

  /// Compressed rows.
  std::span<const PetscInt> row_starts() const { return starts_; }
  std::span<const PetscInt> columns() const { return columns_; }
  std::span<const double> dy() const { return dy_; }
  std::span<const double> dydot() const { return dydot_; }

private:
  void find_pattern(std::size_t size);

  struct Entry {
    std::size_t row, column;
    double dy, dydot;
  };
  std::vector<Entry> first_;       ///< until the pattern is known
  std::vector<std::size_t> slots_; ///< where each added entry goes
  std::vector<std::pair<std::size_t, std::size_t>> added_;
  std::size_t next_ = 0;
  std::vector<PetscInt> starts_, columns_;
  std::vector<double> dy_, dydot_;
};

class RootProblem : public Problem {
public:
  static constexpr std::size_t max_unknowns = 1'000'000;

  RootProblem(MPI_Comm comm, std::string name) : comm_(comm), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  std::vector<Field> fields() const override { return fields_; }
  Kind variable_kind(PetscInt local) const override { return fields_[local].kind; }
  int field_of(PetscInt local) const override { return static_cast<int>(local); }
  Offers offers() const override { return {.jacobian = true, .mass_product = true}; }

  core::VecHandle create_vector() const override;
  core::MatHandle create_matrix() const override;
  void configure(PC preconditioner, Mat matrix) const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;
  void hidden_constraint(double t, Vec y, Vec ydot, Vec residual) override;
  void set_parameter(std::size_t index, double value) override;

protected:
  using Values = std::span<const double>;

  /// One field per unknown. Throws core::BadInput where there are too many.
  void set_fields(std::vector<Field> fields);

  /// On rank 0 only. `linearise` adds the same entries in the same order at any point.
  virtual void start(double t, std::span<double> y, std::span<double> ydot) const = 0;
  virtual void evaluate(double t, Values y, Values ydot, std::span<double> f) const = 0;
  virtual void linearise(double t, Values y, Values ydot, SparseLinearisation& at) const = 0;
  /// d/dt of the index-2 rows, into their entries; the other entries are not looked at.
  virtual void hidden(double /*t*/, Values /*y*/, Values /*ydot*/, std::span<double> /*f*/) const {}

  std::size_t size() const { return fields_.size(); }
  MPI_Comm comm() const { return comm_; }
  bool on_root() const;
  /// All entries of y, on all ranks.
  std::vector<double> everywhere(Vec y) const;
  /// What rank 0 has, on all ranks.
  void share(std::span<double> values) const;
  /// Values computed before are no longer those of the equations.
  void forget_linearisation() { where_.reset(); }

private:
  struct Where {
    double t;
    core::VecVersion y, ydot;
    bool operator==(const Where&) const = default;
  };
  const SparseLinearisation& linearised(double t, Vec y, Vec ydot) const;

  MPI_Comm comm_;
  std::string name_;
  std::vector<Field> fields_;
  mutable std::optional<Where> where_; ///< where the derivatives were last taken
  mutable SparseLinearisation last_;   ///< there
};

} // namespace rhumb::dae
