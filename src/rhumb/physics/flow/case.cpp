#include <rhumb/physics/flow/case.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace rhumb::flow {

using core::BadInput;
using core::Options;
using core::Range;

namespace {

/// Reads options whose defaults come from the preset of the problem.
class CaseReader {
public:
  CaseReader(const Options& options, Preset preset, std::string coordinates, double nu)
      : options_(options), preset_(std::move(preset)), coordinates_(std::move(coordinates)), nu_(nu) {}

  std::string default_of(const std::string& name, const std::string& otherwise) const {
    const auto found = preset_.find(name);
    return found == preset_.end() ? otherwise : found->second;
  }
  double real(const std::string& name, double otherwise, const core::About& about, const Range& range = {}) {
    return options_.real(name, core::parse_real(default_of(name, "")).value_or(otherwise), about, range);
  }
  std::string choice(const std::string& name, const std::string& otherwise, const std::vector<std::string>& choices,
                     const core::About& about) {
    return options_.choice(name, default_of(name, otherwise), choices, about);
  }
  std::vector<double> reals(const std::string& name, const core::About& about, const Range& range = {}) {
    std::vector<double> values;
    for (const auto& choice : core::split_at_commas(default_of(name, ""))) values.push_back(*core::parse_real(choice));
    return options_.reals(name, values, about, range);
  }
  /// A formula in the place, the time, and the constant nu; none where the option is not given.
  std::optional<Expression> formula(const std::string& name, const core::About& about, const std::string& more = "t") {
    const auto text = options_.string(name, default_of(name, ""), about);
    if (text.empty()) return std::nullopt;
    return Expression(name, text, coordinates_ + more, {{"nu", nu_}});
  }
  const std::string& coordinates() const { return coordinates_; }
  const Options& options() { return options_; }

private:
  const Options& options_;
  Preset preset_;
  std::string coordinates_;
  double nu_;
};

grid::BoxShape read_shape(const Options& options, const std::string& problem, int dimension) {
  const Preset sizes = size_preset(problem, dimension);
  grid::BoxShape shape;
  const auto reals = [&](const char* name) {
    std::vector<double> values;
    for (const auto& choice : core::split_at_commas(sizes.at(name))) values.push_back(*core::parse_real(choice));
    return values;
  };
  for (const double cells : reals("n")) shape.cells.push_back(static_cast<PetscInt>(cells));
  const auto lower = reals("lower"), upper = reals("upper");
  std::copy(lower.begin(), lower.end(), shape.lower.begin());
  std::copy(upper.begin(), upper.end(), shape.upper.begin());
  shape = grid::read_box(options, shape);
  if (shape.dimension() != dimension)
    throw BadInput(fmt::format("-n has {} number{}, but -dim is {}", shape.dimension(),
                               shape.dimension() == 1 ? "" : "s", dimension));
  return shape;
}

int read_dimension(const Options& options) {
  const auto dimension = options.integer("dim", 2, {"directions of the flow: 2 or 3"}, Range::between(2, 3));
  return static_cast<int>(dimension);
}

std::string formula_in(const std::string& variables) {
  return fmt::format("formula in {}", fmt::join(variables, ", "));
}

Side read_side(CaseReader& reader, std::size_t number, bool scalar) {
  const std::string prefix = fmt::format("bc_{}_", grid::side_names[number]);
  const std::vector<std::string> choices(side_type_names.begin(), side_type_names.end());
  const auto common =
      reader.choice("bc_type", "wall", choices, {"what happens on the sides that do not say it themselves"});
  const auto choice = reader.choice(
      prefix + "type", common, choices,
      {fmt::format("what happens on this side; moving and inflow have -{0}u, -{0}v, -{0}w (formulas)", prefix)});
  Side side;
  const bool given = choice == "moving" || choice == "inflow";
  const auto file = given ? reader.options().string(prefix + "file", "",
                                                    {"table of velocities of the side: CSV with columns among x, y, z, "
                                                     "t and u, v, w"})
                          : "";
  if (!file.empty())
    side.table =
        std::make_shared<const SideTable>(prefix + "file", file, static_cast<int>(reader.coordinates().size()));
  for (std::size_t i = 0; i < side_type_names.size(); ++i)
    if (choice == side_type_names[i]) side.type = static_cast<Side::Type>(i);
  if (given) {
    bool any = side.table != nullptr;
    for (std::size_t c = 0; c < reader.coordinates().size(); ++c) {
      const std::string name = prefix + std::string(1, "uvw"[c]);
      const bool in_table = side.table && side.table->has(static_cast<int>(c));
      if (in_table && reader.options().given(name))
        throw BadInput(fmt::format("-{}: the file of -{}file has that component too; give it once", name, prefix));
      if (!in_table)
        side.velocity[c] = reader.formula(name, {"velocity of the side: " + formula_in(reader.coordinates() + "t")});
      any = any || side.velocity[c].has_value();
      if (side.type == Side::Type::moving && c == number / 2 && (side.velocity[c] || in_table))
        throw BadInput(fmt::format("-{}: a moving wall moves along itself; use -{}type inflow", name, prefix));
    }
    if (!any)
      throw BadInput(fmt::format("-{}type is {}, which needs a velocity: -{}u, -{}v or -{}file", prefix, choice, prefix,
                                 prefix, prefix));
  }
  if (!scalar) return side;
  const auto kind = reader.choice(
      prefix + "scalar_type", "insulated", {"insulated", "value", "flux"},
      {fmt::format("what happens to the scalar on this side; value and flux have -{}scalar (a formula)", prefix)});
  if (kind == "insulated") return side;
  side.scalar_type = kind == "value" ? Side::Scalar::value : Side::Scalar::flux;
  side.scalar = reader.formula(prefix + "scalar", {"scalar on the side, or its normal derivative (flux over kappa)"});
  if (!side.scalar) throw BadInput(fmt::format("-{}scalar_type is {}, which needs -{}scalar", prefix, kind, prefix));
  return side;
}

void read_sides(CaseReader& reader, Case& read) {
  for (std::size_t s = 0; s < 2 * read.shape.cells.size(); ++s) read.sides[s] = read_side(reader, s, read.has_scalar);
  for (std::size_t d = 0; d < read.shape.cells.size(); ++d) {
    const bool lower = read.sides[2 * d].type == Side::Type::periodic;
    if (lower != (read.sides[2 * d + 1].type == Side::Type::periodic))
      throw BadInput(fmt::format("-bc_{}_type and -bc_{}_type: a direction is periodic on both sides or on neither",
                                 grid::side_names[2 * d], grid::side_names[2 * d + 1]));
    read.shape.periodic[d] = lower;
    if (!lower || read.stretch[d] == 0.0) continue;
    if (reader.options().given("stretch"))
      throw BadInput(fmt::format("-stretch: the {} direction is periodic and must be uniform", "xyz"[d]));
    read.stretch[d] = 0.0;
  }
}

void read_fields(CaseReader& reader, Case& read) {
  const int dimension = read.shape.dimension();
  const auto names = field_names(dimension, read.has_scalar);
  for (const auto& name : names) {
    read.initial.push_back(reader.formula("initial_" + name, {"start value of " + name}, ""));
    read.exact.push_back(reader.formula("exact_" + name, {"exact solution, for errors"}));
    read.semidiscrete.push_back(
        reader.formula("semidiscrete_" + name, {"exact solution of the equations on this grid, for errors in time"}));
  }
  for (std::size_t c = 0; c < read.shape.cells.size(); ++c)
    read.force[c] = reader.formula("force_" + names[c], {"body force: " + formula_in(reader.coordinates() + "t")});
  read.solid = reader.formula("solid", {"obstacle: " + formula_in(reader.coordinates()) + " that is not 0 inside"}, "");
}

std::vector<std::array<double, 3>> read_probes(CaseReader& reader, const grid::BoxShape& shape) {
  const auto reals = reader.reals("probes", {"places whose values are reported: x1,y1[,z1],x2,y2,..."});
  const auto dimension = shape.cells.size();
  if (reals.size() % dimension != 0)
    throw BadInput(fmt::format("-probes has {} numbers, which is not a multiple of {}", reals.size(), dimension));
  std::vector<std::array<double, 3>> probes;
  for (std::size_t i = 0; i < reals.size(); i += dimension) {
    std::array<double, 3> coordinates{};
    for (std::size_t d = 0; d < dimension; ++d) {
      coordinates[d] = reals[i + d];
      if (coordinates[d] < shape.lower[d] || coordinates[d] > shape.upper[d])
        throw BadInput(fmt::format("-probes: probe {} lies outside the box in {}", i / dimension + 1, "xyz"[d]));
    }
    probes.push_back(coordinates);
  }
  return probes;
}

void read_scalar(CaseReader& reader, Case& read) {
  const auto choice = reader.choice("scalar", "no", {"no", "yes"}, {"whether a scalar T is carried along"});
  read.has_scalar = choice == "yes";
  const auto buoyancy = reader.reals("buoyancy", {"force per unit of the scalar: bx,by[,bz]"});
  if (!buoyancy.empty() && !read.has_scalar) throw BadInput("-buoyancy needs -scalar yes");
  if (buoyancy.size() > read.shape.cells.size())
    throw BadInput(fmt::format("-buoyancy has {} numbers, but -dim is {}", buoyancy.size(), read.shape.cells.size()));
  std::copy(buoyancy.begin(), buoyancy.end(), read.buoyancy.begin());
  if (read.has_scalar) read.kappa = reader.real("kappa", read.nu, {"diffusivity of the scalar"}, Range::at_least(0.0));
}

void read_methods(CaseReader& reader, Case& read) {
  const auto form = reader.choice("formulation", "index2", {"index2", "index1"},
                                  {"the constraint as it stands, or differentiated once"});
  read.formulation = form == "index2" ? Formulation::index2 : Formulation::index1;
  const auto convection =
      reader.choice("convection", "skew", {"skew", "divergence", "upwind3"}, {"form of the convective terms"});
  read.convection = convection == "skew"         ? Convection::skew
                    : convection == "divergence" ? Convection::divergence
                                                 : Convection::upwind3;
  const auto beyond = reader.choice("sides", "linear", {"linear", "quadratic"},
                                    {"how velocities go on beyond sides: quadratic makes the pressure at corners and "
                                     "outflows more exact"});
  read.quadratic_sides = beyond == "quadratic";
  const auto level = reader.choice("pressure_level", "automatic", {"automatic", "mean", "pinned"},
                                   {"what fixes the constant in the pressure where no side does"});
  read.level = level == "automatic" ? Level::automatic : level == "pinned" ? Level::pinned : Level::mean;
  const auto stretch = reader.reals("stretch", {"how much cells are drawn to the walls, per direction; 0: uniform"},
                                    Range::between(0.0, 4.0));
  if (stretch.size() > read.shape.cells.size())
    throw BadInput(fmt::format("-stretch has {} numbers, but -dim is {}", stretch.size(), read.shape.cells.size()));
  std::copy(stretch.begin(), stretch.end(), read.stretch.begin());
}

RandomWaves read_turbulence(CaseReader& reader, const grid::BoxShape& shape) {
  double longest = 0.0;
  for (int d = 0; d < shape.dimension(); ++d) longest = std::max(longest, shape.upper[d] - shape.lower[d]);
  RandomWaves waves;
  waves.intensity =
      reader.real("turbulence", 0.0, {"root mean square of each component of a random velocity at the start"},
                  Range::at_least(0.0));
  waves.wavenumber = reader.real("turbulence_wavenumber", 8.0 * std::numbers::pi / longest,
                                 {"where its spectrum has its peak"}, Range::positive());
  const auto& options = reader.options();
  waves.count = options.integer("turbulence_waves", 200, {"number of its plane waves"}, Range::between(1, 100'000));
  waves.seed = static_cast<std::uint64_t>(
      options.integer("turbulence_seed", 1, {"another number gives another velocity"}, Range::between(0, 1e15)));
  return waves;
}

Selection read_selection(CaseReader& reader, const grid::BoxShape& shape) {
  Selection selection;
  selection.region = reader.reals("out_region", {"part of the box that snapshots hold: x0,x1,y0,y1[,z0,z1]"});
  selection.every = reader.options().integer("out_every", 1, {"snapshots hold every k-th cell in each direction"},
                                             Range::at_least(1));
  if (selection.region.empty()) return selection;
  if (selection.region.size() != 2 * shape.cells.size())
    throw BadInput(fmt::format("-out_region has {} numbers, but needs {}: lower and upper end per direction",
                               selection.region.size(), 2 * shape.cells.size()));
  for (std::size_t d = 0; d < shape.cells.size(); ++d)
    if (!(selection.region[2 * d] < selection.region[2 * d + 1]))
      throw BadInput(fmt::format("-out_region: the ends in {} do not ascend", "xyz"[d]));
  return selection;
}

/// What runs of practice add to the equations, the start and the output.
void read_practice(CaseReader& reader, Case& read) {
  const auto& options = reader.options();
  const int dimension = read.shape.dimension();
  read.turbulence = read_turbulence(reader, read.shape);
  read.selection = read_selection(reader, read.shape);
  const double bulk = options.real("bulk_velocity", 0.0, {"mean velocity in x that a force along x keeps"});
  if (options.given("bulk_velocity")) read.bulk_velocity = bulk;
  if (read.bulk_velocity && !read.shape.periodic[0])
    throw BadInput("-bulk_velocity: the flow in x must be periodic (-bc_left_type periodic -bc_right_type periodic)");
  if (read.bulk_velocity && read.formulation == Formulation::index1)
    throw BadInput("-bulk_velocity is for -formulation index2");
  const auto model = options.choice("subgrid", "none", {"none", "smagorinsky", "wale"},
                                    {"model of the scales that the grid does not carry"});
  read.subgrid = model == "none" ? Subgrid::none : model == "wale" ? Subgrid::wale : Subgrid::smagorinsky;
  if (read.subgrid == Subgrid::wale && dimension == 2) throw BadInput("-subgrid wale is for three directions (-dim 3)");
  read.subgrid_constant = options.real("subgrid_constant", model == "wale" ? 0.5 : 0.17,
                                       {"its constant; for smagorinsky 0.17, for wale 0.5"}, Range::at_least(0.0));
  read.backflow = options.real("backflow", 1.0,
                               {"share of the kinetic energy of fluid that comes in through an outflow that is taken "
                                "from it"},
                               Range::between(0.0, 2.0));
  const double from = options.real("average_from", 0.0, {"time from which averages over time are taken"});
  if (options.given("average_from")) read.average_from = from;
}

} // namespace

std::vector<std::string> field_names(int dimension, bool scalar) {
  std::vector<std::string> names{"u", "v"};
  if (dimension == 3) names.emplace_back("w");
  names.emplace_back("p");
  if (scalar) names.emplace_back("T");
  return names;
}

bool Case::closed() const {
  for (std::size_t s = 0; s < 2 * shape.cells.size(); ++s)
    if (sides[s].type == Side::Type::outflow) return false;
  return true;
}

Case read_case(const Options& options) {
  Case read;
  read.problem = options.choice("problem", "cavity", preset_names(), {"what is solved; its options can be changed"});
  const int dimension = read_dimension(options);
  double reynolds = *core::parse_real(size_preset(read.problem, dimension).at("re"));
  if (read.problem == "plume") {
    const double rayleigh = options.real("ra", 1e4, {"Rayleigh number"}, Range::positive());
    reynolds = std::sqrt(rayleigh / options.real("pr", 0.71, {"Prandtl number, nu/kappa"}, Range::positive()));
  }
  read.nu = 1.0 / options.real("re", reynolds, {"Reynolds number; the viscosity is 1/Re"}, Range::positive());
  read.shape = read_shape(options, read.problem, dimension);
  CaseReader reader(options, preset(read.problem, {dimension, read.nu, read.shape.cells}, options),
                    std::string("xyz").substr(0, static_cast<std::size_t>(dimension)), read.nu);
  read.t_end = *core::parse_real(reader.default_of("t_end", "1"));
  read_methods(reader, read);
  read_scalar(reader, read);
  read_sides(reader, read);
  read_fields(reader, read);
  read.probes = read_probes(reader, read.shape);
  read_practice(reader, read);
  read.speed = reader.real("speed", 1.0, {"a typical velocity, for absolute tolerances"}, Range::positive());
  return read;
}

} // namespace rhumb::flow
