#pragma once
/// Problems of each kind of mesh, with known values, for tests of files. Nothing is solved: their fields are formulas
/// of place and time.

#include <rhumb/core/check.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/grid/geometry.hpp>
#include <cmath>
#include <petscdmda.h>

namespace rhumb::samples {

/// The parts that no test of files looks at.
class Sample : public dae::Problem {
public:
  double t_end() const override { return 1.0; }
  void initial_values(double, Vec y, Vec ydot) override {
    core::check(VecSet(y, 1.0));
    core::check(VecSet(ydot, 0.0));
  }
  void residual(double, Vec, Vec ydot, Vec out) override { core::check(VecCopy(ydot, out)); }
  std::vector<std::pair<std::string, double>> series(double t, Vec, Vec) override {
    return {{"energy", std::exp(-t)}, {"front", 0.5 * t}};
  }
};

/// A system without space: three unknowns, all on rank 0 or spread as PETSc likes.
class Plain : public Sample {
public:
  explicit Plain(MPI_Comm comm) : comm_(comm) { core::check(VecGetOwnershipRange(create_vector(), &first_, nullptr)); }
  std::string name() const override { return "plain"; }
  std::vector<dae::Field> fields() const override {
    return {{.name = "a", .unit = "mol", .long_name = "amount of a"}, {.name = "b", .unit = "mol"}, {.name = "c"}};
  }
  core::VecHandle create_vector() const override {
    core::VecHandle vector;
    core::check(VecCreateMPI(comm_, PETSC_DECIDE, 3, vector.out()));
    return vector;
  }
  int field_of(PetscInt local) const override { return static_cast<int>(first_ + local); }

private:
  MPI_Comm comm_;
  PetscInt first_ = 0;
};

/// A two-dimensional box with values at points and cells, and a staggered velocity.
class Box : public Sample, public grid::Geometry {
public:
  Box(MPI_Comm comm, PetscInt nx, PetscInt ny);
  std::string name() const override { return "box"; }
  std::vector<dae::Field> fields() const override { return {{.name = "temperature", .unit = "K"}, {.name = "smoke"}}; }
  core::VecHandle create_vector() const override;
  std::string signature() const override;
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  std::vector<PetscInt> natural_indices() const override;

  /// The numbers of the formulas, at a time t.
  static double temperature(double t, double x, double y) {
    return 300.0 + 50.0 * std::sin(3.0 * x + t) * std::cos(2.0 * y);
  }
  static double u(double x, double y) { return std::sin(x) * std::cos(y); }
  static double v(double x, double y) { return -std::cos(x) * std::sin(y); }

private:
  grid::FieldBlock on_box(const std::string& name, grid::Location location, double (*formula)(double, double, double),
                          double t) const;
  MPI_Comm comm_;
  PetscInt nx_, ny_;
  core::DmHandle grid_;
};

/// A box of one direction, with values at points and cells.
class Line : public Sample, public grid::Geometry {
public:
  Line(MPI_Comm comm, PetscInt n) : comm_(comm), n_(n) {}
  std::string name() const override { return "line"; }
  std::vector<dae::Field> fields() const override { return {{.name = "u"}}; }
  core::VecHandle create_vector() const override;
  std::string signature() const override { return "line"; }
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;

private:
  MPI_Comm comm_;
  PetscInt n_; ///< cells
};

/// Points that move; from the second output on there is one more.
class Moving : public Sample, public grid::Geometry {
public:
  Moving(MPI_Comm comm, PetscInt n) : comm_(comm), n_(n) {}
  std::string name() const override { return "moving"; }
  std::vector<dae::Field> fields() const override { return {{.name = "u"}, {.name = "x", .unit = "m"}}; }
  core::VecHandle create_vector() const override;
  std::string signature() const override { return "moving line"; }
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;
  PetscInt points_at(double t) const { return t < 0.05 ? n_ : n_ + 1; }
  static double position(double t, double s) { return s + 0.3 * t * s * (1.0 - s); }

private:
  grid::Block<double> on_points(double t, double (*formula)(double, double)) const;
  MPI_Comm comm_;
  PetscInt n_;
};

/// Triangles and, with `mixed`, quadrilaterals on the unit square; ranks take rows in turn, so that no rank's part is
/// contiguous.
class Unstructured : public Sample, public grid::Geometry {
public:
  enum class Cells : std::uint8_t { triangles, mixed };
  Unstructured(MPI_Comm comm, std::uint64_t n, Cells cells) : comm_(comm), n_(n), cells_(cells) {}
  std::string name() const override { return "unstructured"; }
  std::vector<dae::Field> fields() const override { return {{.name = "u"}}; }
  core::VecHandle create_vector() const override;
  std::string signature() const override { return "triangles"; }
  grid::Mesh mesh(double t, Vec y) override;
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override;

private:
  MPI_Comm comm_;
  std::uint64_t n_; ///< squares per direction
  Cells cells_;
};

} // namespace rhumb::samples
