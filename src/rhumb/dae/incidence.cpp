#include <rhumb/dae/incidence.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/dae/coloured_jacobian.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace rhumb::dae {

using core::check;
using core::Readable;
using core::Writable;

namespace {

constexpr std::array moves{1e-2, 1e-4, 1e-6}; // to a general point, in parts of a field's size, the first that works
constexpr double move_in_time = 1e-3;         // of the time scale
constexpr double increment = 1e-5;            // of dF/dy, in parts of a field's size: rounding must not hide a rank
constexpr int random_sets = 6;
constexpr double newton_part = 0.1; // of a weight, that ColouredJacobian moves a variable by

/// In [1, 2), the same in every run; `which` makes several sequences.
double probe_amplitude(PetscInt entry, int which) {
  constexpr double golden = 0.6180339887498949, silver = 0.4142135623730950;
  const double x = golden * static_cast<double>(entry + 1) + silver * which;
  return 1.0 + x - std::floor(x);
}

PetscInt first_entry(Vec v) {
  PetscInt first = 0;
  check(VecGetOwnershipRange(v, &first, nullptr));
  return first;
}

/// The largest |v| of each field, `otherwise` where that is 0.
std::vector<double> field_sizes(const GuardedSystem& system, Vec v, std::vector<double> otherwise) {
  std::vector<double> sizes(otherwise.size(), 0.0);
  {
    const Readable values(v);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& size = sizes[system.system().field_of(static_cast<PetscInt>(i))];
      size = std::max(size, std::abs(values[i]));
    }
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, sizes.data(), static_cast<int>(sizes.size()), MPI_DOUBLE, MPI_MAX, system.comm()));
  for (std::size_t f = 0; f < sizes.size(); ++f)
    if (!(sizes[f] > 0.0)) sizes[f] = otherwise[f];
  return sizes;
}

void move(const GuardedSystem& system, Vec from, const std::vector<double>& sizes, double part, int which, Vec to) {
  const PetscInt first = first_entry(from);
  const Readable before(from);
  const Writable after(to);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto local = static_cast<PetscInt>(i);
    after[i] = before[i] + part * sizes[system.system().field_of(local)] * probe_amplitude(first + local, which);
  }
}

/// F as a function of y' alone: with y' in the place of y, a matrix by differences is dF/dy'.
class RateSystem : public System {
public:
  RateSystem(System& system, Vec y) : system_(system), y_(y) {}
  std::vector<Field> fields() const override { return system_.fields(); }
  core::VecHandle create_vector() const override { return system_.create_vector(); }
  void initial_values(double, Vec, Vec) override {}
  void residual(double t, Vec rate, Vec, Vec out) override { system_.residual(t, y_, rate, out); }
  int field_of(PetscInt local) const override { return system_.field_of(local); }

private:
  System& system_;
  Vec y_;
};

/// The matrix of dF/dy by differences in which each variable moves by `part` of its field's size.
void differentiate(GuardedSystem& system, double t, Vec y, Vec ydot, Vec residual, std::vector<double> sizes,
                   double part, ColouredJacobian::Increments increments, Mat out) {
  for (double& size : sizes) size *= part;
  const Weights weights(system, {.rtol = 0.0, .atol = 1.0, .atol_of_field = std::move(sizes), .norm = Norm::rms});
  ColouredJacobian(system, out).evaluate(t, y, ydot, 0.0, residual, weights, out, increments);
}

/// An integer per local entry, of all ranks on rank 0.
template <class Value>
std::vector<Value> gather(MPI_Comm comm, const std::vector<Value>& local, MPI_Datatype type) {
  const int ranks = core::size_of(comm), count = static_cast<int>(local.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), offsets(counts.size(), 0);
  core::check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm));
  std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  std::vector<Value> out(core::rank_of(comm) == 0 ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
  core::check_mpi(MPI_Gatherv(local.data(), count, type, out.data(), counts.data(), offsets.data(), type, 0, comm));
  return out;
}

/// Row by row, whether the entries of a are those of b, up to the error of differences.
bool agree(const GatheredEntries& a, const GatheredEntries& b) {
  constexpr double error_of_differences = 1e-4; // of the row's largest entry
  std::map<std::pair<int, int>, double> difference;
  std::map<int, double> largest;
  const auto add = [&](const GatheredEntries& entries, double sign) {
    for (std::size_t k = 0; k < entries.at.size(); ++k) {
      difference[{entries.at[k].row, entries.at[k].column}] += sign * entries.value[k];
      double& size = largest[entries.at[k].row];
      size = std::max(size, std::abs(entries.value[k]));
    }
  };
  add(a, 1.0);
  add(b, -1.0);
  return std::ranges::all_of(difference, [&](const auto& entry) {
    return std::abs(entry.second) <= error_of_differences * largest[entry.first.first];
  });
}

/// The system's own dF/dy in the place of that by differences, where the two agree.
void take_exact(GuardedSystem& system, const GeneralPoint& at, Linearization& out) {
  if (!system.offers().jacobian) return;
  const core::MatHandle matrix = system.system().create_matrix();
  system.jacobian(at.t, at.y, at.ydot, 0.0, matrix);
  if (!system.all_well()) return;
  GatheredEntries exact = gather_nonzeros(matrix);
  out.exact = agree(exact, out.values); // on rank 0, where both are
  if (out.exact) out.values = std::move(exact);
}

} // namespace

GatheredEntries gather_nonzeros(Mat matrix) {
  std::vector<int> rows, columns;
  std::vector<double> values;
  PetscInt first = 0, last = 0;
  check(MatGetOwnershipRange(matrix, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    const PetscScalar* value = nullptr;
    check(MatGetRow(matrix, i, &count, &column, &value));
    for (PetscInt p = 0; p < count; ++p) {
      if (value[p] == 0.0) continue;
      rows.push_back(static_cast<int>(i));
      columns.push_back(static_cast<int>(column[p]));
      values.push_back(value[p]);
    }
    check(MatRestoreRow(matrix, i, &count, &column, &value));
  }
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  rows = gather(comm, rows, MPI_INT);
  columns = gather(comm, columns, MPI_INT);
  GatheredEntries out{{}, gather(comm, values, MPI_DOUBLE)};
  out.at.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) out.at[k] = {rows[k], columns[k]};
  return out;
}

std::optional<GeneralPoint> general_point(GuardedSystem& system, double t, Vec y, Vec ydot, double time_scale,
                                          int which) {
  GeneralPoint out{t, core::same_layout(y), core::same_layout(y), core::same_layout(y), {}, {}};
  const std::size_t fields = system.system().fields().size();
  out.sizes = field_sizes(system, y, std::vector<double>(fields, 1.0));
  std::vector<double> rates = out.sizes;
  for (double& rate : rates) rate /= time_scale;
  out.rate_sizes = field_sizes(system, ydot, std::move(rates));
  for (const double part : moves) {
    out.t = which == 0 ? t : t + (which - 1) * move_in_time * time_scale;
    move(system, y, out.sizes, which == 0 ? 0.0 : part, which, out.y);
    move(system, ydot, out.rate_sizes, which == 0 ? 0.0 : part, which + 3, out.ydot);
    system.residual(out.t, out.y, out.ydot, out.residual);
    if (system.has_value(out.residual)) return out;
  }
  return std::nullopt;
}

std::optional<Linearization> linearize(GuardedSystem& system, const GeneralPoint& at, Mat sparsity) {
  core::MatHandle matrix;
  check(MatDuplicate(sparsity, MAT_DO_NOT_COPY_VALUES, matrix.out()));
  Linearization out;
  using Increments = ColouredJacobian::Increments;
  differentiate(system, at.t, at.y, at.ydot, at.residual, at.sizes, increment / newton_part, Increments::for_newton,
                matrix);
  if (!system.all_well()) return std::nullopt;
  out.values = gather_nonzeros(matrix);
  take_exact(system, at, out);
  // Mostly linear: moved so far that it is not lost in the sum.
  PetscReal size = 0.0;
  check(VecNorm(at.residual, NORM_INFINITY, &size));
  RateSystem of_rates(system.system(), at.y);
  GuardedSystem guarded(of_rates);
  std::vector<double> sizes = at.rate_sizes;
  for (double& rate : sizes) rate = std::max({rate, 1.0, static_cast<double>(size)});
  differentiate(guarded, at.t, at.ydot, at.ydot, at.residual, std::move(sizes), 1.0 / newton_part,
                Increments::for_newton, matrix);
  if (!guarded.all_well()) return std::nullopt;
  out.rates = gather_nonzeros(matrix);
  return out;
}

bool sparsity_holds(GuardedSystem& system, const GeneralPoint& at, Mat sparsity) {
  const auto set = core::same_layout(at.y), touched = core::same_layout(at.y), moved = core::same_layout(at.y),
             changed = core::same_layout(at.y);
  core::MatHandle ones;
  check(MatDuplicate(sparsity, MAT_DO_NOT_COPY_VALUES, ones.out()));
  PetscInt first = 0, last = 0, longest = 1;
  check(MatGetOwnershipRange(ones, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    check(MatGetRow(sparsity, i, &count, &columns, nullptr));
    longest = std::max(longest, count);
    const std::vector<PetscInt> where(columns, columns + count);
    check(MatRestoreRow(sparsity, i, &count, &columns, nullptr));
    const std::vector<PetscScalar> one(where.size(), 1.0);
    check(MatSetValues(ones, 1, &i, static_cast<PetscInt>(where.size()), where.data(), one.data(), INSERT_VALUES));
  }
  check(MatAssemblyBegin(ones, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(ones, MAT_FINAL_ASSEMBLY));
  core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPIU_INT, MPI_MAX, system.comm()));
  bool holds = true;
  for (int which = 0; which < random_sets; ++which) {
    {
      const Readable value(at.y);
      const Writable chosen(set), to(moved);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const auto local = static_cast<PetscInt>(i);
        chosen[i] = (probe_amplitude(first + local, 7 + which) - 1.0) * static_cast<double>(longest) < 1.0 ? 1.0 : 0.0;
        to[i] = value[i] + chosen[i] * moves.front() * at.sizes[system.system().field_of(local)];
      }
    }
    check(MatMult(ones, set, touched));
    system.residual(at.t, moved, at.ydot, changed);
    std::array<double, 1> strangers{0.0};
    {
      const Readable before(at.residual), after(changed), of_set(touched);
      for (std::size_t i = 0; i < before.size(); ++i)
        if (of_set[i] == 0.0 && before[i] != after[i] && std::isfinite(after[i])) strangers[0] += 1.0;
    }
    system.reduce(strangers);
    holds = holds && !(strangers[0] > 0.0); // where F had no value nothing is known
  }
  return holds;
}

namespace {

/// For each field, how many of its equations change when `moved` takes the place of y or y'.
std::vector<double> changed_rows(GuardedSystem& system, const GeneralPoint& at, Vec y, Vec ydot, Vec work) {
  std::vector<double> counts(at.sizes.size(), 0.0);
  system.residual(at.t, y, ydot, work);
  {
    const Readable before(at.residual), after(work);
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != after[i]) counts[system.system().field_of(static_cast<PetscInt>(i))] += 1.0;
  }
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_DOUBLE, MPI_SUM, system.comm()));
  return counts;
}

std::vector<double> rows_of_fields(const GuardedSystem& system, const GeneralPoint& at) {
  std::vector<double> counts(at.sizes.size(), 0.0);
  PetscInt size = 0;
  check(VecGetLocalSize(at.y, &size));
  for (PetscInt i = 0; i < size; ++i) counts[system.system().field_of(i)] += 1.0;
  core::check_mpi(
      MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_DOUBLE, MPI_SUM, system.comm()));
  return counts;
}

} // namespace

std::optional<FieldPatterns> field_patterns(GuardedSystem& system, const GeneralPoint& at) {
  const auto moved = core::same_layout(at.y), work = core::same_layout(at.y);
  const std::vector<double> all = rows_of_fields(system, at);
  const int fields = static_cast<int>(all.size());
  std::array<std::vector<Pattern::Entry>, 2> entries;
  for (int g = 0; g < fields; ++g)
    for (const bool rate : {false, true}) {
      std::vector<double> sizes(all.size(), 0.0);
      sizes[g] = rate ? std::max(1.0, at.rate_sizes[g]) : at.sizes[g];
      move(system, rate ? at.ydot : at.y, sizes, rate ? 1.0 : moves.back(), 11, moved);
      const auto counts = changed_rows(system, at, rate ? at.y : moved, rate ? moved : at.ydot, work);
      if (!system.has_value(work)) return std::nullopt;
      for (int f = 0; f < fields; ++f)
        if (all[f] > 0.0 && counts[f] >= 0.5 * all[f]) entries[rate ? 1 : 0].push_back({f, g});
    }
  return FieldPatterns{Pattern::of(fields, fields, entries[0]), Pattern::of(fields, fields, entries[1])};
}

} // namespace rhumb::dae
