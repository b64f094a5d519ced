#include <rhumb/pde/moving_box/box_problem.hpp>

#include <rhumb/core/arrays.hpp>
#include <algorithm>
#include <set>

namespace rhumb::moving_box {

using core::check;

BoxProblem::BoxProblem(MPI_Comm comm, const core::Options& options, Description about, bool has_own_monitor)
    : about_(std::move(about)), settings_(read_settings(options, about_, has_own_monitor)),
      rtol_(options.real("dae_rtol", about_.rtol, {"relative tolerance"}, core::Range::at_least(0.0))),
      atol_(options.real("dae_atol", about_.atol, {"absolute tolerance of every field"}, core::Range::at_least(0.0))),
      simplices_(comm, settings_.box, static_cast<int>(all_fields().size()), settings_.diagonal), fields_(all_fields()),
      values_(static_cast<std::size_t>(simplices_.nodes() * simplices_.unknowns())), rates_(values_.size()) {
  check(DMCreateLocalVector(simplices_.dm(), local_.out()));
}

std::vector<dae::Field> BoxProblem::all_fields() const {
  auto all = about_.fields;
  if (!settings_.moves) return all;
  for (int d = 0; d < about_.box.dimension(); ++d)
    all.push_back({std::string(1, "xyz"[d]), "", "position of the node"});
  all.push_back({"monitor", "", "smoothed monitor", dae::Kind::index1});
  return all;
}

dae::Tolerances BoxProblem::default_tolerances() const {
  dae::Tolerances tolerances;
  tolerances.rtol = about_.rtol;
  tolerances.atol = about_.atol;
  if (moves()) {
    tolerances.atol_of_field.assign(fields_.size(), atol_);
    for (int d = 0; d < dimension(); ++d) tolerances.atol_of_field[coordinate(d)] = atol_ * simplices_.length();
  }
  return tolerances;
}

/// What the algebraic unknowns (the monitor above all) would add to the error test costs steps and gains nothing.
dae::Preferences BoxProblem::preferences() const {
  dae::Preferences wishes;
  wishes.error_test = "exclude";
  return wishes;
}

core::VecHandle BoxProblem::create_vector() const {
  core::VecHandle y;
  check(DMCreateGlobalVector(simplices_.dm(), y.out()));
  return y;
}

dae::Kind BoxProblem::variable_kind(PetscInt local) const {
  const PetscInt node = simplices_.owned(local / unknowns());
  const auto unknown = static_cast<int>(local % unknowns());
  if (unknown < components()) return is_held(node, unknown) ? dae::Kind::index1 : fields_[unknown].kind;
  if (unknown == monitor_index()) return dae::Kind::index1;
  const bool fixed = (simplices_.sides(node) >> (2 * (unknown - components())) & 3U) != 0;
  return fixed ? dae::Kind::index1 : dae::Kind::differential;
}

void BoxProblem::load(Vec y, Vec ydot) {
  const auto copy = [&](Vec from, std::vector<double>& to) {
    check(DMGlobalToLocal(simplices_.dm(), from, INSERT_VALUES, local_));
    const core::Readable local(local_);
    std::copy(local.begin(), local.end(), to.begin());
  };
  copy(y, values_);
  if (ydot) copy(ydot, rates_);
}

/// Rows of fields and of the monitor hold the fields and positions of all points of the simplices around the point;
/// mesh rows hold their own coordinate and the monitor along the lines of the grid.
std::vector<PetscInt> BoxProblem::columns(PetscInt node, int unknown, const std::vector<PetscInt>& around) const {
  std::set<PetscInt> found{simplices_.global(node) * unknowns() + unknown};
  const bool is_mesh = unknown >= components() && unknown < monitor_index();
  if (!is_mesh)
    for (const PetscInt other : around)
      for (int f = 0; f < (moves() ? monitor_index() : components()); ++f)
        found.insert(simplices_.global(other) * unknowns() + f);
  for (int d = 0; d < dimension() && unknown >= components(); ++d)
    for (const int step : {-1, 0, 1})
      if (const PetscInt other = simplices_.neighbour(node, d, step); other >= 0) {
        found.insert(simplices_.global(other) * unknowns() + unknown);
        found.insert(simplices_.global(other) * unknowns() + monitor_index());
      }
  return {found.begin(), found.end()};
}

template <class Body>
void BoxProblem::for_each_row(Body&& body) const {
  std::vector<std::set<PetscInt>> around(static_cast<std::size_t>(simplices_.nodes()));
  for (PetscInt e = 0; e < simplices_.count(); ++e) {
    const PetscInt* corners = simplices_.corners(e);
    for (int a = 0; a < simplices_.vertices(); ++a)
      if (simplices_.is_own(corners[a])) around[corners[a]].insert(corners, corners + simplices_.vertices());
  }
  for (PetscInt i = 0; i < simplices_.owned_nodes(); ++i) {
    const PetscInt node = simplices_.owned(i);
    const auto& set = around[node];
    for (int f = 0; f < unknowns(); ++f) body(node, f, columns(node, f, {set.begin(), set.end()}));
  }
}

core::MatHandle BoxProblem::create_matrix() const {
  const PetscInt size = simplices_.owned_nodes() * unknowns();
  PetscInt first = 0;
  core::check_mpi(MPI_Exscan(&size, &first, 1, MPIU_INT, MPI_SUM, simplices_.comm()));
  std::vector<PetscInt> here, elsewhere;
  for_each_row([&](PetscInt, int, const std::vector<PetscInt>& columns) {
    const auto inside = std::ranges::count_if(columns, [&](PetscInt c) { return c >= first && c < first + size; });
    here.push_back(static_cast<PetscInt>(inside));
    elsewhere.push_back(static_cast<PetscInt>(columns.size()) - here.back());
  });
  core::MatHandle matrix;
  check(MatCreateAIJ(simplices_.comm(), size, size, PETSC_DETERMINE, PETSC_DETERMINE, 0, here.data(), 0,
                     elsewhere.data(), matrix.out()));
  for_each_row([&](PetscInt node, int unknown, const std::vector<PetscInt>& columns) {
    const PetscInt row = simplices_.global(node) * unknowns() + unknown;
    const std::vector<double> zeros(columns.size(), 0.0);
    check(MatSetValues(matrix, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(), zeros.data(),
                       INSERT_VALUES));
  });
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return matrix;
}

} // namespace rhumb::moving_box
