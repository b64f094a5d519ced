#pragma once
/// A TS's equations as a dae::System. TS writes F(t, u, udot) = G(t, u): an IFunction F, an RHSFunction G, or both;
/// what is missing is F = udot or G = 0. TSComputeIFunction gives F - G in all cases.
///
/// Where the TS has transient variables c(u), its IFunction expects cdot in the place of udot: cdot = c'(u) udot, by
/// central differences along udot.

#include <rhumb/dae/system.hpp>
#include <rhumb/ts/kinds.hpp>
#include <rhumb/ts/preconditioner.hpp>
#include <petscts.h>

namespace rhumb::ts {

class TsSystem final : public dae::System {
public:
  explicit TsSystem(TS ts);

  /// Kinds of variables and equations, of the local entries. Until set: all differential.
  void set_kinds(Kinds kinds) { kinds_ = std::move(kinds); }
  const Kinds& kinds() const { return kinds_; }

  /// By anyone, those that find the kinds among them.
  long residual_evals() const { return residual_evals_; }
  /// Of the program's Jacobian, made for products with its Amat alone.
  long product_evals() const { return product_evals_; }

  /// Type of the program's own preconditioner, where it is used.
  const std::string& preconditioner_type() const { return user_preconditioner_.type(); }

  std::vector<dae::Field> fields() const override { return fields_; }
  core::VecHandle create_vector() const override;
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  dae::Offers offers() const override;
  dae::Kind variable_kind(PetscInt local) const override;
  dae::Kind equation_kind(PetscInt local) const override;
  core::MatHandle create_matrix() const override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) override;
  void configure(PC preconditioner, Mat matrix) const override;

  /// The columns of TSForwardSetSensitivities' matrix, else those of the Jacobians by parameters. Only derivatives of the
  /// TS are known, not its parameters: theirs is a distance e from where they are, which adds e F_p to F and e s to the
  /// initial values.
  std::vector<dae::Parameter> parameters() const override;
  void set_parameter(std::size_t index, double value) override { distance_.at(index) = value; }
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override;

private:
  bool has_jacobian() const;
  core::MatHandle matrix_of_dm() const;
  /// Where it cannot be copied: the same.
  core::MatHandle copy_of_matrix() const;
  /// What IFunction and IJacobian take for udot: udot itself, or cdot in `transient_`.
  Vec rate(double t, Vec y, Vec ydot);
  void reject_outside_domain(double t, Vec y);
  void find_parameters();

  TS ts_;
  std::vector<dae::Field> fields_;
  std::vector<double> distance_;                      ///< of the parameters
  std::vector<core::VecHandle> initial_by_parameter_; ///< columns at the start, of TSForward
  core::VecHandle parameter_column_, parameter_sum_;
  Kinds kinds_;
  bool transient_variables_ = false;
  core::VecHandle transient_, transient_ahead_, transient_behind_;
  mutable core::MatHandle matrix_;                    ///< preconditioning matrix of the user, or ours
  mutable core::MatHandle operator_;                  ///< the user's other matrix, where it is another
  core::MatHandle unused_;                            ///< in the place of `matrix_` where only `operator_` is wanted
  double operator_time_ = 0.0, operator_alpha_ = 0.0; ///< of the operator's last values
  long residual_evals_ = 0, product_evals_ = 0;
  mutable UserPreconditioner user_preconditioner_;
};

} // namespace rhumb::ts
