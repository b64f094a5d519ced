#pragma once
/// A PDE (pde/moving/pde.hpp) on a line as a DAE: per node (u_1 ... u_n, x), or u alone on a fixed mesh. One
/// kernel, generic in the scalar, gives the residual, the exact Jacobian and the product with dF/dy'.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/moving/band.hpp>
#include <rhumb/pde/moving/initial_mesh.hpp>
#include <rhumb/pde/moving/mesh_problem.hpp>
#include <rhumb/pde/moving/monitor_derivatives.hpp>
#include <rhumb/pde/moving/volumes.hpp>
#include <algorithm>
#include <utility>

namespace rhumb::moving {

template <class Pde>
class System : public MeshProblem {
public:
  System(MPI_Comm comm, const core::Options& options, Pde pde, const Description& about)
      : MeshProblem(comm, options, about, extras(pde, about)), pde_(std::move(pde)), buffer_y_(line().ghost_buffer()),
        buffer_rate_(line().ghost_buffer()), buffer_v_(line().ghost_buffer()) {
    x_start_ = initial_mesh(pde_, this->about(), rule());
    if (settings().regridding.active() && settings().regridding.share > 0.0) choose_number_of_cells();
    if (settings().regridding.local()) refine_for_the_start();
  }

  const Pde& pde() const { return pde_; }

  dae::Offers offers() const override { return {.jacobian = true, .mass_product = true}; }
  dae::Kind variable_kind(PetscInt local) const override { return kinds()[local]; }
  void initial_values(double t, Vec y, Vec ydot) override;
  void residual(double t, Vec y, Vec ydot, Vec residual) override;
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat jacobian) override;
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec product) override;

protected:
  Unevenness unevenness(double t, const Profile& profile) const override;
  std::vector<double> laid_out_anew(double t, const Profile& profile) const override;
  std::vector<double> rates(double t, const std::vector<double>& y) const override;
  void choose_number_of_cells();
  /// Inserts and deletes nodes for the initial values.
  void refine_for_the_start();
  void number_of_nodes_changed() override { kinds_.clear(); }
  std::optional<double> error(double t, const Profile& profile) const override;
  std::optional<BackwardDiffusion> backward_diffusion(double t, const Profile& profile) const override;

private:
  static constexpr int n = Pde::components;
  static constexpr bool has_user_monitor = requires(const Pde& pde, const Point<double, n>& at) { pde.monitor(at); };

  static Extras extras(const Pde& pde, const Description& about) {
    return {has_user_monitor, sizes_at_start(pde, about)};
  }

  template <Unknowns U, class S>
  using Rows = std::array<S, static_cast<std::size_t>(entries(n, U))>;

  /// Calls use.operator()<W, U>() with the window's width and what the unknowns are.
  template <class Use>
  void with_layout(Use&& use) const;
  template <Unknowns U, class S>
  using MeshRows = std::array<S, static_cast<std::size_t>(entries(n, U) - n)>;
  /// The rows of the window's node: the PDE's, the mesh's (and the floor's), all.
  template <class S, int W>
  auto contents_rows(const Window<S, n, W>& w, double t) const {
    return volume_rows(pde_, w, t, about().symmetry, rule().mean_volume(), rule().balance == Balance::nonnegative);
  }
  template <Unknowns U, class S, int W>
  auto rows_of_solution(const Window<S, n, W>& w, double t) const -> Values<S, n>;
  template <Unknowns U, class S, int W>
  auto rows_of_mesh(const Window<S, n, W>& w, double t) const -> MeshRows<U, S>;
  template <Unknowns U, class S, int W>
  auto rows(const Window<S, n, W>& w, double t) const -> Rows<U, S>;
  /// Derivatives of the rows `from`, `from + 1`, ... of node i, in its window of W nodes on each side, into the matrix.
  template <Unknowns U, int W, class List>
  void set_rows(Mat jacobian, PetscInt i, int from, const List& rows) const;
  template <Unknowns U, class S, int W>
  std::array<S, 2> floor_rows(const Window<S, n, W>& w, double t) const;
  template <int W>
  void set_mmpde_rows(Mat jacobian, const WindowPatch& nodes, double t, double alpha) const;
  /// Nodes that are out of order have no equations: a smaller step is wanted.
  template <Unknowns U>
  void reject_crossing(const WindowPatch& patch) const;
  WindowPatch patch(const Line::Ghosted& y, const Line::Ghosted& rate) const {
    const PetscInt width = line().width(), low = std::max<PetscInt>(line().first() - width, 0);
    const PetscInt high = std::min(line().first() + line().count() - 1 + width, nodes() - 1);
    return {y.data(), rate.data(), x_start_.data(), nodes() - 1, low, high};
  }
  /// All components of a profile at a place.
  static std::array<double, static_cast<std::size_t>(n)> on(const Profile& profile, double position) {
    std::array<double, static_cast<std::size_t>(n)> u;
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = profile.value(k, position);
    return u;
  }
  const std::vector<dae::Kind>& kinds() const;

  Pde pde_;
  core::VecHandle buffer_y_, buffer_rate_, buffer_v_;
  mutable std::vector<dae::Kind> kinds_; ///< of the owned entries; found when first asked for
};

} // namespace rhumb::moving

#include <rhumb/pde/moving/sweeps.hpp>
