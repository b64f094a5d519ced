#include <rhumb/physics/flow/mesh_case.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/physics/flow/case.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::flow {

using core::BadInput;
using core::Options;
using core::Range;

namespace {

const std::vector<std::string> boundary_type_names{"wall", "moving", "inflow", "outflow", "slip"};

/// Formulas in the place, the time and the constant nu.
class MeshCaseReader {
public:
  MeshCaseReader(const Options& options, int dimension, double nu)
      : options_(options), coordinates_(std::string("xyz").substr(0, static_cast<std::size_t>(dimension))), nu_(nu) {}

  std::optional<Expression> formula(const std::string& name, const std::string& about, const std::string& more) {
    const auto text =
        options_.string(name, "", {fmt::format("{}: formula in {}", about, fmt::join(coordinates_ + more, ", "))});
    if (text.empty()) return std::nullopt;
    return Expression(name, text, coordinates_ + more, {{"nu", nu_}});
  }

  MeshBoundary boundary(const std::string& name) {
    const std::string prefix = fmt::format("bc_{}_", name);
    const auto common = options_.choice("bc_type", "wall", boundary_type_names,
                                        {"what happens on the boundaries that do not say it themselves"});
    const auto choice = options_.choice(
        prefix + "type", common, boundary_type_names,
        {fmt::format("what happens on this boundary; moving and inflow have -{0}u, -{0}v, -{0}w (formulas)", prefix)});
    MeshBoundary read{.name = name, .velocity = {}};
    const auto at =
        std::find(boundary_type_names.begin(), boundary_type_names.end(), choice) - boundary_type_names.begin();
    read.type = static_cast<MeshBoundary::Type>(at);
    if (read.type != MeshBoundary::Type::moving && read.type != MeshBoundary::Type::inflow) return read;
    bool any = false;
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      read.velocity[c] = formula(prefix + std::string(1, "uvw"[c]), "velocity on the boundary", "t");
      any = any || read.velocity[c].has_value();
    }
    if (!any)
      throw BadInput(fmt::format("-{}type is {}, which needs a velocity: -{}u, -{}v", prefix, choice, prefix, prefix));
    return read;
  }

  std::vector<std::array<double, 3>> places(const std::string& name, const std::string& about) {
    const auto values = options_.reals(name, {}, {about});
    if (values.size() % coordinates_.size() != 0)
      throw BadInput(
          fmt::format("-{} has {} numbers, which is not a multiple of {}", name, values.size(), coordinates_.size()));
    std::vector<std::array<double, 3>> out(values.size() / coordinates_.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[i / coordinates_.size()][i % coordinates_.size()] = values[i];
    return out;
  }

private:
  const Options& options_;
  std::string coordinates_;
  double nu_;
};

/// What a box has and a mesh has not is refused by name.
void reject_box_options(const Options& options) {
  for (const char* name : {"n", "lower", "upper", "stretch", "solid", "dim", "convection", "formulation", "scalar",
                           "buoyancy", "kappa", "pressure_level"})
    if (options.given(name)) throw BadInput(fmt::format("-{} is for boxes; it has no meaning with -mesh", name));
}

/// Misspelt names of boundaries would only be "not read": here the mesh's own names are at hand.
void reject_unknown_boundaries(const grid::Unstructured& mesh, const Options& options) {
  const auto names = options.string("boundaries", "", {"boundaries that the mesh must name: a,b,c"});
  for (const auto& name : core::split_at_commas(names)) mesh.boundary(name, "boundaries");
}

double read_viscosity(const Options& options) {
  if (options.given("nu") && options.given("re")) throw BadInput("-nu and -re: give one of them; nu = 1/re");
  const double re = options.real("re", 100.0, {"Reynolds number; the viscosity is 1/Re"}, Range::positive());
  return options.real("nu", 1.0 / re, {"kinematic viscosity, instead of -re"}, Range::positive());
}

Body read_body(const Options& options, const grid::Unstructured& mesh) {
  Body body;
  const auto name = options.string("body", "", {"boundary whose force coefficients cd, cl are reported"});
  body.speed = options.real("body_speed", 1.0, {"speed U in c = 2 F / (U^2 A)"}, Range::positive());
  body.length = options.real("body_length", 1.0, {"length L in the Strouhal number L / (U T)"}, Range::positive());
  body.area = options.real("body_area", mesh.dimension() == 2 ? body.length : -1.0,
                           {"area A in c = 2 F / (U^2 A); in the plane the length"}, Range::positive());
  if (!name.empty()) body.boundary = mesh.boundary(name, "body");
  if (!name.empty() && body.area < 0.0) throw BadInput("-body in space needs -body_area, A in c = 2 F / (U^2 A)");
  return body;
}

} // namespace

bool MeshCase::closed() const {
  return std::none_of(boundaries.begin(), boundaries.end(),
                      [](const MeshBoundary& b) { return b.type == MeshBoundary::Type::outflow; });
}

MeshCase read_mesh_case(MPI_Comm comm, const Options& options) {
  const auto problem = options.string("problem", "flow", {"name of the problem, for messages and files"});
  reject_box_options(options);
  MeshCase read{.problem = problem,
                .mesh = grid::read_mesh(comm, options),
                .boundaries = {},
                .force = {},
                .initial = {},
                .exact = {},
                .body = {},
                .probes = {},
                .pressure_pair = {}};
  if (read.mesh.unlabelled_boundary_facets() > 0)
    throw BadInput(
        fmt::format("the mesh {} has {} facets on its rim that belong to no physical group: name them, so that "
                    "it can be said what happens there",
                    read.mesh.file(), read.mesh.unlabelled_boundary_facets()));
  read.order = static_cast<int>(options.integer(
      "order", 2, {"order of the velocity's elements; the pressure's is one less"}, Range::between(2, 3)));
  read.nu = read_viscosity(options);
  read.grad_div = options.real("grad_div", 0.0, {"factor of the term grad(div u) that is added"}, Range::at_least(0.0));
  MeshCaseReader reader(options, read.dimension(), read.nu);
  reject_unknown_boundaries(read.mesh, options);
  for (const auto& name : read.mesh.boundaries()) read.boundaries.push_back(reader.boundary(name));
  for (const auto& name : field_names(read.dimension(), false)) {
    read.initial.push_back(reader.formula("initial_" + name, "start value of " + name, ""));
    read.exact.push_back(reader.formula("exact_" + name, "exact solution, for errors", "t"));
  }
  read.exact_in_elements = options.flag("exact_in_elements", false,
                                        {"the elements hold the exact solution: runs of -fixed_step start from it"});
  const auto missing = [](const std::optional<Expression>& e) { return !e.has_value(); };
  if (read.exact_in_elements && std::any_of(read.exact.begin(), read.exact.end(), missing))
    throw BadInput("-exact_in_elements needs -exact_u and so on for all fields");
  for (int c = 0; c < read.dimension(); ++c)
    read.force[c] = reader.formula(fmt::format("force_{}", "uvw"[c]), "body force", "t");
  read.body = read_body(options, read.mesh);
  read.probes = reader.places("probes", "places whose values are reported: x1,y1[,z1],x2,y2,...");
  read.pressure_pair = reader.places("pressure_pair", "two places whose difference of pressures is reported as dp");
  if (!read.pressure_pair.empty() && read.pressure_pair.size() != 2)
    throw BadInput(fmt::format("-pressure_pair has {} places; it needs two", read.pressure_pair.size()));
  read.t_end = options.real("t_end", read.t_end, {"end of the run", "s"});
  read.speed = options.real("speed", 1.0, {"a typical velocity, for absolute tolerances"}, Range::positive());
  return read;
}

} // namespace rhumb::flow
