/// Figures of a flow on a mesh.

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/flow/case.hpp>
#include <rhumb/physics/flow/taylor_hood.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::flow {

/// On each boundary where the velocity is given, by the consistent residual: the momentum that the equations of its
/// unknowns lack is what the boundary takes.
template <int D>
auto TaylorHood<D>::forces(double t, Vec y, Vec ydot) -> std::vector<Force> {
  this->natural_residual(t, y, ydot, work_);
  const core::Readable lack(work_);
  const auto boundaries = case_.boundaries.size();
  std::vector<double> sums(boundaries * D, 0.0);
  for (const auto& entry : this->essential().entries()) {
    const int c = this->space().component_of(entry.local);
    if (entry.owned >= 0 && entry.boundary >= 0 && c < D) sums[entry.boundary * D + c] -= lack[entry.owned];
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                                this->grid_mesh().comm()));
  std::vector<Force> out(boundaries);
  for (std::size_t b = 0; b < boundaries; ++b)
    for (std::size_t c = 0; c < D; ++c) out[b][c] = sums[b * D + c];
  return out;
}

/// cd and cl.
template <int D>
std::array<double, 2> TaylorHood<D>::coefficients(const Force& force) const {
  const double scale = 2.0 / (case_.body.speed * case_.body.speed * case_.body.area);
  return {scale * force[0], scale * force[1]};
}

template <int D>
auto TaylorHood<D>::measure(const double* values) const -> Measures {
  std::array<double, 3> sums{};
  for (PetscInt i = 0; i < this->cells().size(); ++i) {
    const fem::Patch patch = this->cells()[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q) {
      const auto u = this->at_point(patch, q, values, nullptr);
      double square = 0.0, divergence = 0.0;
      for (std::size_t d = 0; d < D; ++d) {
        square += u.value[d] * u.value[d];
        divergence += u.gradient[d][d];
      }
      sums[0] += patch.weights[q] * 0.5 * square;
      sums[1] += patch.weights[q] * divergence * divergence;
      sums[2] += patch.weights[q] * u.value[pressure];
    }
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, this->grid_mesh().comm()));
  return {sums[0], std::sqrt(sums[1] / volume_), sums[2] / volume_};
}

/// Root of the volume mean of the squares. A pressure that nothing fixes is compared up to a constant.
template <int D>
double TaylorHood<D>::error_l2(int component, double t, const double* values) const {
  const auto& exact = *case_.exact[component];
  const auto mean_of = [&](auto&& of_error) {
    double sum = 0.0;
    for (PetscInt i = 0; i < this->cells().size(); ++i) {
      const fem::Patch patch = this->cells()[i];
      for (PetscInt q = 0; q < patch.basis->points(); ++q) {
        const auto u = this->at_point(patch, q, values, nullptr);
        sum += patch.weights[q] * of_error(u.value[component] - exact({.x = patch.positions[q], .t = t}));
      }
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, this->grid_mesh().comm()));
    return sum / volume_;
  };
  const double level = component == D && case_.closed() ? mean_of([](double error) { return error; }) : 0.0;
  return std::sqrt(mean_of([&](double error) { return (error - level) * (error - level); }));
}

template <int D>
void TaylorHood<D>::after_step(double t, Vec y, Vec ydot) {
  if (case_.body.boundary < 0) return;
  const auto [drag, lift] = coefficients(forces(t, y, ydot)[case_.body.boundary]);
  shedding_.add(t, drag, lift);
}

template <int D>
dae::Figures TaylorHood<D>::report(double t, Vec y, Vec ydot) {
  const auto acting = forces(t, y, ydot);
  const double* values = this->load(t, y, nullptr);
  const Measures now = measure(values);
  dae::Figures figures{{"kinetic_energy", now.kinetic_energy}, {"divergence_l2", now.divergence_l2}};
  const auto names = field_names(D, false);
  for (int c = 0; c <= D; ++c)
    if (case_.exact[c]) figures.emplace_back("error_l2_" + names[c], error_l2(c, t, values));
  for (std::size_t b = 0; b < acting.size(); ++b)
    if (case_.boundaries[b].type != MeshBoundary::Type::outflow)
      figures.emplace_back("force_" + case_.boundaries[b].name,
                           std::vector<double>(acting[b].begin(), acting[b].end()));
  if (case_.body.boundary >= 0) {
    const auto [drag, lift] = coefficients(acting[case_.body.boundary]);
    figures.emplace_back("cd", drag);
    figures.emplace_back("cl", lift);
    if (shedding_.known()) {
      const auto& cycle = shedding_.last();
      figures.emplace_back("cd_min", cycle.drag_min);
      figures.emplace_back("cd_max", cycle.drag_max);
      figures.emplace_back("cl_min", cycle.lift_min);
      figures.emplace_back("cl_max", cycle.lift_max);
      figures.emplace_back("cl_peak_to_peak", cycle.lift_max - cycle.lift_min);
      figures.emplace_back("strouhal", case_.body.length / (case_.body.speed * cycle.period));
      figures.emplace_back("steps_per_period", cycle.steps);
    }
  }
  if (!case_.pressure_pair.empty()) {
    const auto pair = pressure_pair_.values(D, values);
    figures.emplace_back("dp", pair[0] - pair[1]);
  }
  if (!case_.probes.empty()) {
    std::vector<std::vector<double>> by_field;
    for (int c = 0; c <= D; ++c) by_field.push_back(probes_.values(c, values));
    std::vector<double> by_probe;
    for (std::size_t i = 0; i < case_.probes.size(); ++i)
      for (std::size_t c = 0; c <= D; ++c)
        by_probe.push_back(by_field[c][i] + (c == pressure ? pressure_shift(now) : 0.0));
    figures.emplace_back("probes", by_probe);
  }
  return figures;
}

template <int D>
std::vector<std::pair<std::string, double>> TaylorHood<D>::series(double t, Vec y, Vec ydot) {
  std::vector<std::pair<std::string, double>> named_values;
  if (case_.body.boundary >= 0 && ydot) {
    const auto [drag, lift] = coefficients(forces(t, y, ydot)[case_.body.boundary]);
    named_values = {{"cd", drag}, {"cl", lift}};
  }
  const double* values = this->load(t, y, nullptr);
  const Measures now = measure(values);
  named_values.insert(named_values.begin(),
                      {{"kinetic_energy", now.kinetic_energy}, {"divergence_l2", now.divergence_l2}});
  if (!case_.pressure_pair.empty()) {
    const auto pair = pressure_pair_.values(D, values);
    named_values.emplace_back("dp", pair[0] - pair[1]);
  }
  return named_values;
}

template <int D>
std::vector<double> TaylorHood<D>::saved_state() const {
  return shedding_.saved_state();
}

template <int D>
void TaylorHood<D>::restore_state(std::span<const double> named_values) {
  if (named_values.size() != Shedding::memory_size())
    throw core::BadInput("the checkpoint is not one of a flow on a mesh");
  shedding_.restore_state(named_values);
}

/// Slopes jump between cells: at their nodes the mean is taken.
template <int D>
grid::FieldBlock TaylorHood<D>::vorticity(const double* values) {
  const auto& element = this->output().element();
  if (!nodes_) {
    const std::vector<double> ones(element.size(), 1.0); // weights are then the cells' measures at the nodes
    nodes_.emplace(fem::Patches::cells(this->space(), fem::Rule{element.nodes(), ones}));
  }
  std::vector<double> at_nodes, sizes;
  for (PetscInt i = 0; i < nodes_->size(); ++i) {
    const fem::Patch patch = (*nodes_)[i];
    for (PetscInt q = 0; q < patch.basis->points(); ++q) {
      const auto u = this->at_point(patch, q, values, nullptr);
      at_nodes.push_back(u.gradient[1][0] - u.gradient[0][1]);
    }
    sizes.push_back(patch.weights[0]);
  }
  return this->output().mean_field({"vorticity", "", "dv/dx - du/dy"}, at_nodes, sizes);
}

/// Beside the solution, in the plane, its vorticity.
template <int D>
std::vector<grid::FieldBlock> TaylorHood<D>::fields(double t, Vec y, Vec ydot) {
  auto out = Base::fields(t, y, ydot);
  const double* values = this->load(t, y, nullptr);
  if (case_.closed()) {
    const double shift = pressure_shift(measure(values));
    for (double& p : out.back().data.values) p += shift;
  }
  if constexpr (D == 2) out.push_back(vorticity(values));
  return out;
}

template class TaylorHood<2>;
template class TaylorHood<3>;

} // namespace rhumb::flow
