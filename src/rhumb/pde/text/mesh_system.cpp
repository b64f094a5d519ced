#include <rhumb/pde/text/mesh_system.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/pde/text/compiled_programs.hpp>
#include <rhumb/pde/text/mesh_given.hpp>
#include <rhumb/pde/text/point_equations.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace rhumb::text {

namespace {

std::vector<dae::Field> fields_of(const Model& model) {
  std::vector<dae::Field> fields;
  for (const auto& field : model.fields) fields.push_back({.name = field.name, .kind = field.kind});
  return fields;
}

std::vector<PetscInt> facets_on(const fem::Patches& patches, int boundary) {
  std::vector<PetscInt> found;
  for (PetscInt i = 0; i < patches.size(); ++i)
    if (patches[i].boundary == boundary) found.push_back(i);
  return found;
}

/// The length of a cell's side, over the order of the elements.
std::vector<double> sizes_of(const fem::Patches& cells, const fem::Space& space) {
  std::vector<double> sizes(static_cast<std::size_t>(space.mesh().cells()));
  int order = 1;
  for (int c = 0; c < space.components(); ++c) order = std::max(order, space.element(c).order());
  for (PetscInt i = 0; i < cells.size(); ++i) {
    const double volume = std::accumulate(cells[i].weights, cells[i].weights + cells[i].basis->points(), 0.0);
    sizes[static_cast<std::size_t>(cells[i].cell)] = std::pow(volume, 1.0 / space.mesh().dimension()) / order;
  }
  return sizes;
}

} // namespace

MeshSystem::~MeshSystem() = default;

MeshSystem::MeshSystem(grid::Unstructured mesh, Case read)
    : WeakForm(std::move(mesh), fields_of(read.model), read.orders), case_(std::move(read)),
      cell_sizes_(sizes_of(cells(), space())), batch_(space(), cell_sizes_) {
  const Model& model = case_.model;
  parameter_values_.resize(model.parameters.size());
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    parameter_values_[p] = model.parameters[p].value;
    parameters_.add({.name = model.parameters[p].name, .value = parameter_values_[p]}, parameter_values_[p]);
  }
  parameters_.on_change([this] { essential().forget(); });
  std::vector<PetscInt> all(static_cast<std::size_t>(cells().size()));
  std::iota(all.begin(), all.end(), PetscInt{0});
  groups_.push_back({&cells(), std::move(all), MeshEquations(model)});
  for (std::size_t b = 0; b < grid_mesh().boundaries().size(); ++b) {
    MeshEquations equations(model, static_cast<int>(b));
    if (!equations.terms.empty())
      groups_.push_back({&facets(), facets_on(facets(), static_cast<int>(b)), std::move(equations)});
  }
  WeakTerms weak(model);
  for (const Node node : model.initial) initial_.emplace_back(weak.graph(), std::vector{weak.value(node)}, 1);
  hold_values();
  pin_levels();
  prepare_reductions();
}

/// Rates of algebraic fields are not known at the start.
dae::Offers MeshSystem::offers() const {
  const bool algebraic =
      std::ranges::find(case_.model.fields, dae::Kind::index1, &FieldInfo::kind) != case_.model.fields.end();
  return {.jacobian = true,
          .product = !in_equations_.empty(), // integrals are not in the matrix
          .mass_product = true,
          .algebraic_rates = !algebraic};
}

void MeshSystem::hold_values() {
  for (std::size_t f = 0; f < case_.model.fields.size(); ++f)
    for (const auto& [boundary, condition] : case_.model.conditions[f]) {
      if (condition.kind != Condition::Kind::value) continue;
      const Given& given = given_.emplace_back(case_.model, condition.formula, parameter_values_);
      given_by_parameters_ = given_by_parameters_ || given.depends_on_parameters();
      essential().hold(boundary, static_cast<int>(f), &given);
    }
}

/// Whether the fields of a constraint have values on all of the boundary.
bool MeshSystem::is_held_all_around(std::size_t constraint) const {
  const Model& model = case_.model;
  if (grid_mesh().unlabelled_boundary_facets() > 0) return false;
  for (const Node node : model.graph.needed(std::array{model.equations[constraint].residual})) {
    const Entry& entry = model.graph[node];
    if (entry.op != Op::symbol || entry.symbol.kind != Symbol::Kind::field) continue;
    for (std::size_t b = 0; b < grid_mesh().boundaries().size(); ++b) {
      const auto& known = model.conditions[entry.symbol.index];
      const auto found = known.find(static_cast<int>(b));
      if (found == known.end() || found->second.kind != Condition::Kind::value) return false;
    }
  }
  return true;
}

/// A pressure in a closed vessel is free up to a constant: its value at the mesh's first vertex is 0.
void MeshSystem::pin_levels() {
  const Model& model = case_.model;
  for (std::size_t f = 0; f < model.fields.size(); ++f) {
    if (model.fields[f].kind != dae::Kind::index2 || !model.conditions[f].empty()) continue;
    if (!model.only_slopes_of(f) || !is_held_all_around(f)) continue;
    essential().pin(static_cast<PetscInt>(f)); // the unknowns of the first vertex come first
    pinned_.push_back(model.fields[f].name);
  }
}

Uniforms MeshSystem::uniforms(double t) const {
  return {.t = t, .parameters = parameter_values_};
}

/// Of the state that is loaded. Collective where integrals stand in the equations.
Uniforms MeshSystem::uniforms_with_reductions(double t, double alpha) {
  Uniforms now = uniforms(t);
  now.alpha = alpha;
  if (!in_equations_.empty()) {
    reductions_ = reduce(now, in_equations_);
    now.reductions = reductions_;
  }
  return now;
}

void MeshSystem::add_terms(const Choose& choose, const Uniforms& now, const double* along, double* out) {
  const int components = space().components();
  std::vector<int> term_of(static_cast<std::size_t>(components * 4));
  for (auto& group : groups_) {
    Program& program = choose(group.equations);
    program.begin(now);
    std::ranges::fill(term_of, -1);
    const auto& terms = group.equations.terms;
    for (std::size_t k = 0; k < terms.size(); ++k)
      term_of[terms[k].component * 4 + static_cast<std::size_t>(terms[k].a)] = static_cast<int>(k);
    for_each_stretch(*group.patches, group.which, [&](std::size_t first, std::size_t last) {
      batch_.clear();
      for (std::size_t i = first; i < last; ++i)
        batch_.add((*group.patches)[group.which[i]], {values(), rates(), along});
      const double* results = batch_.run(program);
      for (std::size_t i = first; i < last; ++i) {
        const fem::Patch patch = (*group.patches)[group.which[i]];
        for (PetscInt q = 0; q < patch.basis->points(); ++q, results += terms.size()) {
          const auto term = [&](int c, int a) {
            const int k = term_of[static_cast<std::size_t>(c * 4 + a)];
            return k < 0 ? 0.0 : results[k];
          };
          if (space().mesh().dimension() == 2)
            fem::test_point<2>(space(), patch, q, components, term, out);
          else
            fem::test_point<3>(space(), patch, q, components, term, out);
        }
      }
    });
  }
}

void MeshSystem::assemble(double t, double* out) {
  add_terms([](MeshEquations& all) -> Program& { return all.residual; }, uniforms_with_reductions(t, 0.0), nullptr,
            out);
}

void MeshSystem::assemble_mass(double t, double* out) {
  add_terms([](MeshEquations& all) -> Program& { return all.mass_product; }, uniforms_with_reductions(t, 0.0), along(),
            out);
}

void MeshSystem::sum_terms(const Choose& choose, const Uniforms& now, const double* along, Vec v, Vec out) {
  integrate([&](double* sums) { add_terms(choose, now, along, sums); }, out);
  std::optional<core::Readable> given;
  if (v != nullptr) given.emplace(v);
  const core::Writable rows(out);
  for (const auto& entry : essential().entries())
    if (entry.owned >= 0) rows[entry.owned] = given ? (*given)[entry.owned] : 0.0;
}

void MeshSystem::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec product) {
  load(t, y, ydot);
  load_along(v);
  Uniforms now = uniforms_with_reductions(t, alpha);
  reductions_along_ = reduce_along(now);
  now.reductions_along = reductions_along_;
  sum_terms([](MeshEquations& all) -> Program& { return all.product; }, now, along(), v, product);
}

bool MeshSystem::parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) {
  if (!in_equations_.empty() || given_by_parameters_) return false; // integrals and given values may depend on it
  load(t, y, ydot);
  sum_terms([index](MeshEquations& all) -> Program& { return all.by_parameter[index]; }, uniforms(t), nullptr, nullptr,
            out);
  return true;
}

/// At points, programs of one field: of places, t and parameters.
void MeshSystem::initial_values(double t, Vec y, Vec ydot) {
  for (auto& program : initial_) program.begin(uniforms(t));
  WeakForm::initial_values(t, y, ydot);
}

double MeshSystem::initial_value(PetscInt local) const {
  const auto component = static_cast<std::size_t>(space().component_of(local));
  if (const auto stored = case_.stored.find(component); stored != case_.stored.end())
    return stored->second(space().position(local));
  std::array<double, place::width> row{};
  std::ranges::copy(space().position(local), row.begin());
  double value = 0.0;
  const Line line{.count = 1, .natural = space().natural(local)};
  initial_[component].run({.places = row.data()}, line, {&value, 1});
  return value;
}

void MeshSystem::compile() {
  std::vector<std::pair<Program*, std::string>> programs;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& all = groups_[g].equations;
    programs.emplace_back(&all.residual, fmt::format("residual_{}", g));
    programs.emplace_back(&all.jacobian, fmt::format("jacobian_{}", g));
    programs.emplace_back(&all.product, fmt::format("product_{}", g));
    programs.emplace_back(&all.mass_product, fmt::format("mass_product_{}", g));
  }
  code_ = compile_programs(grid_mesh().comm(), programs);
}

std::vector<std::string> MeshSystem::remarks() const {
  auto found = std::vector{describe_kinds(case_.model)};
  std::string orders;
  for (std::size_t f = 0; f < case_.orders.size(); ++f)
    orders += fmt::format("{}{} {}", f > 0 ? ", " : "", case_.model.fields[f].name, case_.orders[f]);
  found.push_back("orders of the elements: " + orders);
  if (const auto bare = grid_mesh().unlabelled_boundary_facets(); bare > 0)
    found.push_back(
        fmt::format("{} facets of the mesh's rim are in no physical group: nothing flows through them", bare));
  for (const auto& name : pinned_)
    found.push_back(fmt::format("{} is free up to a constant: it is 0 at the mesh's first vertex", name));
  return found;
}

} // namespace rhumb::text
