#pragma once
/// Which unknown stands where. A pipe of c cells has c segments, each with a flow, between c + 1 volumes, each with a
/// pressure; the first and the last volume are half as long and belong to the nodes. In the vector first stands what
/// nodes, machines and boundaries have, then pipe by pipe, alternating, flows and inner pressures:
///
///   P of nodes | q of machines | s of boundaries | m of boundaries | q_0 P_1 q_1 ... P_(c-1) q_(c-1) | next pipe ...
///
/// with P a pressure, q a flow, s the flow through a boundary and m the mass that has come through it (its account).
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
  enum class Type : std::uint8_t { node, machine, boundary, account, segment, volume };
  Type type = Type::node;
  std::size_t element = 0; ///< node, machine, boundary or pipe
  PetscInt position = 0;   ///< in the pipe: segment 0 ... c - 1, volume 1 ... c - 1
};

class Layout {
public:
  Layout(MPI_Comm comm, const Network& network);

  PetscInt size() const { return first_of_pipe_.back(); }
  /// Unknowns before those of pipes.
  PetscInt head() const { return first_of_pipe_.front(); }
  PetscInt begin() const { return begin_; }
  PetscInt end() const { return end_; }
  PetscInt cells(std::size_t pipe) const { return (first_of_pipe_[pipe + 1] - first_of_pipe_[pipe] + 1) / 2; }

  PetscInt node(std::size_t i) const { return static_cast<PetscInt>(i); }
  PetscInt machine(std::size_t i) const { return nodes_ + static_cast<PetscInt>(i); }
  PetscInt boundary(std::size_t i) const { return nodes_ + machines_ + static_cast<PetscInt>(i); }
  PetscInt account(std::size_t i) const { return boundary(i) + boundaries_; }
  PetscInt segment(std::size_t pipe, PetscInt k) const { return first_of_pipe_[pipe] + 2 * k; }
  /// Volume 0 is the node where the pipe begins, volume c the one where it ends.
  PetscInt volume(std::size_t pipe, PetscInt k) const;

  Unknown unknown(PetscInt global) const;

  /// Where a volume or a segment comes in the lists of all points (nodes first) and of all segments.
  PetscInt point(std::size_t pipe, PetscInt k) const;
  PetscInt points() const { return nodes_ + (size() - head() - static_cast<PetscInt>(ends_.size())) / 2; }
  PetscInt segment_number(std::size_t pipe, PetscInt k) const {
    return (first_of_pipe_[pipe] - head() + first(pipe)) / 2 + k;
  }
  PetscInt segments() const { return (size() - head() + static_cast<PetscInt>(ends_.size())) / 2; }
  /// Segments, then machines.
  PetscInt links() const { return segments() + machines_; }
  PetscInt link_of_machine(std::size_t i) const { return segments() + static_cast<PetscInt>(i); }

private:
  static PetscInt first(std::size_t pipe) { return static_cast<PetscInt>(pipe); }

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
