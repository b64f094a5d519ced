#include <rhumb/grid/gmsh.hpp>

#include <rhumb/grid/gmsh_reader.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace rhumb::grid {

namespace {

/// Gmsh's number of an element, and what it is. Points and lines may be there, but are not cells.
struct ElementType {
  int number;
  int dimension;
  std::optional<CellShape> shape;
  int order;
  std::size_t nodes;
};

constexpr std::array<ElementType, 16> element_types{{{15, 0, std::nullopt, 1, 1},
                                                     {1, 1, std::nullopt, 1, 2},
                                                     {8, 1, std::nullopt, 2, 3},
                                                     {26, 1, std::nullopt, 3, 4},
                                                     {2, 2, CellShape::triangle, 1, 3},
                                                     {9, 2, CellShape::triangle, 2, 6},
                                                     {21, 2, CellShape::triangle, 3, 10},
                                                     {3, 2, CellShape::quadrilateral, 1, 4},
                                                     {10, 2, CellShape::quadrilateral, 2, 9},
                                                     {36, 2, CellShape::quadrilateral, 3, 16},
                                                     {4, 3, CellShape::tetrahedron, 1, 4},
                                                     {11, 3, CellShape::tetrahedron, 2, 10},
                                                     {29, 3, CellShape::tetrahedron, 3, 20},
                                                     {5, 3, CellShape::hexahedron, 1, 8},
                                                     {12, 3, CellShape::hexahedron, 2, 27},
                                                     {92, 3, CellShape::hexahedron, 3, 64}}};

class Inspection {
public:
  explicit Inspection(const std::filesystem::path& file) : reader_(file) {}

  GmshFile result() {
    read_format();
    for (std::string line; reader_.next_line(line);) {
      if (line.empty()) continue;
      if (line[0] != '$') reader_.reject(fmt::format("'{}' where a section ($Nodes, say) should begin", line));
      section(line.substr(1));
    }
    if (nodes_.empty()) reader_.reject_file("has no $Nodes: it is cut off, or no mesh was made (gmsh -2 or -3)");
    if (!elements_) reader_.reject_file("has no $Elements: it is cut off, or no mesh was made (gmsh -2 or -3)");
    if (shapes_.empty()) reader_.reject_file("has no cells: triangles, quadrilaterals, tetrahedra or hexahedra");
    choose_cells();
    file_.digest = reader_.digest();
    return file_;
  }

private:
  void read_format() {
    std::string line;
    if (!reader_.next_line(line) || line != "$MeshFormat")
      reader_.reject_file("is not a Gmsh mesh: it does not begin with $MeshFormat");
    const auto numbers = reader_.record("MeshFormat", "ddd");
    version_ = numbers[0];
    if (version_ != 4.1 && version_ != 2.2)
      reader_.reject(fmt::format("version {} of Gmsh's format; 4.1 and 2.2 are read (gmsh -format msh41)", version_));
    if (numbers[1] != 0.0) begin_binary(numbers[2]);
    reader_.end("MeshFormat");
  }

  void begin_binary(double size_of_counts) {
    if (version_ != 4.1)
      reader_.reject("a binary file of version 2.2; write it in version 4.1 or as text (gmsh -format msh41)");
    if (size_of_counts != sizeof(std::uint64_t))
      reader_.reject(fmt::format("a binary file whose counts have {} bytes; 8 are read", size_of_counts));
    reader_.become_binary();
    if (reader_.record("MeshFormat", "i")[0] != 1.0)
      reader_.reject("a binary file of a machine with another order of bytes; write it as text (gmsh -format msh41)");
  }

  void section(const std::string& name) {
    if (name == "PhysicalNames") return read_names();
    if (name == "Entities") return read_entities();
    if (name == "Periodic") reader_.reject("a periodic mesh; periodic boundaries are for boxes");
    if (name == "Nodes") return version_ == 4.1 ? read_nodes() : read_nodes_of_old();
    if (name == "Elements") return version_ == 4.1 ? read_elements() : read_elements_of_old();
    for (std::string line; reader_.next_line(line);)
      if (line == "$End" + name) return;
    reader_.reject_file(fmt::format("ends before $End{}: it is cut off", name));
  }

  void read_names() {
    const long count = reader_.count(reader_.text_record("PhysicalNames", 1)[0]);
    for (long i = 0; i < count; ++i) {
      const std::string line = reader_.line("PhysicalNames");
      std::istringstream line_parts(line);
      GmshGroup group;
      char quote = '\0';
      line_parts >> group.dimension >> group.tag;
      // PETSc's reader crashes on 1 1"name", and where more than one blank stands before the quote.
      const bool apart = line_parts && std::isspace(line_parts.get()) != 0;
      line_parts.get(quote);
      const auto from = line.find('"'), to = line.rfind('"');
      if (!apart || quote != '"' || to == from)
        reader_.reject(fmt::format("'{}' is not a dimension, a number, one blank and a name in quotes", line));
      group.name = line.substr(from + 1, to - from - 1);
      // PETSc's reader takes other quotes than the last for the end of the name, and crashes.
      if (group.name.find('"') != std::string::npos || line.find_first_not_of(" \t", to + 1) != std::string::npos)
        reader_.reject(fmt::format("'{}': a name may hold no quote, and nothing may follow it", line));
      if (group.dimension < 0 || group.dimension > 3)
        reader_.reject(fmt::format("a physical group of dimension {}; there are 0 to 3", group.dimension));
      for (const auto& known : file_.groups)
        if (known.dimension == group.dimension && (known.tag == group.tag || known.name == group.name))
          reader_.reject(
              fmt::format("the physical groups '{}' and '{}' have the same number or name", known.name, group.name));
      file_.groups.push_back(group);
    }
    reader_.end("PhysicalNames");
  }

  std::string name_of(int dimension, long tag) const {
    for (const auto& group : file_.groups)
      if (group.dimension == dimension && group.tag == tag) return group.name;
    return fmt::format("number {}", tag);
  }

  void reject_two(int dimension, long entity, long one, long other) {
    constexpr std::array<const char*, 4> what{"point", "curve", "surface", "volume"};
    reader_.reject(fmt::format("{} {} belongs to two physical groups, '{}' and '{}': give it to one of them",
                               what[dimension], entity, name_of(dimension, one), name_of(dimension, other)));
  }

  /// Each: number, box, physical groups, and what bounds it.
  void read_entities() {
    const auto counts = reader_.record("Entities", "ssss");
    for (int dimension = 0; dimension < 4; ++dimension) {
      const std::size_t box = dimension == 0 ? 3 : 6; // coordinates before the groups
      for (long i = 0; i < reader_.count(counts[dimension]); ++i) {
        const auto numbers = reader_.entity(box, dimension > 0);
        const std::size_t size = numbers.size();
        for (std::size_t n = box + 1; n < size; ++n) reader_.whole(numbers[n]);
        if (numbers[box + 1] > 1.0 && dimension > 0)
          reject_two(dimension, reader_.whole(numbers[0]), reader_.whole(numbers[box + 2]),
                     reader_.whole(numbers[box + 3]));
        entities_.emplace(dimension, reader_.whole(numbers[0]));
      }
    }
    reader_.end("Entities");
  }

  void add_node(double number) {
    if (!nodes_.insert(reader_.whole(number)).second)
      reader_.reject(fmt::format("node {} for the second time", number));
  }

  void check_entity(const std::vector<double>& head) {
    if (!entities_.contains({static_cast<int>(reader_.whole(head[0])), reader_.whole(head[1])}))
      reader_.reject(fmt::format("entity {} of dimension {} is not in $Entities", head[1], head[0]));
  }

  void read_nodes() {
    const auto all = reader_.record("Nodes", "ssss");
    for (long block = 0; block < reader_.count(all[0]); ++block) {
      const auto head = reader_.record("Nodes", "iiis");
      check_entity(head);
      if (head[2] != 0.0) reader_.reject("parametric coordinates; write them without (Mesh.SaveParametric 0)");
      const long count = reader_.count(head[3]);
      for (long i = 0; i < count; ++i) {
        add_node(reader_.record("Nodes", "s")[0]);
      }
      for (long i = 0; i < count; ++i) reader_.record("Nodes", "ddd");
    }
    reader_.end("Nodes");
    const bool as_announced = static_cast<double>(nodes_.size()) == all[1] && !nodes_.empty() &&
                              static_cast<double>(*nodes_.begin()) == all[2] &&
                              static_cast<double>(*nodes_.rbegin()) == all[3];
    if (!as_announced) reader_.reject("the nodes are not those that $Nodes announces in its first line");
  }

  void read_nodes_of_old() {
    const long count = reader_.count(reader_.text_record("Nodes", 1)[0]);
    for (long i = 0; i < count; ++i) {
      add_node(reader_.text_record("Nodes", 4)[0]);
    }
    reader_.end("Nodes");
  }

  /// Nodes of an element: known ones, all different.
  std::vector<long> nodes_of(const ElementType& type, const std::vector<double>& numbers, std::size_t first) const {
    reader_.expect(numbers, first + type.nodes, "Elements");
    std::vector<long> nodes;
    for (std::size_t i = first; i < numbers.size(); ++i) {
      nodes.push_back(reader_.whole(numbers[i]));
      if (!nodes_.contains(nodes.back())) reader_.reject(fmt::format("node {} is not in $Nodes", nodes.back()));
    }
    std::sort(nodes.begin(), nodes.end());
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end()) reader_.reject("an element with a node twice");
    return nodes;
  }

  void read_elements() {
    const auto all = reader_.record("Elements", "ssss");
    long seen = 0;
    for (long block = 0; block < reader_.count(all[0]); ++block) {
      const auto head = reader_.record("Elements", "iiis");
      const auto& type = note(reader_.whole(head[2]));
      check_entity(head);
      if (head[0] != type.dimension)
        reader_.reject(fmt::format("no element of dimension {} has type {}", head[0], head[2]));
      for (long i = 0; i < reader_.count(head[3]); ++i, ++seen) {
        const auto numbers = reader_.record("Elements", std::string(1 + type.nodes, 's'));
        reader_.whole(numbers[0]);
        nodes_of(type, numbers, 1);
      }
    }
    reader_.end("Elements");
    if (static_cast<double>(seen) != all[1]) reader_.reject(fmt::format("{} elements instead of {}", seen, all[1]));
    elements_ = true;
  }

  /// Version 2.2: number, type, number of tags, tags (the first is the physical group), nodes.
  void read_elements_of_old() {
    const long count = reader_.count(reader_.text_record("Elements", 1)[0]);
    std::map<std::vector<long>, long> group_of;
    for (long i = 0; i < count; ++i) {
      const auto numbers = reader_.numbers("Elements", 4);
      const auto& type = note(reader_.whole(numbers[1]));
      const auto tags = static_cast<std::size_t>(reader_.count(numbers[2]));
      auto nodes = nodes_of(type, numbers, 3 + tags);
      if (type.dimension == 0 || tags == 0) continue;
      const long group = reader_.whole(numbers[3]);
      const auto [at, is_new] = group_of.emplace(std::move(nodes), group);
      if (!is_new && at->second != group) reject_two(type.dimension, reader_.whole(numbers[0]), at->second, group);
    }
    reader_.end("Elements");
    elements_ = true;
  }

  const ElementType& note(long number) {
    const auto* type = std::find_if(element_types.begin(), element_types.end(),
                                    [&](const ElementType& known) { return known.number == number; });
    if (type == element_types.end())
      reader_.reject(fmt::format("element type {} is not known here; cells may be triangles, quadrilaterals, "
                                 "tetrahedra or hexahedra with all their nodes, of order 1 to 3",
                                 number));
    if (type->shape) shapes_.insert(type);
    return *type;
  }

  /// The cells are what has the highest dimension; all of one shape and order.
  void choose_cells() {
    for (const auto* type : shapes_) file_.dimension = std::max(file_.dimension, type->dimension);
    const ElementType* cells = nullptr;
    for (const auto* type : shapes_) {
      if (type->dimension != file_.dimension) continue;
      if (cells && (cells->shape != type->shape || cells->order != type->order))
        reader_.reject_file("has cells of several shapes or orders; one mesh has one kind "
                            "(for quadrilaterals and hexahedra alone: Recombine, or transfinite surfaces)");
      cells = type;
    }
    file_.shape = *cells->shape;
    file_.order = cells->order;
  }

  GmshReader reader_;
  GmshFile file_;
  double version_ = 0.0;
  std::set<std::pair<int, long>> entities_;
  std::set<long> nodes_;
  bool elements_ = false;
  std::set<const ElementType*> shapes_;
};

} // namespace

GmshFile inspect_gmsh(const std::filesystem::path& file) {
  return Inspection(file).result();
}

std::string text(const GmshFile& file) {
  std::string out = fmt::format("{} {} {} {}\n", file.dimension, static_cast<int>(file.shape), file.order, file.digest);
  for (const auto& group : file.groups) out += fmt::format("{} {} {}\n", group.dimension, group.tag, group.name);
  return out;
}

GmshFile gmsh_from_text(const std::string& text) {
  std::istringstream line_parts(text);
  GmshFile file;
  int shape = 0;
  line_parts >> file.dimension >> shape >> file.order >> file.digest;
  file.shape = static_cast<CellShape>(shape);
  for (GmshGroup group; line_parts >> group.dimension >> group.tag && std::getline(line_parts >> std::ws, group.name);)
    file.groups.push_back(group);
  return file;
}

} // namespace rhumb::grid
