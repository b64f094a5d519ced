#pragma once
/// The loops of Vessel over a rank's nodes and faces.

#include <rhumb/core/vector_loop.hpp>
#include <rhumb/physics/combustion/vessel.hpp>
#include <algorithm>

namespace rhumb::combustion {

template <class Gas>
void Vessel<Gas>::check_physical_state(const double* y) const {
  const auto F = static_cast<PetscInt>(entries());
  for (PetscInt i = line().first(); i < line().first() + line().count(); ++i) {
    const double *node = y + i * F, T = node[0], r = node[index_of_r()], p = node[index_of_p()];
    if (!(T > 0.0) || !(p > 0.0)) throw core::Recoverable(fmt::format("T = {:g} K, p = {:g} Pa at node {}", T, p, i));
    if (i > 0 && !(r > node[static_cast<PetscInt>(index_of_r()) - F]))
      throw core::Recoverable(fmt::format("nodes {} and {} have crossed", i - 1, i));
  }
}

template <class Gas>
template <class S>
void Vessel<Gas>::node_rows(const Node<S>& node, std::span<S> out) const {
  const std::size_t K = species();
  const auto Y = node.y.subspan(1, K);
  const S &T = node.y[0], &p = node.y[index_of_p()];
  const S heat = gas_.reaction(T, Y, p, out.subspan(1, K));
  out[0] = gas_.heat_capacity(T, Y) * node.rate[0] - gas_.specific_volume(T, Y, p) * node.rate[index_of_p()] - heat;
  for (std::size_t k = 1; k <= K; ++k) out[k] = node.rate[k] - out[k];
  out[index_of_r()] = S(0.0);
  out[index_of_p()] = S(0.0);
}

template <class Gas>
template <class L, class R, class P, class S>
void Vessel<Gas>::face_rows(PetscInt i, std::span<const L> left, std::span<const R> right, const Properties<P>& gas,
                            FaceRows<S>& out) const {
  const std::size_t K = species(), r = index_of_r(), p = index_of_p();
  const Shell shell = settings().shell;
  const double dpsi = psi(i + 1) - psi(i), m_left = 1.0 / mass(i), m_right = 1.0 / mass(i + 1);
  const auto Y_left = left.subspan(1, K);
  const auto Y_right = right.subspan(1, K);
  using Both = Common<L, R>;
  const Both r_left = left[r], r_right = right[r];
  const FaceState<L, R> face{left[0], right[0], conductance(shell, r_left, r_right), Y_left, Y_right};
  const FaceFlow<S> flow = gas_.flow(face, gas, std::span<S>(out.left).subspan(1, K));
  for (std::size_t k = 1; k <= K; ++k) {
    out.right[k] = -m_right * out.left[k];
    out.left[k] = m_left * out.left[k];
  }
  // Of the source, the left node has what lies inside the face and not inside the one before; the right one the rest.
  S inward = flow.heat;
  if (const double power = source_power(); power > 0.0)
    inward += power * source_inside_face(shell, r_left, r_right, settings().source.sigma);
  out.left[0] = m_left * (0.5 * flow.drift - inward);
  out.right[0] = m_right * (0.5 * flow.drift + inward);
  // r^g r_psi = v belongs to r of the right node; of the last one, whose r is given, to p.
  const Both v =
      0.5 * (gas_.specific_volume(left[0], Y_left, left[p]) + gas_.specific_volume(right[0], Y_right, right[p]));
  const Both gap = ((volume(shell, r_right) - volume(shell, r_left)) / dpsi - v) * density_at_start();
  const bool last_face = i + 1 == last();
  out.right[r] = last_face ? S(0.0) : S(gap);
  out.right[p] = last_face ? S(gap * settings().p0) : S(0.0);
  out.left[r] = S(0.0);
  out.left[p] = S(left[p] - right[p]);
}

template <class Gas>
template <class S>
void Vessel<Gas>::end_rows(PetscInt i, std::span<const S> y, std::span<S> out) const {
  if (i == 0) out[index_of_r()] = y[index_of_r()];
  if (i != last()) return;
  out[0] = y[0] - settings().wall_T;
  out[index_of_r()] = y[index_of_r()] - settings().radius;
}

template <class Gas>
void Vessel<Gas>::plain_face_rows(PetscInt i, std::span<const double> left, std::span<const double> right,
                                  PlainFace& workspace) const {
  for (std::size_t f = 0; f < left.size(); ++f) workspace.mean[f] = 0.5 * (left[f] + right[f]);
  at_mean<double>(workspace.mean, workspace.gas);
  face_rows(i, left, right, workspace.gas, workspace.rows);
}

template <class Gas>
void Vessel<Gas>::sweep(const double* y, const double* rate, std::span<double> out) const {
  const auto F = entries();
  const auto at = [F](const double* values, PetscInt i) {
    return std::span<const double>(values + i * static_cast<PetscInt>(F), F);
  };
  const PetscInt first = line().first(), end = first + line().count();
  for (PetscInt i = first; i < end; ++i)
    node_rows<double>({at(y, i), at(rate, i)}, out.subspan(static_cast<std::size_t>(i - first) * F, F));
  PlainFace face(F);
  for (PetscInt i = std::max<PetscInt>(first - 1, 0); i < std::min(end, last()); ++i) {
    plain_face_rows(i, at(y, i), at(y, i + 1), face);
    for (std::size_t f = 0; f < F; ++f) {
      if (i >= first) out[static_cast<std::size_t>(i - first) * F + f] += face.rows.left[f];
      if (i + 1 < end) out[static_cast<std::size_t>(i + 1 - first) * F + f] += face.rows.right[f];
    }
  }
}

template <class Gas>
void Vessel<Gas>::residual(double, Vec y, Vec ydot, Vec residual) {
  const moving::Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_);
  const core::Writable out(residual);
  check_physical_state(values.data());
  sweep(values.data(), rates.data(), out.span());
  const auto F = entries();
  for (PetscInt i = line().first(); i < line().first() + line().count(); ++i)
    end_rows<double>(i, {values.data() + i * static_cast<PetscInt>(F), F},
                     out.span().subspan(static_cast<std::size_t>(i - line().first()) * F, F));
}

/// The energy row of the wall's node without its condition: what is missing there is what the wall takes.
template <class Gas>
double Vessel<Gas>::wall_power(double, Vec y, Vec ydot) {
  const moving::Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_);
  double power = 0.0;
  const auto F = entries();
  if (line().first() + line().count() == last() + 1 && line().count() > 0) {
    const auto at = [F](const double* v, PetscInt i) {
      return std::span<const double>(v + i * static_cast<PetscInt>(F), F);
    };
    std::vector<double> node_row(F);
    PlainFace face(F);
    plain_face_rows(last() - 1, at(values.data(), last() - 1), at(values.data(), last()), face);
    node_rows<double>({at(values.data(), last()), at(rates.data(), last())}, node_row);
    power = source_power() - mass(last()) * (node_row[0] + face.rows.right[0]);
  }
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &power, 1, MPI_DOUBLE, MPI_SUM, line().comm()));
  return power;
}

template <int N>
void set_values(std::vector<core::Dual<N>>& duals, std::span<const double> values) {
  for (std::size_t f = 0; f < duals.size(); ++f) duals[f].value = values[f];
}

/// Blocks are [own node][row][left, itself, right][column].
template <class Gas>
void Vessel<Gas>::put_node_derivatives(PetscInt i, const double* y, const double* rate, Pass& pass,
                                       std::span<double> blocks) const {
  const auto F = entries();
  const std::size_t base = (static_cast<std::size_t>(i - line().first()) * F * 3 + 1) * F;
  auto& rows = pass.by_node.left;
  set_values(pass.duals, {y + i * static_cast<PetscInt>(F), F});
  set_values(pass.rates, {rate + i * static_cast<PetscInt>(F), F});
  node_rows<Dual>({pass.duals, pass.rates}, rows);
  for (std::size_t row = 0; row < F; ++row)
    for (std::size_t f = pass.from; f < pass.to; ++f)
      blocks[base + row * 3 * F + f] = rows[row].derivatives[f - pass.from];
}

/// The slope by a node is that with the gas held and half of that by the gas, which is taken at the mean.
template <class Gas>
void Vessel<Gas>::add_face_derivatives(PetscInt i, const double* y, Pass& pass, std::span<double> blocks) const {
  const auto F = entries();
  const PetscInt first = line().first(), end = first + line().count();
  const std::span<const double> left(y + i * static_cast<PetscInt>(F), F), right(left.data() + F, F);
  // Beside the diagonal a block has one face's slopes, on it those of the node, which are there already, and two
  // faces'.
  const auto visit = [&](PetscInt row_node, std::size_t slot, const auto& change) {
    if (row_node < first || row_node >= end) return;
    double* RHUMB_RESTRICT block = blocks.data() + (static_cast<std::size_t>(row_node - first) * F * 3 + slot) * F;
    for (std::size_t row = 0; row < F; ++row)
      for (std::size_t f = pass.from; f < pass.to; ++f) change(block[row * 3 * F + f], row, f - pass.from);
  };
  const auto add = [&](PetscInt node, const std::vector<Dual>& a, const std::vector<Dual>& b) {
    visit(node, 1,
          [&](double& to, std::size_t row, std::size_t j) { to += a[row].derivatives[j] + b[row].derivatives[j]; });
  };
  const auto put = [&](PetscInt node, std::size_t slot, const std::vector<Dual>& a, const std::vector<Dual>& b) {
    visit(node, slot,
          [&](double& to, std::size_t row, std::size_t j) { to = a[row].derivatives[j] + b[row].derivatives[j]; });
  };
  for (std::size_t f = 0; f < F; ++f) pass.mean[f].value = 0.5 * (left[f] + right[f]);
  at_mean<Dual>(pass.mean, pass.gas);
  pass.plain_gas.take_values(pass.gas);
  face_rows(i, left, right, pass.gas, pass.by_gas);
  const std::span<const Dual> varied = pass.duals;
  set_values(pass.duals, left);
  face_rows(i, varied, right, pass.plain_gas, pass.by_node);
  add(i, pass.by_gas.left, pass.by_node.left);
  put(i + 1, 0, pass.by_gas.right, pass.by_node.right);
  set_values(pass.duals, right);
  face_rows(i, left, varied, pass.plain_gas, pass.by_node);
  put(i, 2, pass.by_gas.left, pass.by_node.left);
  add(i + 1, pass.by_gas.right, pass.by_node.right);
}

/// On one rank the rows of the matrix are those of its blocks, but for what the ends do not have.
template <class Gas>
void Vessel<Gas>::copy_blocks(std::span<const double> blocks, Mat jacobian) const {
  const auto F = entries();
  PetscScalar* values = nullptr;
  core::check(MatSeqAIJGetArrayWrite(jacobian, &values));
  double* to = values;
  const double* from = blocks.data();
  for (std::size_t row = 0; row < F; ++row, from += 3 * F) to = std::copy_n(from + F, 2 * F, to);
  const std::size_t between = static_cast<std::size_t>(last() - 1) * F * 3 * F;
  to = std::copy_n(from, between, to);
  from += between;
  for (std::size_t row = 0; row < F; ++row, from += 3 * F) to = std::copy_n(from, 2 * F, to);
  core::check(MatSeqAIJRestoreArrayWrite(jacobian, &values));
}

template <class Gas>
void Vessel<Gas>::set_blocks(std::span<const double> blocks, Mat jacobian) const {
  const auto F = static_cast<PetscInt>(entries());
  std::vector<PetscInt> columns(3 * entries());
  const double* from = blocks.data();
  for (PetscInt node = line().first(); node < line().first() + line().count(); ++node) {
    // Columns below zero are left out.
    for (PetscInt c = 0; c < 3 * F; ++c) columns[c] = node == last() && c >= 2 * F ? -1 : (node - 1) * F + c;
    for (PetscInt row = node * F; row < (node + 1) * F; ++row, from += 3 * F)
      core::check(MatSetValues(jacobian, 1, &row, 3 * F, columns.data(), from, INSERT_VALUES));
  }
}

template <class Gas>
void Vessel<Gas>::jacobian(double, Vec y, Vec ydot, double alpha, Mat jacobian) {
  const moving::Line::Ghosted values(line(), y, buffer_y_), rates(line(), ydot, buffer_rate_);
  const auto F = entries();
  const PetscInt first = line().first(), end = first + line().count();
  blocks_.resize(static_cast<std::size_t>(line().count()) * 3 * F * F);
  const std::span<double> blocks = blocks_;
  for (std::size_t from = 0; from < F; from += Gas::width) {
    Pass pass(F, from, alpha);
    core::with_vectors([&] {
      for (PetscInt i = first; i < end; ++i) put_node_derivatives(i, values.data(), rates.data(), pass, blocks);
      for (PetscInt i = std::max<PetscInt>(first - 1, 0); i < std::min(end, last()); ++i)
        add_face_derivatives(i, values.data(), pass, blocks);
    });
  }
  // The rows that are conditions have one entry each.
  const auto only = [&](PetscInt node, std::size_t row) {
    if (node < first || node >= end) return;
    double* at = blocks.data() + (static_cast<std::size_t>(node - first) * F + row) * 3 * F;
    std::fill_n(at, 3 * F, 0.0);
    at[F + row] = 1.0;
  };
  only(0, index_of_r());
  only(last(), index_of_r());
  only(last(), 0);
  if (line().count() == last() + 1)
    copy_blocks(blocks, jacobian);
  else
    set_blocks(blocks, jacobian);
  core::check(MatAssemblyBegin(jacobian, MAT_FINAL_ASSEMBLY));
  core::check(MatAssemblyEnd(jacobian, MAT_FINAL_ASSEMBLY));
}

} // namespace rhumb::combustion
