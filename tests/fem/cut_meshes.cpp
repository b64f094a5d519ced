/// Mesh files that end too early, or have a word too few or too many: always a message, on all ranks, never a hang.

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/grid/unstructured.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace rhumb;

namespace {

std::string contents(const std::string& name) {
  std::ifstream file(std::string(std::getenv("RHUMB_SOURCE")) + "/meshes/" + name + ".msh");
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// What reading such a file says; empty: it was read. The first rank's name counts for all.
std::string refusal(const std::string& text) {
  const std::string file =
      core::broadcast(PETSC_COMM_WORLD,
                      fmt::format("{}/rhumb_cut_{}.msh", std::filesystem::temp_directory_path().string(), ::getpid()));
  core::run_on_root(PETSC_COMM_WORLD, [&] { std::ofstream(file) << text; });
  std::string said;
  try {
    const grid::Unstructured mesh(PETSC_COMM_WORLD, file, 0);
  } catch (const core::BadInput& problem) {
    said = problem.what();
  } catch (const core::InputOutput& problem) {
    said = problem.what();
  }
  core::check_mpi(MPI_Barrier(PETSC_COMM_WORLD));
  core::run_on_root(PETSC_COMM_WORLD, [&] { std::filesystem::remove(file); });
  return said;
}

} // namespace

TEST(CutMeshes, AreRefusedWhereverTheyEnd) {
  std::mt19937 random(7); // the same on all ranks
  for (const char* name : {"square", "sphere", "cube_hexahedra", "cylinder2d"}) {
    const std::string whole = contents(name);
    const std::size_t last = whole.find("$EndElements");
    for (int i = 0; i < 50; ++i) {
      const std::size_t end = random() % (last + 11);
      EXPECT_FALSE(refusal(whole.substr(0, end)).empty()) << name << " cut at byte " << end;
    }
    EXPECT_TRUE(refusal(whole).empty()) << name << refusal(whole);
  }
}

TEST(CutMeshes, AreReadOrRefusedWhenAWordIsMissingOrAnother) {
  std::mt19937 random(11);
  int rejected = 0;
  for (const char* name : {"square", "sphere"}) {
    const std::string whole = contents(name);
    for (int i = 0; i < 150; ++i) {
      const std::size_t from = whole.find_first_of(" \n", random() % (whole.size() - 100)) + 1;
      const std::size_t to = whole.find_first_of(" \n", from);
      constexpr std::array<const char*, 5> words{"", "0", "-7", "99999999", "x"};
      if (!refusal(whole.substr(0, from) + words[random() % words.size()] + whole.substr(to)).empty()) ++rejected;
    }
  }
  EXPECT_GT(rejected, 100);
}
