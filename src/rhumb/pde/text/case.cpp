#include <rhumb/pde/text/case_reader.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula_message.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/io/stored_field.hpp>
#include <rhumb/pde/fem/lagrange.hpp>
#include <rhumb/pde/text/assignment.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::text {

namespace {

/// The parts between commas that stand outside of brackets, without blanks around them.
std::vector<std::string> split_outside_brackets(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (auto& part : parts) {
    part.erase(0, part.find_first_not_of(" \t\n"));
    part.erase(part.find_last_not_of(" \t\n") + 1);
  }
  std::erase(parts, "");
  return parts;
}

/// Where the one '=' of an equation stands; npos where there is none, or several.
std::size_t position_of_equals(const std::string& text) {
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!')) continue;
    if (found != std::string::npos) return std::string::npos;
    found = i;
  }
  return found;
}

} // namespace

/// All options NAME_..., which come from a map of that name; they count as read.
std::vector<CaseReader::Item> CaseReader::items(const std::string& map, const std::string& about) {
  std::vector<Item> found;
  const std::string prefix = map + "_";
  for (const auto& value : given_) {
    if (!core::to_lower(value.name).starts_with(prefix)) continue;
    const std::string key = value.name.substr(prefix.size());
    const std::string where =
        value.location.empty() ? "option -" + value.name : value.location + ": " + map + ", " + key;
    if (value.value.empty())
      throw core::BadInput(
          fmt::format("{}: a value is missing. In {{...}} a comma ends an entry: write a formula that has "
                      "commas on a line of its own, or in quotes",
                      where));
    options_.string(value.name, "", {about});
    found.push_back({key, {value.value, where}});
  }
  return found;
}

std::string CaseReader::location(const std::string& name) const {
  const auto found = std::ranges::find_if(
      given_, [&](const auto& v) { return core::to_lower(v.name) == name || core::to_lower(v.name) == name + "_1"; });
  return found == given_.end() || found->location.empty() ? "option -" + name : found->location + ": " + name;
}

void CaseReader::read_geometry() {
  case_.moving = options_.flag("moving", false, {"points move to where the solution is steep: on a line, in a plane"});
  options_.string("mesh", "", grid::about_mesh()).empty() ? read_box() : read_mesh();
}

void CaseReader::read_mesh() {
  for (const char* name : {"n", "lower", "upper", "periodic"})
    if (options_.given(name))
      throw core::BadInput(fmt::format("{}: this belongs to boxes, and the case has a mesh{}", location(name),
                                       name == std::string("n") ? ": -refine 1 halves its cells" : ""));
  case_.mesh =
      with_location("mesh", [&] { return std::make_unique<grid::Unstructured>(grid::read_mesh(comm_, options_)); });
  case_.model.dimension = case_.mesh->dimension();
  case_.sides = case_.mesh->boundaries();
  if (!case_.moving) language_.add_regions(case_.mesh->regions());
}

void CaseReader::read_box() {
  grid::BoxShape default_value;
  default_value.cells = {32, 32};
  const auto words = options_.string("periodic", "", {"directions in which the box is periodic, such as x,y"});
  for (const auto& word : core::split_at_commas(words)) {
    const auto direction = word.size() == 1 ? std::string("xyz").find(word) : std::string::npos;
    if (direction == std::string::npos)
      throw core::BadInput(fmt::format("{}: '{}' is no direction: x, y, z are", location("periodic"), word));
    default_value.periodic[direction] = true;
  }
  case_.shape = with_location("n", [&] { return grid::read_box(options_, default_value); });
  case_.model.dimension = case_.shape.dimension();
  case_.sides.assign(grid::side_names.begin(), grid::side_names.begin() + 2 * case_.model.dimension);
  for (std::size_t d = case_.shape.cells.size(); d < 3; ++d)
    if (case_.shape.periodic[d])
      throw core::BadInput(fmt::format("{}: the box has no direction {}: -n has {} number{}", location("periodic"),
                                       "xyz"[d], case_.shape.cells.size(), case_.shape.cells.size() == 1 ? "" : "s"));
}

void CaseReader::read_names() {
  const std::string names =
      options_.string("fields", "u", {"names of the fields, between commas; 'vector v' is a vector"});
  for (auto name : core::split_at_commas(names)) {
    const bool is_vector = name.starts_with("vector ");
    if (is_vector) name.erase(0, name.find_first_not_of(' ', 7));
    language_.add_field(name, is_vector, location("fields"));
  }
  if (case_.model.fields.empty()) throw core::BadInput(location("fields") + ": names are wanted");
  for (const auto& item : items("parameters", "value of a parameter"))
    language_.add_parameter(item.key, options_.real("parameters_" + item.key, 0.0, {"value of a parameter"}),
                            item.source.origin);
  for (const auto& item : items("definitions", "a formula with a name"))
    language_.add_definition(item.key, item.source);
}

void CaseReader::read_tables() {
  constexpr std::size_t max_size = std::size_t{1} << 16U;
  for (const auto& item : items("tables", "a file of a function: two numbers on each line")) {
    std::string text;
    core::run_on_root(comm_, [&] { text = core::read_input_file(item.source.text, max_size, "a table"); });
    language_.add_table(item.key, parse_table(core::broadcast(comm_, std::move(text)), item.source.text),
                        item.source.origin);
  }
}

void CaseReader::read_equation(const Source& source) {
  const auto equals = position_of_equals(source.text);
  if (equals == std::string::npos)
    core::formula::reject(source.origin, source.text,
                          source.text.find_last_of('=') == std::string::npos ? source.text.size()
                                                                             : source.text.find_last_of('='),
                          "an equation has one '=' between its two sides");
  const Allowed allowed{.rates = true, .derivatives = true, .reductions = true};
  Source left{source.text.substr(0, equals), source.origin + ", left side"};
  Source right{source.text.substr(equals + 1), source.origin + ", right side"};
  Value a = language_.parse(left, allowed), b = language_.parse(right, allowed);
  check_probes(source.origin);
  Graph& graph = case_.model.graph;
  const auto widen = [&](Value& narrow, const Value& wide) { // 0 = a vector
    if (narrow.rank < wide.rank && graph.is_zero(narrow.nodes[0]))
      narrow = {wide.rank, std::vector<Node>(wide.nodes.size(), narrow.nodes[0])};
  };
  widen(a, b);
  widen(b, a);
  if (a.rank != b.rank)
    core::formula::reject(source.origin, source.text, equals, "one side is a vector and the other is not");
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    case_.model.equations.push_back({graph.subtract(a.nodes[i], b.nodes[i]), source});
}

void CaseReader::read_equations() {
  auto given = items("equations", "an equation");
  std::ranges::sort(given, {}, [](const Item& item) {
    const auto index = core::parse_integer(item.key);
    return std::pair{index.value_or(0), item.key};
  });
  for (auto& item : given)
    item.source.origin = item.source.origin.substr(0, item.source.origin.rfind(", ")) + " " + item.key;
  const auto all =
      options_.string("equations", "", {"the equations, such as dt(u) = lap(u), between commas or as a list"});
  for (const auto& text : split_outside_brackets(all)) given.push_back({"", {text, location("equations")}});
  case_.has_equations = !given.empty();
  for (const auto& item : given) read_equation(item.source);
  if (!case_.has_equations)
    for (std::size_t f = 0; f < case_.model.fields.size(); ++f)
      case_.model.equations.push_back({case_.model.graph.symbol(Symbol::Kind::rate, f), {}});
}

std::vector<std::size_t> CaseReader::fields_of(const std::string& name, const std::string& origin) const {
  auto found = language_.components(name);
  if (!found.empty()) return found;
  const auto names = language_.field_names();
  const auto meant = core::nearest(name, names);
  throw core::BadInput(fmt::format("{}: '{}' is no field{}: there are {}", origin, name,
                                   meant.empty() ? "" : fmt::format(", did you mean '{}'?", meant),
                                   fmt::join(names, ", ")));
}

/// One node for each of the fields; 0 serves for all components of a vector.
std::vector<Node> CaseReader::values_for(const std::vector<std::size_t>& fields, const Source& source,
                                         const Allowed& allowed) {
  const Value value = language_.parse(source, allowed);
  if (value.nodes.size() == fields.size() && (value.rank == 1 || fields.size() == 1)) return value.nodes;
  if (value.rank == 0 && case_.model.graph.is_zero(value.nodes[0]))
    return std::vector<Node>(fields.size(), value.nodes[0]);
  throw core::BadInput(fmt::format("{}: {} wanted: {}", source.origin,
                                   fields.size() > 1 ? "a vector is" : "a number, not a vector, is", source.text));
}

void CaseReader::read_initial() {
  case_.model.initial.assign(case_.model.fields.size(), case_.model.graph.constant(0.0));
  for (const auto& item : items("initial", "values of a field at the start")) {
    const auto fields = fields_of(item.key, item.source.origin);
    if (item.source.text.starts_with("from ")) {
      read_stored(item, fields);
      continue;
    }
    const auto nodes = values_for(fields, item.source, {.fields = false, .noise = true});
    for (std::size_t i = 0; i < fields.size(); ++i) case_.model.initial[fields[i]] = nodes[i];
  }
}

/// "from FOLDER": the field of that name in another run.
void CaseReader::read_stored(const Item& item, const std::vector<std::size_t>& fields) {
  const std::string folder = item.source.text.substr(item.source.text.find_first_not_of(' ', 5));
  const auto reject = [&](const std::string& why) {
    throw core::BadInput(fmt::format("{}: {}", item.source.origin, why));
  };
  if (case_.moving) reject("where points move, initial values are formulas");
  for (const std::size_t f : fields) {
    auto field = [&] {
      try {
        return io::read_stored_field(comm_, folder, case_.model.fields[f].name);
      } catch (const core::BadInput& error) {
        throw core::BadInput(fmt::format("{}: {}", item.source.origin, error.what()));
      }
    }();
    if (static_cast<int>(field.directions()) != case_.model.dimension)
      reject(fmt::format("the run in '{}' has {} direction{}, this one {}", folder, field.directions(),
                         field.directions() == 1 ? "" : "s", case_.model.dimension));
    for (std::size_t d = 0; !case_.mesh && d < case_.shape.cells.size(); ++d)
      if (case_.shape.periodic[d]) field.repeat(d, case_.shape.upper[d]);
    case_.stored.emplace(f, std::move(field));
  }
}

void CaseReader::check_probes(const std::string& origin) {
  case_.origins.resize(case_.model.reductions.size(), origin);
  const bool in_order = !is_weak() || case_.model.dimension == 1;
  if (!in_order) {
    if (std::ranges::find(case_.model.reductions, Reduction::Kind::position, &Reduction::kind) !=
        case_.model.reductions.end())
      throw core::BadInput(fmt::format("{}: position(...) is for boxes: on a mesh take integrals or at(...)", origin));
  }
  if (case_.mesh) return;
  for (const auto& reduction : case_.model.reductions)
    for (std::size_t d = 0; d < reduction.position.size(); ++d)
      if (!(reduction.position[d] >= case_.shape.lower[d] && reduction.position[d] <= case_.shape.upper[d]))
        throw core::BadInput(
            fmt::format("{}: at(..., {}): this lies outside of the box", origin, fmt::join(reduction.position, ", ")));
}

void CaseReader::read_figures() {
  for (auto& item : items("figures", "a figure to report, such as integral(u)")) {
    constexpr std::string_view along = "along:"; // position(u, 0.5, along: x): a word for the reader
    for (auto at = item.source.text.find(along); at != std::string::npos; at = item.source.text.find(along, at))
      item.source.text.replace(at, along.size(), along.size(), ' ');
    const Node node = language_.parse_scalar(item.source, {.derivatives = true, .reductions = true});
    const auto differs = [](const Entry& entry) { return entry.op == Op::symbol && !entry.symbol.uniform(); };
    if (case_.model.graph.depends(node, differs))
      throw core::BadInput(fmt::format("{}: '{}' differs from point to point: take its integral(...), average(...), "
                                       "minimum(...), maximum(...) or at(..., x, ...)",
                                       item.source.origin, item.source.text));
    check_probes(item.source.origin);
    case_.model.figures.push_back({item.key, node});
  }
}

/// Elements of -order, or of an order for each field. A field of index 2, such as a pressure, has one less than the
/// others unless it is said: elements of the same order let it alternate from node to node.
void CaseReader::read_orders() {
  const auto& fields = case_.model.fields;
  const auto is_constraint = [](const FieldInfo& field) { return field.kind == dae::Kind::index2; };
  const auto given = items("order", "order of a field's elements");
  const int order = fem::read_order(options_, std::ranges::any_of(fields, is_constraint) ? 2 : 1);
  for (const auto& field : fields) case_.orders.push_back(is_constraint(field) ? std::max(1, order - 1) : order);
  for (const auto& item : given) {
    const auto found = core::parse_integer(item.source.text);
    if (!found || *found < 1 || *found > 3)
      throw core::BadInput(
          fmt::format("{}: the order of elements is 1, 2 or 3, not {}", item.source.origin, item.source.text));
    for (const std::size_t f : fields_of(item.key, item.source.origin)) case_.orders[f] = static_cast<int>(*found);
  }
}

/// What does not go with points that move, as far as it can be said before the equations are known.
void CaseReader::read_moving() {
  const auto refuse = [&](const std::string& name, const std::string& why) {
    throw core::BadInput(fmt::format("{}: {}", location(name), why));
  };
  if (case_.model.dimension > 2) refuse("moving", "points move on a line or in a plane, not in space");
  if (std::ranges::find(case_.shape.periodic, true) != case_.shape.periodic.end())
    refuse("periodic", "a box whose points move is not periodic");
  case_.monitor = language_.parse_scalar(
      {options_.string("own_monitor", "1", {"what attracts points, a positive formula, for -monitor own"}),
       location("own_monitor")},
      {.derivatives = true});
}

Case CaseReader::read() {
  case_.title = options_.string("title", "pde", {"name of the case"});
  read_geometry();
  read_names();
  read_tables();
  read_equations();
  read_figures(); // may add fields for higher derivatives
  if (case_.moving) read_moving();
  if (is_weak()) language_.lower_for_weak_forms();
  read_initial();
  read_boundary();
  if (is_weak()) hold_rates();
  with_location("equations", [&] { assign_equations(case_.model); });
  if (case_.mesh && !case_.moving) read_orders();
  return std::move(case_);
}

Case read_case(MPI_Comm comm, const core::Options& options) {
  return CaseReader(comm, options).read();
}

} // namespace rhumb::text
