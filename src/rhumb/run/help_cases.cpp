#include <rhumb/run/help_cases.hpp>

#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

namespace rhumb::run {

namespace {

/// A square of two triangles; the names of its groups stand in names of options.
constexpr const char* two_triangles = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "BOUNDARY"
2 2 "REGION"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
6
1 1 2 1 1 1 2
2 1 2 1 2 2 3
3 1 2 1 3 3 4
4 1 2 1 4 4 1
5 2 2 2 5 1 2 3
6 2 2 2 5 1 3 4
$EndElements
)";

class SmallMesh {
public:
  SmallMesh() {
    std::error_code missing;
    const auto folder = std::filesystem::temp_directory_path(missing);
    std::string name = (folder / "rhumb-help-XXXXXX.msh").string();
    const int file = missing ? -1 : mkstemps(name.data(), 4);
    if (file < 0) return;
    close(file);
    path_ = std::move(name);
    std::ofstream(path_) << two_triangles;
  }
  ~SmallMesh() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  SmallMesh(const SmallMesh&) = delete;
  SmallMesh& operator=(const SmallMesh&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// What the other words of a choice are; none where it was made, or where any word will do.
std::vector<std::string> other_words(const core::Options& options, const std::string& name) {
  std::vector<std::string> words;
  for (const auto& option : options.declared())
    if (option.name == name && !option.given && option.range.find('|') != std::string::npos) {
      std::string range = option.range;
      std::ranges::replace(range, '|', ',');
      words = core::split_at_commas(range);
      std::erase(words, option.default_value);
    }
  return words;
}

/// Whether it is an option of the case that was not given.
bool open(const core::Options& options, const std::string& name) {
  return std::ranges::any_of(options.declared(), [&](const auto& o) { return o.name == name && !o.given; });
}

class Collector {
public:
  Collector(MPI_Comm comm, Agreement& agreement, const Make& make, const core::Options& read, const Caller& caller)
      : comm_(comm), agreement_(agreement), make_(make), caller_(caller) {
    for (const auto& option : read.declared()) known_.insert(option.name);
  }

  /// What is read before a case fails, for want of a file say, counts too.
  void add(const std::string& condition, const core::Options& options) {
    try {
      agreement_.phase([&] { prepare(comm_, make_, options, caller_); });
    } catch (const Ended&) { // help explains, it does not judge
    }
    for (const auto& option : options.declared())
      if (!option.name.starts_with("dae_atol_") && known_.insert(option.name).second)
        found_.push_back({condition, option});
  }

  std::vector<OptionElsewhere> found() && { return std::move(found_); }

private:
  MPI_Comm comm_;
  Agreement& agreement_;
  const Make& make_;
  const Caller& caller_;
  std::set<std::string> known_;
  std::vector<OptionElsewhere> found_;
};

} // namespace

std::vector<OptionElsewhere> options_elsewhere(MPI_Comm comm, Agreement& agreement, const Make& make,
                                               const core::Options& given, const core::Options& read,
                                               const Caller& caller) {
  Collector collector(comm, agreement, make, read, caller);
  for (const auto& word : other_words(read, "problem")) collector.add("-problem " + word, given.with("problem", word));
  const bool has_dim = open(read, "dim");
  for (const std::string dim : {"2", "3"})
    if (has_dim) collector.add("-dim " + dim, given.with("dim", dim));
  if (!has_dim && open(read, "n")) collector.add("-n NX,NY,NZ", given.with("n", "4,4,4"));
  if (open(read, "moving")) {
    const auto moving = given.with("moving", "true");
    collector.add("-moving -n N", moving.with("n", "16"));
    collector.add("-moving -n NX,NY", moving.with("n", "4,4"));
  }
  if (agreement.size() == 1)
    if (const SmallMesh mesh; !mesh.path().empty()) {
      const auto on_mesh = given.with("mesh", mesh.path());
      if (open(read, "mesh"))
        collector.add("-mesh", on_mesh);
      else if (has_dim) // on meshes in the plane only
        collector.add("-dim 2 -mesh", on_mesh.with("dim", "2"));
    }
  return std::move(collector).found();
}

} // namespace rhumb::run
