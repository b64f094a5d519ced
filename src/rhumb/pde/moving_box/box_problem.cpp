#include <rhumb/pde/moving_box/box_problem.hpp>

#include <rhumb/core/arrays.hpp>
#include <algorithm>
#include <set>

namespace rhumb::moving_box {

using core::check;

namespace {
Simplices make_simplices(MPI_Comm comm, const core::Options& options, const Settings& settings, int unknowns) {
  if (!settings.has_mesh) return {comm, settings.box, unknowns, settings.diagonal};
  return {grid::read_mesh(comm, options), unknowns};
}
} // namespace

BoxProblem::BoxProblem(MPI_Comm comm, const core::Options& options, Description about, bool has_own_monitor)
    : about_(std::move(about)), settings_(read_settings(options, about_, has_own_monitor)),
      simplices_(make_simplices(comm, options, settings_, static_cast<int>(all_fields().size()))),
      fields_(all_fields()), values_(static_cast<std::size_t>(simplices_.nodes() * simplices_.unknowns())),
      rates_(values_.size()) {
  local_ = simplices_.create_local();
}

std::vector<dae::Field> BoxProblem::all_fields() const {
  auto all = about_.fields;
  for (int d = 0; moves() && d < about_.box.dimension(); ++d)
    all.push_back({std::string(1, "xyz"[d]), "", "position of the node"});
  if (moves()) all.push_back({"monitor", "", "smoothed monitor", dae::Kind::index1});
  for (std::size_t c = 0; has_contents() && c < about_.fields.size(); ++c) {
    const auto& field = about_.fields[c];
    all.push_back({"content_" + field.name, field.unit, "integral over the node's volume, over that of a cell"});
    all[c].kind = dae::Kind::index1; // q / V
  }
  return all;
}

dae::Tolerances BoxProblem::default_tolerances() const {
  dae::Tolerances tolerances;
  tolerances.rtol = about_.rtol;
  tolerances.atol = about_.atol;
  if (moves()) {
    tolerances.atol_of_field.assign(fields_.size(), about_.atol);
    for (int d = 0; d < dimension(); ++d) tolerances.atol_of_field[coordinate(d)] = about_.atol * simplices_.length();
  }
  return tolerances;
}

/// What the algebraic unknowns (the monitor above all) would add to the error test costs steps and gains nothing.
dae::Preferences BoxProblem::preferences() const {
  dae::Preferences wishes;
  wishes.error_test = "exclude";
  // What Newton leaves in V u = q shows in the integral of u.
  constexpr double strict_newton = 1e-3;
  if (has_contents()) wishes.newton_tolerance = strict_newton;
  return wishes;
}

core::VecHandle BoxProblem::create_vector() const {
  return simplices_.create_vector();
}

dae::Kind BoxProblem::variable_kind(PetscInt local) const {
  const PetscInt point = local / unknowns(), node = simplices_.owned(point);
  const auto unknown = static_cast<int>(local % unknowns());
  bool algebraic = fields_[unknown].kind == dae::Kind::index1;
  if (unknown < components()) algebraic = algebraic || is_held(node, unknown);
  if (is_coordinate(unknown)) algebraic = simplices_.is_bound(point, unknown - components());
  if (has_contents() && unknown >= content(0)) algebraic = is_held(node, unknown - content(0));
  return algebraic ? dae::Kind::index1 : fields_[unknown].kind;
}

void BoxProblem::load(Vec y, Vec ydot) {
  const auto copy = [&](Vec from, std::vector<double>& to) {
    simplices_.to_local(from, local_);
    const core::Readable local(local_);
    std::copy(local.begin(), local.end(), to.begin());
  };
  copy(y, values_);
  if (ydot) copy(ydot, rates_);
}

/// Rows of fields, contents and the monitor hold the fields and positions of all points of the simplices around the
/// point; mesh rows hold their own coordinate and the monitor of the points that pull.
std::vector<PetscInt> BoxProblem::columns(PetscInt i, int unknown, const std::vector<PetscInt>& around) const {
  const PetscInt node = simplices_.owned(i);
  std::set<PetscInt> found;
  const auto add = [&](PetscInt other, int by) { found.insert(simplices_.global(other) * unknowns() + by); };
  add(node, unknown);
  if (!is_coordinate(unknown)) {
    for (const PetscInt other : around)
      for (int f = 0; f < (moves() ? monitor_index() : components()); ++f) add(other, f);
    for (int c = 0; has_contents() && c < components(); ++c) add(node, content(c));
  }
  if (!moves()) return {found.begin(), found.end()};
  if (is_coordinate(unknown)) {
    add(node, monitor_index());
    for (int d = 0; d < dimension(); ++d) add(node, coordinate(d));
    for (const auto& link : simplices_.pulls(i)) {
      add(link.node, unknown);
      add(link.node, monitor_index());
    }
  }
  if (unknown == monitor_index())
    for (const auto& link : simplices_.smoothed(i)) add(link.node, unknown);
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
    for (int f = 0; f < unknowns(); ++f) body(node, f, columns(i, f, {set.begin(), set.end()}));
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
