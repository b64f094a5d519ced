#include "grid/gmsh.hpp"

#include "core/failure.hpp"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

namespace rhumb::grid {

using core::BadInput;

namespace {

/// Gmsh's number of an element, and what it is. Points and lines may be there, but are not cells.
struct ElementType {
  int number;
  int dimension;
  std::optional<Shape> shape;
  int order;
};

constexpr std::array<ElementType, 16> element_types{{{15, 0, std::nullopt, 1},
                                                     {1, 1, std::nullopt, 1},
                                                     {8, 1, std::nullopt, 2},
                                                     {26, 1, std::nullopt, 3},
                                                     {2, 2, Shape::triangle, 1},
                                                     {9, 2, Shape::triangle, 2},
                                                     {21, 2, Shape::triangle, 3},
                                                     {3, 2, Shape::quadrilateral, 1},
                                                     {10, 2, Shape::quadrilateral, 2},
                                                     {36, 2, Shape::quadrilateral, 3},
                                                     {4, 3, Shape::tetrahedron, 1},
                                                     {11, 3, Shape::tetrahedron, 2},
                                                     {29, 3, Shape::tetrahedron, 3},
                                                     {5, 3, Shape::hexahedron, 1},
                                                     {12, 3, Shape::hexahedron, 2},
                                                     {92, 3, Shape::hexahedron, 3}}};

/// Reads words and remembers the line they stand in.
class Reader {
public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()), stream_(file, std::ios::binary) {
    if (!stream_) throw core::InputOutput(fmt::format("the mesh {} cannot be read: is there such a file?", name_));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw BadInput(fmt::format("the mesh {}, line {}: {}", name_, line_, what));
  }
  [[noreturn]] void refuse_file(const std::string& what) const {
    throw BadInput(fmt::format("the mesh {} {}", name_, what));
  }

  bool next_line(std::string& out) {
    if (!std::getline(stream_, out)) return false;
    ++line_;
    for (const char c : out) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL; // FNV-1a
    if (!out.empty() && out.back() == '\r') out.pop_back();
    return true;
  }
  std::string line(const char* section) {
    std::string out;
    if (!next_line(out)) refuse_file(fmt::format("ends within ${}: it is cut off", section));
    if (!out.empty() && out[0] == '$') refuse(fmt::format("{} stands where ${} has not all its lines", out, section));
    return out;
  }
  /// The numbers of a line, at least `least` of them.
  std::vector<double> numbers(const char* section, std::size_t least) {
    const std::string content = line(section);
    std::istringstream words(content);
    std::vector<double> out;
    for (double number = 0.0; words >> number;) out.push_back(number);
    if (out.size() < least || !words.eof())
      refuse(fmt::format("'{}' is not {} numbers, as a line of ${} has", content, least, section));
    return out;
  }
  void end(const char* section) {
    std::string out;
    if (!next_line(out)) refuse_file(fmt::format("ends before $End{}: it is cut off", section));
    if (out != fmt::format("$End{}", section)) refuse(fmt::format("'{}' instead of $End{}", out, section));
  }

  std::uint64_t digest() const { return digest_; }

private:
  std::string name_;
  std::ifstream stream_;
  long line_ = 0;
  std::uint64_t digest_ = 14695981039346656037ULL;
};

long whole(double number) {
  return static_cast<long>(number);
}

class Inspection {
public:
  explicit Inspection(const std::filesystem::path& file) : reader_(file) {}

  GmshFile result() {
    read_format();
    for (std::string line; reader_.next_line(line);) {
      if (line.empty()) continue;
      if (line[0] != '$') reader_.refuse(fmt::format("'{}' where a section ($Nodes, say) should begin", line));
      section(line.substr(1));
    }
    if (!nodes_) reader_.refuse_file("has no $Nodes: it is cut off, or no mesh was made (gmsh -2 or -3)");
    if (!elements_) reader_.refuse_file("has no $Elements: it is cut off, or no mesh was made (gmsh -2 or -3)");
    if (shapes_.empty()) reader_.refuse_file("has no cells: triangles, quadrilaterals, tetrahedra or hexahedra");
    choose_cells();
    file_.digest = reader_.digest();
    return file_;
  }

private:
  void read_format() {
    std::string line;
    if (!reader_.next_line(line) || line != "$MeshFormat")
      reader_.refuse_file("is not a Gmsh mesh: it does not begin with $MeshFormat");
    const auto numbers = reader_.numbers("MeshFormat", 3);
    version_ = numbers[0];
    if (version_ != 4.1 && version_ != 2.2)
      reader_.refuse(fmt::format("version {} of Gmsh's format; 4.1 and 2.2 are read (gmsh -format msh41)", version_));
    if (numbers[1] != 0.0) reader_.refuse("a binary file; write it as text (gmsh -setnumber Mesh.Binary 0)");
    reader_.end("MeshFormat");
  }

  void section(const std::string& name) {
    if (name == "PhysicalNames") return read_names();
    if (name == "Entities") return read_entities();
    if (name == "Nodes") return version_ == 4.1 ? read_nodes() : skip_counted("Nodes", nodes_);
    if (name == "Elements") return version_ == 4.1 ? read_elements() : read_elements_of_old();
    for (std::string line; reader_.next_line(line);)
      if (line == "$End" + name) return;
    reader_.refuse_file(fmt::format("ends before $End{}: it is cut off", name));
  }

  void read_names() {
    const long count = whole(reader_.numbers("PhysicalNames", 1)[0]);
    for (long i = 0; i < count; ++i) {
      const std::string line = reader_.line("PhysicalNames");
      std::istringstream words(line);
      GmshGroup group;
      words >> group.dimension >> group.tag;
      const auto from = line.find('"'), to = line.rfind('"');
      if (!words || from == std::string::npos || to == from)
        reader_.refuse(fmt::format("'{}' is not a dimension, a number and a name in quotes", line));
      group.name = line.substr(from + 1, to - from - 1);
      file_.groups.push_back(group);
    }
    reader_.end("PhysicalNames");
  }

  std::string name_of(int dimension, long tag) const {
    for (const auto& group : file_.groups)
      if (group.dimension == dimension && group.tag == tag) return group.name;
    return fmt::format("number {}", tag);
  }

  void refuse_two(int dimension, long entity, long one, long other) {
    constexpr std::array<const char*, 4> what{"point", "curve", "surface", "volume"};
    reader_.refuse(fmt::format("{} {} belongs to two physical groups, '{}' and '{}': give it to one of them",
                               what[static_cast<std::size_t>(dimension)], entity, name_of(dimension, one),
                               name_of(dimension, other)));
  }

  void read_entities() {
    const auto counts = reader_.numbers("Entities", 4);
    for (int dimension = 0; dimension < 4; ++dimension) {
      const std::size_t box = dimension == 0 ? 3 : 6; // coordinates before the groups
      for (long i = 0; i < whole(counts[static_cast<std::size_t>(dimension)]); ++i) {
        const auto numbers = reader_.numbers("Entities", box + 2);
        const auto groups = static_cast<std::size_t>(numbers[box + 1]);
        if (numbers.size() < box + 2 + groups) reader_.refuse("fewer physical groups than announced");
        if (groups > 1 && dimension > 0)
          refuse_two(dimension, whole(numbers[0]), whole(numbers[box + 2]), whole(numbers[box + 3]));
      }
    }
    reader_.end("Entities");
  }

  void skip_counted(const char* name, bool& seen) {
    const long count = whole(reader_.numbers(name, 1)[0]);
    for (long i = 0; i < count; ++i) reader_.line(name);
    reader_.end(name);
    seen = true;
  }

  void read_nodes() {
    const long blocks = whole(reader_.numbers("Nodes", 4)[0]);
    for (long block = 0; block < blocks; ++block) {
      const long count = whole(reader_.numbers("Nodes", 4)[3]);
      for (long i = 0; i < 2 * count; ++i) reader_.line("Nodes");
    }
    reader_.end("Nodes");
    nodes_ = true;
  }

  void read_elements() {
    const long blocks = whole(reader_.numbers("Elements", 4)[0]);
    for (long block = 0; block < blocks; ++block) {
      const auto head = reader_.numbers("Elements", 4);
      note(whole(head[2]));
      for (long i = 0; i < whole(head[3]); ++i) reader_.line("Elements");
    }
    reader_.end("Elements");
    elements_ = true;
  }

  /// Version 2.2: number, type, number of tags, tags (the first is the physical group), nodes.
  void read_elements_of_old() {
    const long count = whole(reader_.numbers("Elements", 1)[0]);
    std::map<std::vector<double>, long> group_of;
    for (long i = 0; i < count; ++i) {
      const auto numbers = reader_.numbers("Elements", 4);
      const auto& type = note(whole(numbers[1]));
      if (type.dimension == 0 || numbers[2] < 1.0) continue;
      std::vector<double> nodes(numbers.begin() + 3 + whole(numbers[2]), numbers.end());
      std::sort(nodes.begin(), nodes.end());
      const auto [at, is_new] = group_of.emplace(std::move(nodes), whole(numbers[3]));
      if (!is_new && at->second != whole(numbers[3]))
        refuse_two(type.dimension, whole(numbers[0]), at->second, whole(numbers[3]));
    }
    reader_.end("Elements");
    elements_ = true;
  }

  const ElementType& note(long number) {
    const auto* type = std::find_if(element_types.begin(), element_types.end(),
                                    [&](const ElementType& known) { return known.number == number; });
    if (type == element_types.end())
      reader_.refuse(fmt::format("element type {} is not known here; cells may be triangles, quadrilaterals, "
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
        reader_.refuse_file("has cells of several shapes or orders; one mesh has one kind "
                            "(for quadrilaterals and hexahedra alone: Recombine, or transfinite surfaces)");
      cells = type;
    }
    file_.shape = *cells->shape;
    file_.order = cells->order;
  }

  Reader reader_;
  GmshFile file_;
  double version_ = 0.0;
  bool nodes_ = false, elements_ = false;
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
  std::istringstream words(text);
  GmshFile file;
  int shape = 0;
  words >> file.dimension >> shape >> file.order >> file.digest;
  file.shape = static_cast<Shape>(shape);
  for (GmshGroup group; words >> group.dimension >> group.tag && std::getline(words >> std::ws, group.name);)
    file.groups.push_back(group);
  return file;
}

} // namespace rhumb::grid
