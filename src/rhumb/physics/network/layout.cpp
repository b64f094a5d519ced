#include <rhumb/physics/network/layout.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <algorithm>

namespace rhumb::network {

using core::check;

Layout::Layout(MPI_Comm comm, const Network& network, bool thermal)
    : per_cell_(thermal ? 3 : 2), nodes_(static_cast<PetscInt>(network.nodes.size())),
      machines_(static_cast<PetscInt>(network.machines.size())),
      boundaries_(static_cast<PetscInt>(network.boundaries.size())) {
  PetscInt next = account(0) + (thermal ? 2 : 1) * boundaries_;
  for (const Pipe& pipe : network.pipes) {
    first_of_pipe_.push_back(next);
    ends_.emplace_back(node(pipe.from), node(pipe.to));
    next += per_cell_ * (static_cast<PetscInt>(pipe.cells) - 1) + 1;
  }
  first_of_pipe_.push_back(next);
  PetscInt local = PETSC_DECIDE, global = size();
  check(PetscSplitOwnership(comm, &local, &global));
  core::check_mpi(MPI_Scan(&local, &end_, 1, MPIU_INT, MPI_SUM, comm));
  begin_ = end_ - local;
}

PetscInt Layout::volume(std::size_t pipe, PetscInt k) const {
  if (k == 0) return ends_[pipe].first;
  if (k == cells(pipe)) return ends_[pipe].second;
  return segment(pipe, k - 1) + 1;
}

PetscInt Layout::volume_density(std::size_t pipe, PetscInt k) const {
  const PetscInt pressure = volume(pipe, k);
  return pressure + (pressure < nodes_ ? nodes_ : 1);
}

PetscInt Layout::point(std::size_t pipe, PetscInt k) const {
  if (k == 0 || k == cells(pipe)) return volume(pipe, k);
  return nodes_ + inner_before(pipe) + k - 1;
}

Unknown Layout::unknown(PetscInt global) const {
  using Type = Unknown::Type;
  const auto at = [&](Type type, PetscInt first_one) {
    return Unknown{type, static_cast<std::size_t>(global - first_one)};
  };
  if (global < nodes_) return at(Type::node, 0);
  if (global < machine(0)) return at(Type::node_density, nodes_);
  if (global < boundary(0)) return at(Type::machine, machine(0));
  if (global < account(0)) return at(Type::boundary, boundary(0));
  if (global < account(0) + boundaries_) return at(Type::account, account(0));
  if (global < head()) return at(Type::energy_account, energy_account(0));
  const auto after = std::ranges::upper_bound(first_of_pipe_, global);
  const auto pipe = static_cast<std::size_t>(after - first_of_pipe_.begin()) - 1;
  const PetscInt inside = global - first_of_pipe_[pipe], before = inside / per_cell_;
  if (inside % per_cell_ == 0) return {Type::segment, pipe, before};
  return {inside % per_cell_ == 1 ? Type::volume : Type::volume_density, pipe, before + 1};
}

Gathered::Gathered(Vec model, std::vector<PetscInt> columns) : columns_(std::move(columns)), values_(columns_.size()) {
  const auto count = static_cast<PetscInt>(columns_.size());
  core::IsHandle wanted;
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, count, values_.data(), local_.out()));
  check(ISCreateGeneral(PETSC_COMM_SELF, count, columns_.data(), PETSC_COPY_VALUES, wanted.out()));
  check(VecScatterCreate(model, wanted, local_, nullptr, scatter_.out()));
}

void Gathered::fetch(Vec y) {
  check(VecScatterBegin(scatter_, y, local_, INSERT_VALUES, SCATTER_FORWARD));
  check(VecScatterEnd(scatter_, y, local_, INSERT_VALUES, SCATTER_FORWARD));
}

std::size_t Gathered::find(PetscInt column) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(columns_, column) - columns_.begin());
}

} // namespace rhumb::network
