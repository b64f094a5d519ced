#pragma once
/// A PDE on a box from one kernel. The user derives from KernelSystem and writes, generic in the scalar,
///
///   auto equation(const auto& u, const auto& rate, const box::Point& p) const;   // F(t, u, u') at one point
///
/// where u is a Stencil and rate[f] the time derivative of field f at the point; it returns one value, or an array with
/// one per field. Beside it `initial(p)`, and where the mirror at the boundary (no flux) is not what is wanted,
/// `boundary(u, rate, p)` with the same face. From these come the residual (plain numbers), the exact Jacobian (duals,
/// filled by stencil), the products with it and with dF/dy', and which variables are algebraic: those whose derivative
/// stands in no equation of their point, as on a Dirichlet boundary (BCP 1.3.4).
///
/// All is static dispatch: one call per point, inlined into a loop over consecutive numbers.
///
/// A module with tables beside the fields adds `prepare(t, y, need)`, called before each sweep with the fields and
/// their halo, and `on(segment)`, which returns the kernel that holds the tables' rows of that segment. A kernel of one
/// field may add `held(sides)`, whether the equation of the points on these sides is u - held_value(p) = 0: then
/// nothing else is read there. (At the ends of rows in three dimensions these reads take as long as all the rest.)

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/need.hpp>
#include <rhumb/core/vec_version.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/pde/box/box_output.hpp>
#include <rhumb/pde/box/multigrid.hpp>
#include <rhumb/pde/box/stencil.hpp>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>

namespace rhumb::box {

template <class Derived, int F>
class KernelSystem : public dae::Problem, public Geometry {
public:
  KernelSystem(MPI_Comm comm, BoxShape shape, std::vector<dae::Field> fields)
      : box_(comm, std::move(shape), F), fields_(std::move(fields)), halo_(box_) {
    if (fields_.size() != static_cast<std::size_t>(F))
      throw std::logic_error("expected " + std::to_string(F) + " field names, got " + std::to_string(fields_.size()));
    parameters_.on_change([this] { prepared_.reset(); }); // tables may hold parameters
  }
  /// The box from -n, -lower and -upper, with these defaults.
  KernelSystem(MPI_Comm comm, const core::Options& options, const BoxShape& defaults, std::vector<dae::Field> fields)
      : KernelSystem(comm, read_box(options, defaults), std::move(fields)) {}

  const Box& box() const { return box_; }

  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override {
    core::VecHandle vector;
    core::check(DMCreateGlobalVector(box_.dm(), vector.out()));
    return vector;
  }
  core::MatHandle create_matrix() const override {
    core::MatHandle matrix;
    core::check(DMCreateMatrix(box_.dm(), matrix.out()));
    return matrix;
  }
  dae::Offers offers() const override { return {.jacobian = true, .product = true, .mass_product = true}; }
  int field_of(PetscInt local) const override { return static_cast<int>(local % F); }
  std::string location(PetscInt local) const override { return box_.position_text(local / F); }
  core::VecHandle volumes() const override { return box_volumes(box_); }
  dae::Kind variable_kind(PetscInt local) const override { return kinds()[local]; }
  /// Multigrid where the sizes allow it; see grid/multigrid.hpp.
  void configure(PC preconditioner, Mat matrix) const override {
    configure_multigrid(preconditioner, matrix, box_, kinds());
  }

  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;

  std::string signature() const override { return box_.shape().describe(); }
  Mesh mesh(double /*t*/, Vec /*y*/) override { return box_mesh(box_); }
  std::vector<FieldBlock> fields(double /*t*/, Vec y, Vec /*ydot*/) override { return box_fields(box_, fields_, y); }
  std::vector<PetscInt> natural_indices() const override { return box_natural_indices(box_); }

protected:
  using Values = std::array<double, static_cast<std::size_t>(F)>;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  /// Calls visit(segment) for every segment once the fields and their halo are there (and the tables prepared).
  template <class Visit>
  void sweep(double t, Vec y, const double* owned, core::Need need, Visit&& visit);

  Point point(PetscInt owned, double t) const;
  template <int D>
  Spacings<D> inverse_spacings() const;

private:
  /// The kinds of the owned entries, from the kernel at the initial values.
  const std::vector<dae::Kind>& kinds() const;
  template <int D>
  auto kernel_on(const Segment<D>& segment) const;
  template <int D, class Evaluate>
  void loop(const Segment<D>& segment, double t, const Evaluate& evaluate) const;
  /// evaluate(i, point) for the points of a segment, where it calls what no loop over vectors can hold.
  template <int D, class Evaluate>
  void plain_loop(const Segment<D>& segment, double t, const Evaluate& evaluate) const;
  template <int D>
  void set_rows(const Segment<D>& segment, PetscInt i, const std::array<RowDual<F, D>, F>& rows, Mat jacobian) const;
  void fill_jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian);
  template <class Loader>
  void sweep_along(double t, Vec y, Vec ydot, double ydot_rate, double of_held, Vec v, Vec product, Loader&& loader);
  void fill_initial(double t, Vec y) const;
  /// The rows of F at an owned point, with their derivatives by the rates of all fields there.
  using RateRows = std::array<core::Dual<F>, static_cast<std::size_t>(F)>;
  /// visit(owned point, rows) for u' = 0, at every point.
  void for_each_rate_derivative(double t, Vec y, const std::function<void(PetscInt, const RateRows&)>& visit);

  void prepare_once(double t, Vec y, const Nodal& nodal, core::Need need);

  /// What the tables were last prepared for.
  struct Prepared {
    core::VecVersion contents;
    double t = 0.0;
    core::Need need = core::Need::values;
    bool serves(const Prepared& wanted) const {
      return contents == wanted.contents && t == wanted.t && need >= wanted.need;
    }
  };

  Box box_;
  std::vector<dae::Field> fields_;
  Halo halo_;
  std::optional<Prepared> prepared_;
  std::optional<Halo> halo_along_;       ///< of the vector that a product is taken with; made at the first product
  mutable std::vector<dae::Kind> kinds_; ///< of the owned entries; found when first asked for
};

} // namespace rhumb::box

#include <rhumb/pde/box/kernel_start.hpp>
