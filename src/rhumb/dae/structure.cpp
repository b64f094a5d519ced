#include <rhumb/dae/structure.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/incidence.hpp>
#include <rhumb/dae/structure_words.hpp>
#include <algorithm>
#include <array>
#include <cmath>

namespace rhumb::dae {

using core::check;

namespace {

/// The pieces of all ranks one after the other, on rank 0.
template <class Value>
std::vector<Value> gather(const GuardedSystem& system, const std::vector<Value>& here, MPI_Datatype type) {
  const int ranks = core::size_of(system.comm()), count = static_cast<int>(here.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks)), offsets(counts.size(), 0);
  core::check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, system.comm()));
  for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
  const bool root = core::rank_of(system.comm()) == 0;
  std::vector<Value> all(root ? static_cast<std::size_t>(offsets.back() + counts.back()) : 0);
  core::check_mpi(
      MPI_Gatherv(here.data(), count, type, all.data(), counts.data(), offsets.data(), type, 0, system.comm()));
  return all;
}

/// Gathers what the words need of every unknown to rank 0, in the global order.
Unknowns gather_unknowns(const GuardedSystem& system, Vec model) {
  PetscInt local = 0;
  check(VecGetLocalSize(model, &local));
  std::vector<int> here(2 * static_cast<std::size_t>(local));
  std::vector<char> places; // each ends with a line
  for (PetscInt i = 0; i < local; ++i) {
    here[2 * i] = system.system().field_of(i);
    here[2 * i + 1] = static_cast<int>(system.system().variable_kind(i));
    const std::string place = system.system().location(i);
    places.insert(places.end(), place.begin(), place.end());
    places.push_back('\n');
  }
  const std::vector<int> all = gather(system, here, MPI_INT);
  const std::vector<char> all_places = gather(system, places, MPI_CHAR);
  Unknowns out{system.system().fields(), {}, {}};
  for (std::size_t k = 0; k < all.size(); k += 2) {
    out.field.push_back(all[k]);
    out.declared.push_back(static_cast<Kind>(all[k + 1]));
  }
  for (auto from = all_places.begin(); from != all_places.end();) {
    const auto to = std::find(from, all_places.end(), '\n');
    out.location.emplace_back(from, to);
    from = to + 1;
  }
  return out;
}

/// One unknown per field.
Unknowns unknowns_of_fields(const std::vector<Field>& fields) {
  Unknowns out{fields, {}, {}};
  for (std::size_t f = 0; f < fields.size(); ++f) {
    out.field.push_back(static_cast<int>(f));
    out.declared.push_back(fields[f].kind);
  }
  return out;
}

Pencil dense(const Linearization& from, std::size_t size) {
  Pencil out{size, std::vector<double>(size * size, 0.0), std::vector<double>(size * size, 0.0)};
  const auto fill = [&](const GatheredEntries& entries, std::vector<double>& to) {
    for (std::size_t k = 0; k < entries.at.size(); ++k)
      to[static_cast<std::size_t>(entries.at[k].row) * size + static_cast<std::size_t>(entries.at[k].column)] =
          entries.value[k];
  };
  fill(from.values, out.values);
  fill(from.rates, out.rates);
  return out;
}

bool is_aij(Mat matrix) {
  PetscBool sequential = PETSC_FALSE, parallel = PETSC_FALSE;
  const auto object = reinterpret_cast<PetscObject>(matrix);
  check(PetscObjectBaseTypeCompare(object, MATSEQAIJ, &sequential));
  check(PetscObjectBaseTypeCompare(object, MATMPIAIJ, &parallel));
  return sequential == PETSC_TRUE || parallel == PETSC_TRUE;
}

/// A matrix with an entry wherever a variable stands in an equation; none where there is no such matrix.
core::MatHandle sparsity_of(GuardedSystem& system, const GeneralPoint& at, PetscInt size) {
  if (size <= static_cast<PetscInt>(largest_pencil)) return system.system().System::create_matrix(); // every entry
  if (size > largest_gathered) return {};
  core::MatHandle matrix = system.system().create_matrix();
  if (!matrix || !is_aij(matrix)) return {};
  PetscBool assembled = PETSC_FALSE;
  check(MatAssembled(matrix, &assembled));
  if (assembled != PETSC_TRUE && system.offers().jacobian) { // only preallocated: its first values make the sparsity
    system.jacobian(at.t, at.y, at.ydot, 1.0, matrix);
    if (!system.all_well()) return {};
    check(MatAssembled(matrix, &assembled));
  }
  if (assembled != PETSC_TRUE || !sparsity_holds(system, at, matrix)) return {};
  return matrix;
}

bool differ(const GatheredEntries& a, const GatheredEntries& b) {
  constexpr double error_of_differences = 1e-6;
  return !std::ranges::equal(a.at, b.at) || !std::ranges::equal(a.value, b.value, [](double x, double y) {
    return std::abs(x - y) <= error_of_differences * std::max(std::abs(x), std::abs(y));
  });
}

/// Of what general points show together; the pencils of small systems are examined one by one. On rank 0.
StructureFindings examine(const std::vector<Linearization>& general, const std::optional<Linearization>& start,
                          std::size_t size) {
  StructureFindings out;
  std::vector<Pattern::Entry> values, rates;
  for (const auto& one : general) {
    values.insert(values.end(), one.values.at.begin(), one.values.at.end());
    rates.insert(rates.end(), one.rates.at.begin(), one.rates.at.end());
  }
  const int rows = static_cast<int>(size);
  out.examine_patterns(Pattern::of(rows, rows, std::move(values)), Pattern::of(rows, rows, std::move(rates)));
  if (size > largest_pencil || out.rank < rows) return out;
  const auto index = [&](const Linearization& one) {
    return pencil_index(dense(one, size), one.exact ? of_exact_matrices : of_differences);
  };
  for (const auto& one : general) out.pencils.push_back(index(one));
  if (start) out.examine_start(Pattern::of(rows, rows, start->values.at), Pattern::of(rows, rows, start->rates.at));
  if (general.size() > 1) out.rates_change = differ(general[0].rates, general[1].rates);
  return out;
}

Structure conclude(MPI_Comm comm, const StructureFindings& findings, const Unknowns& unknowns) {
  Structure out;
  core::run_on_root(comm, [&] { out = in_words(findings, unknowns); });
  std::array<int, 3> numbers{out.singular ? 1 : 0, out.contradicted ? 1 : 0, out.index};
  core::check_mpi(MPI_Bcast(numbers.data(), 3, MPI_INT, 0, comm));
  out.singular = numbers[0] != 0;
  out.contradicted = numbers[1] != 0;
  out.index = numbers[2];
  out.text = core::broadcast(comm, out.text);
  return out;
}

} // namespace

Structure analyse_structure(GuardedSystem& system, double t, Vec y, Vec ydot, double time_scale) {
  PetscInt size = 0;
  check(VecGetSize(y, &size));
  std::vector<GeneralPoint> points;
  for (const int which : {1, 2})
    if (auto point = general_point(system, t, y, ydot, time_scale, which)) points.push_back(std::move(*point));
  if (points.empty()) throw core::BadInput("-check structure: the equations have no value near their initial values");
  StructureFindings findings;
  if (const core::MatHandle sparsity = sparsity_of(system, points.front(), size)) {
    std::vector<Linearization> general;
    for (const auto& point : points)
      if (auto one = linearize(system, point, sparsity)) general.push_back(std::move(*one));
    if (general.empty()) throw core::BadInput("-check structure: the equations have no value beside a general point");
    std::optional<Linearization> start;
    const auto given = general_point(system, t, y, ydot, time_scale, 0);
    if (given && size <= static_cast<PetscInt>(largest_pencil)) start = linearize(system, *given, sparsity);
    core::run_on_root(system.comm(), [&] { findings = examine(general, start, static_cast<std::size_t>(size)); });
    return conclude(system.comm(), findings, gather_unknowns(system, y));
  }
  const auto patterns = field_patterns(system, points.front());
  if (!patterns) throw core::BadInput("-check structure: the equations have no value beside a general point");
  findings.examine_patterns(patterns->values, patterns->rates);
  findings.of_fields = true;
  return conclude(system.comm(), findings, unknowns_of_fields(system.system().fields()));
}

std::string structural_singularity(const GuardedSystem& system, Mat matrix) {
  PetscInt size = 0;
  check(MatGetSize(matrix, &size, nullptr));
  if (size > largest_gathered || !is_aij(matrix)) return {};
  const GatheredEntries entries = gather_nonzeros(matrix);
  core::VecHandle model;
  check(MatCreateVecs(matrix, model.out(), nullptr));
  const Unknowns unknowns = gather_unknowns(system, model);
  std::string text;
  core::run_on_root(system.comm(), [&] {
    const Pattern pattern = Pattern::of(static_cast<int>(size), static_cast<int>(size), entries.at);
    const Matching matching = maximum_matching(pattern);
    if (matching.size < pattern.rows) text = parts_in_words(structural_parts(pattern, matching), unknowns);
  });
  return core::broadcast(system.comm(), text);
}

} // namespace rhumb::dae
