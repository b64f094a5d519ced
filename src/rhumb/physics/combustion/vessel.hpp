#pragma once
/// A gas in a closed vessel, in the Lagrangian coordinate psi (BCP 6.5.1 with a source and with chemistry):
///   c_p T_t - p_t/rho = d/dpsi(rho r^(2g) lambda T_psi) - rho r^g (sum Y_k V_k c_pk) T_psi
///                       + q/rho - sum h_k W_k w_k/rho
///   Y_k,t = - d/dpsi(rho r^g Y_k V_k) + W_k w_k/rho
///   r^g r_psi = 1/rho,   p_psi = 0,   rho = p W/(R T)
///   psi = 0: r = 0, no flux
///   psi = psi_R: r = R, T = T_wall, no flux of species.
/// p has no boundary condition of its own: r = R at the wall determines it. Two time derivatives stand in the energy
/// equation, so y' of a start has to satisfy the derivative of the constraint r(psi_R) = R as well. All variables are
/// therefore declared differential: the consistent start then keeps y, which is made to satisfy the quadrature below,
/// and finds y' with the constraint's derivative.
///
/// Finite volumes with masses m_i and, with v = 1/rho, the quadrature
///   (r_i^(g+1) - r_{i-1}^(g+1))/(g+1) = dpsi (v_{i-1} + v_i)/2.
/// With it the sum of the energy rows is exactly d/dt of the internal energy when c_p is constant.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/combustion/inert_gas.hpp>
#include <rhumb/physics/combustion/rate_parameters.hpp>
#include <rhumb/physics/combustion/vessel_problem.hpp>
#include <fmt/format.h>

namespace rhumb::combustion {

template <class Gas>
class Vessel : public VesselProblem {
public:
  Vessel(MPI_Comm comm, const core::Options& options, Gas gas, VesselDefaults defaults)
      : VesselProblem(comm, options, std::move(defaults), gas_info_of(gas)), gas_(std::move(gas)),
        buffer_y_(line().ghost_buffer()), buffer_rate_(line().ghost_buffer()) {
    if constexpr (requires { gas_.name_parameters(parameters_); }) gas_.name_parameters(parameters_);
  }

  const Gas& gas() const { return gas_; }

  dae::Offers offers() const override { return {.jacobian = settings().matrix == Matrix::exact}; }
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override {
    return differentiate_by_rate(*this, t, y, ydot, index, out);
  }

protected:
  double specific_volume(double T, std::span<const double> Y, double p) const override {
    return gas_.template specific_volume<double>(T, Y, p);
  }
  double internal_energy(double T, std::span<const double> Y) const override { return gas_.internal_energy(T, Y); }
  double wall_power(double t, Vec y, Vec ydot) override;
  std::string remark(double lowest, double highest) const override { return gas_.remark(lowest, highest); }

private:
  using Dual = core::Dual<Gas::width>;
  /// A node's numbers in any scalar; rates are plain in a residual and alpha times the variable's direction in a
  /// Jacobian.
  template <class S>
  struct Node {
    std::span<const S> y, rate;
  };
  /// What a face adds to the rows of the nodes beside it.
  template <class S>
  struct FaceRows {
    explicit FaceRows(std::size_t entries) : left(entries), right(entries) {}
    std::vector<S> left, right;
  };
  template <class S>
  using Properties = typename Gas::template Properties<S>;

  struct PlainFace {
    explicit PlainFace(std::size_t entries) : mean(entries), rows(entries) {}
    std::vector<double> mean; ///< of both nodes' numbers
    Properties<double> gas;
    FaceRows<double> rows;
  };

  static GasInfo gas_info_of(const Gas& gas) { return {gas.species(), gas.mixture(), gas.fuel(), gas.elements()}; }

  void check_physical_state(const double* y) const;
  /// The terms of a node's own, per mass.
  template <class S>
  void node_rows(const Node<S>& node, std::span<S> out) const;
  /// The gas at the mean of two nodes' numbers.
  template <class S>
  void at_mean(std::span<const S> mean, Properties<S>& gas) const {
    gas_.template properties<S>(mean[0], mean.subspan(1, species()), gas);
  }
  /// The face between nodes i and i + 1: flows, the quadrature for r and the equality of p. Any of the nodes and the
  /// gas may be plain: what is plain is held.
  template <class L, class R, class P, class S>
  void face_rows(PetscInt i, std::span<const L> left, std::span<const R> right, const Properties<P>& gas,
                 FaceRows<S>& out) const;
  /// The same in plain numbers, with the gas at the mean of the nodes.
  void plain_face_rows(PetscInt i, std::span<const double> left, std::span<const double> right,
                       PlainFace& workspace) const;
  /// Rows that are conditions: r = 0; T = T_wall and r = R.
  template <class S>
  void end_rows(PetscInt i, std::span<const S> y, std::span<S> out) const;
  /// All rows of the own nodes, in plain numbers, before `end_rows`.
  void sweep(const double* y, const double* rate, std::span<double> out) const;
  /// Room for one pass of a Jacobian, which varies the numbers from `from` on, each in a direction of its own: slopes
  /// are set once, values node by node.
  struct Pass {
    Pass(std::size_t entries, std::size_t from_, double alpha)
        : from(from_), to(std::min(entries, from_ + static_cast<std::size_t>(Gas::width))), duals(entries),
          rates(entries), mean(entries), by_gas(entries), by_node(entries) {
      for (std::size_t f = from; f < to; ++f) {
        duals[f].derivatives[f - from] = 1.0;
        rates[f].derivatives[f - from] = alpha;
        mean[f].derivatives[f - from] = 0.5;
      }
    }
    std::size_t from, to;
    std::vector<Dual> duals, rates; ///< of the node that is varied
    std::vector<Dual> mean;         ///< of the nodes beside a face
    Properties<Dual> gas;
    Properties<double> plain_gas;
    FaceRows<Dual> by_gas, by_node; ///< with the gas varied, with a node varied
  };
  void put_node_derivatives(PetscInt i, const double* y, const double* rate, Pass& pass,
                            std::span<double> blocks) const;
  void add_face_derivatives(PetscInt i, const double* y, Pass& pass, std::span<double> blocks) const;
  void copy_blocks(std::span<const double> blocks, Mat jacobian) const;
  void set_blocks(std::span<const double> blocks, Mat jacobian) const;

  Gas gas_;
  core::VecHandle buffer_y_, buffer_rate_;
  std::vector<double> blocks_; ///< of the matrix: [own node][row][left, itself, right][column]
};

} // namespace rhumb::combustion

#include <rhumb/physics/combustion/vessel_sweeps.hpp>
