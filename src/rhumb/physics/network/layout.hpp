#pragma once
/// Which unknown stands where. A pipe of c cells has c segments, each with a flow, between c + 1 volumes, each with a
/// pressure; the first and the last volume are half as long and belong to the nodes. In the vector first stands what
/// nodes, machines and boundaries have, then pipe by pipe, alternating, flows and inner pressures:
///
///   P of nodes | q of machines | s of boundaries | m of boundaries | q_0 P_1 q_1 ... P_(c-1) q_(c-1) | next pipe ...
///
/// with P a pressure, q a flow, s the flow through a boundary and m the mass that has come through it (its account).
/// Where temperatures change, densities stand behind the pressures and accounts of energy behind those of mass:
///
///   P of nodes | rho of nodes | q | s | m | e of boundaries | q_0 P_1 rho_1 q_1 ...
///
/// The order does not depend on the number of ranks; each rank has a contiguous piece. A network (not its cells) is
/// known on every rank.

#include <rhumb/core/handle.hpp>
#include <rhumb/physics/network/network.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace rhumb::network {

/// What an unknown, and its equation, is.
struct Unknown {
  enum class Type : std::uint8_t {
    node,
    node_density,
    machine,
    boundary,
    account,
    energy_account,
    segment,
    volume,
    volume_density
  };
  Type type = Type::node;
  std::size_t element = 0; ///< node, machine, boundary or pipe
  PetscInt position = 0;   ///< in the pipe: segment 0 ... c - 1, volume 1 ... c - 1
};

class Layout {
public:
  Layout(MPI_Comm comm, const Network& network, bool thermal);

  PetscInt size() const { return first_of_pipe_.back(); }
  /// Unknowns before those of pipes.
  PetscInt head() const { return first_of_pipe_.front(); }
  PetscInt begin() const { return begin_; }
  PetscInt end() const { return end_; }
  PetscInt cells(std::size_t pipe) const {
    return (first_of_pipe_[pipe + 1] - first_of_pipe_[pipe] + per_cell_ - 1) / per_cell_;
  }

  PetscInt node(std::size_t i) const { return static_cast<PetscInt>(i); }
  PetscInt node_density(std::size_t i) const { return nodes_ + node(i); }
  PetscInt machine(std::size_t i) const { return (thermal() ? 2 : 1) * nodes_ + static_cast<PetscInt>(i); }
  PetscInt boundary(std::size_t i) const { return machine(i) + machines_; }
  PetscInt account(std::size_t i) const { return boundary(i) + boundaries_; }
  PetscInt energy_account(std::size_t i) const { return account(i) + boundaries_; }
  PetscInt segment(std::size_t pipe, PetscInt k) const { return first_of_pipe_[pipe] + per_cell_ * k; }
  /// Volume 0 is the node where the pipe begins, volume c the one where it ends.
  PetscInt volume(std::size_t pipe, PetscInt k) const;
  PetscInt volume_density(std::size_t pipe, PetscInt k) const;

  Unknown unknown(PetscInt global) const;

  /// Where a volume or a segment comes in the lists of all points (nodes first) and of all segments.
  PetscInt point(std::size_t pipe, PetscInt k) const;
  PetscInt points() const { return nodes_ + inner_before(ends_.size()); }
  PetscInt segment_number(std::size_t pipe, PetscInt k) const { return inner_before(pipe) + first(pipe) + k; }
  PetscInt segments() const { return inner_before(ends_.size()) + first(ends_.size()); }
  /// Segments, then machines.
  PetscInt links() const { return segments() + machines_; }
  PetscInt link_of_machine(std::size_t i) const { return segments() + static_cast<PetscInt>(i); }

private:
  static PetscInt first(std::size_t pipe) { return static_cast<PetscInt>(pipe); }
  /// Inner volumes of the pipes before that one.
  PetscInt inner_before(std::size_t pipe) const { return (first_of_pipe_[pipe] - head() - first(pipe)) / per_cell_; }
  bool thermal() const { return per_cell_ == 3; }

  PetscInt per_cell_; ///< unknowns: flow and pressure, or flow, pressure and density
  PetscInt nodes_, machines_, boundaries_;
  std::vector<std::pair<PetscInt, PetscInt>> ends_; ///< of pipes: nodes
  std::vector<PetscInt> first_of_pipe_;             ///< and one more: the end
  PetscInt begin_ = 0, end_ = 0;
};

/// The columns that a rank's rows need, as a list of their values.
class Gathered {
public:
  /// `columns` are global indices, ascending and without doubles. Collective.
  Gathered(Vec model, std::vector<PetscInt> columns);
  /// The values of those columns of y. Collective.
  void fetch(Vec y);
  std::span<const double> values() const { return values_; }
  std::size_t find(PetscInt column) const;

private:
  std::vector<PetscInt> columns_;
  std::vector<double> values_;
  core::VecHandle local_; ///< on values_
  core::ScatterHandle scatter_;
};

} // namespace rhumb::network
