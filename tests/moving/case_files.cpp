/// Case files of moving meshes that something has bitten: each is refused in words that say where, or read as it is.

#include "apps/mesh/cases.hpp"
#include <rhumb/core/check.hpp>
#include <rhumb/run/program.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace rhumb;

namespace {

constexpr int mutations = 400;

const std::string plane = R"(# Barenblatt's solution in the plane
dim: 2
problem: pde
n: 6,6
t_end: 15
balance: nonnegative
front_level: 1e-3
monitor: arc
monitor_alpha: 10
fx1: 0.01125*max(u1,0)*ux1
fy1: 0.01125*max(u1,0)*uy1
initial1: max(0, 1 - (x^2 + y^2)/0.09)
held_sides: left,top
value1: 0.1*x*t
dae:
  rtol: 1e-4
  atol: 1e-6
)";

const std::string line = R"(# and on a line
problem: pdepe
n: 12
t_end: 1
balance: nonnegative
mesh_equation: dorfi
f1: 0.015*u1*ux1
initial1: max(0, 1 - x^2/0.09)
exact1: (1 + t)^(-1/3)*max(0, 1 - x^2/(0.09*(1 + t)^(2/3)))
)";

/// One to three damages: a lost, doubled or foreign piece, a bit, a cut.
std::string damaged(std::string text, std::mt19937& random) {
  const std::string foreign = "()+-*/^=,:.{}[]#\n abuvxyt019_<>&|?!'\"\\\t\x01\xff";
  const auto any = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  for (std::size_t k = 0, count = 1 + any(3); k < count && !text.empty(); ++k) {
    const std::size_t at = any(text.size()), length = std::min(1 + any(8), text.size() - at);
    switch (any(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(at, length));
      break;
    case 2:
      text.insert(at, 1, foreign[any(foreign.size())]);
      break;
    case 3:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << any(8)));
      break;
    default:
      if (any(4) == 0) text.resize(at);
    }
  }
  return text;
}

struct Answer {
  core::ExitCode code;
  std::string errors;
};

class MovingCaseFiles : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Answer check(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    std::vector<std::string> words{"rhumb-mesh", file_, "-check", "-quiet", "-out", folder_ + "/out"};
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    run::CommandLine arguments(static_cast<int>(pointers.size()), pointers.data());
    testing::internal::CaptureStderr();
    const auto code =
        run::Program(PETSC_COMM_WORLD, arguments, mesh_cases::make, run::Caller{arguments.app()}).execute();
    return {code, testing::internal::GetCapturedStderr()};
  }
  /// How many were rejected.
  int bite(const std::string& whole, const std::string& small) const {
    std::mt19937 random(28);
    int rejected = 0;
    for (int i = 0; i < mutations; ++i) {
      const std::string text = damaged(whole, random);
      if (text.find(small) == std::string::npos) continue; // another size of the mesh may be a large one
      SCOPED_TRACE(fmt::format("mutation {}:\n{}", i, text));
      const auto [code, errors] = check(text);
      if (code == core::ExitCode::done) continue;
      ++rejected;
      EXPECT_EQ(code, core::ExitCode::bad_input) << errors;
      EXPECT_TRUE(errors.find(file_) != std::string::npos || errors.find("option -") != std::string::npos ||
                  errors.find("nothing to solve") != std::string::npos)
          << errors;
    }
    return rejected;
  }
  const std::string folder_ =
      fmt::format("{}/rhumb_moving_{}", std::filesystem::temp_directory_path().string(), getpid());
  const std::string file_ = folder_ + "/case.yaml";
};

TEST_F(MovingCaseFiles, UndamagedOnesAreGood) {
  for (const auto& text : {plane, line}) {
    const auto [code, errors] = check(text);
    EXPECT_EQ(code, core::ExitCode::done) << errors;
  }
}

TEST_F(MovingCaseFiles, DamagedOnesInThePlaneAreRefusedInWordsOrReadAsTheyAre) {
  EXPECT_GT(bite(plane, "\nn: 6,6\n"), mutations / 4);
}

TEST_F(MovingCaseFiles, DamagedOnesOnALineAreRefusedInWordsOrReadAsTheyAre) {
  EXPECT_GT(bite(line, "\nn: 12\n"), mutations / 4);
}

} // namespace
