/// Texts with mistakes: each is rejected in words that say where, and none brings the program down.
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <rhumb/run/case_file.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <sstream>

using namespace rhumb;

namespace {

/// What the text is rejected with; empty where it is not.
std::string mistake(const std::string& text) {
  try {
    core::Options options;
    run::take_case(run::parse_case(text, "case.yaml"), options);
    text::make_pde(PETSC_COMM_WORLD, options);
    return "";
  } catch (const core::BadInput& error) {
    return error.what();
  } catch (const core::InputOutput&) { // a mesh that is not there is no mistake of the text
    return "";
  }
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  const auto message = mistake(text);
  for (const auto& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << text << "\nis rejected with\n" << message;
}

TEST(TextWithAMistake, IsRejectedWithLineCaretAndNearestName) {
  expect_words("n: 8\nfields: temperature\nequations:\n  - dt(temperature) = lap(temperatur)\n",
               {"case.yaml:4:5", "did you mean 'temperature'", "^ here"});
  expect_words("n: 8\nequations:\n  - dt(u) = lapp(u)\n", {"case.yaml:3:5", "did you mean 'lap'"});
  expect_words("n: 8\nequations:\n  - dt(u) = lap(u)\n  - u + 1\n", {"case.yaml:4:5", "one '='"});
  expect_words("n: 8\nequations:\n  - dt(u) = dy(u)\n", {"case.yaml:3:5", "there is no y in 1 dimension"});
  expect_words("n: 8,8\nequations:\n  - dt(u) = grad(u)\n", {"case.yaml:3:5", "one side is a vector"});
  expect_words("n: 8\nequations: [dt(u) = 1]\ninitial: {v: 1}\n", {"case.yaml:3", "'v' is no field", "there are u"});
  expect_words("n: 8\nequations: [dt(u) = 1]\nboundary: {lft: {u: 1}}\n", {"case.yaml:3", "did you mean 'left'"});
  expect_words("n: 8\nequations: [dt(u) = 1]\nboundary: {top: {u: 1}}\n", {"case.yaml:3", "there is no side 'top'"});
  expect_words("n: 8\nperiodic: x\nequations: [dt(u) = 1]\nboundary: {left: {u: 1}}\n",
               {"case.yaml:4", "periodic in x"});
  expect_words("n: 8\nequations: [dt(u) = 1]\nfigures: {m: 2*u}\n", {"case.yaml:3", "integral"});
  expect_words("n: 8\nequations: [dt(u) = 1]\nfigures: {m: max(u, 1)}\n",
               {"case.yaml:3", "differs from point to point"});
  expect_words("n: 8\nequations: [dt(u) = noise(1)]\n", {"case.yaml:2", "initial values only"});
  expect_words("n: 8\nequations:\n  - dt(u) = maximum(u)\n", {"case.yaml:3", "no derivative"});
  expect_words("n: 8\nequations:\n  - dt(u) = integral(dt(u))\n", {"case.yaml:3", "dt cannot stand in"});
  expect_words("n: 8\nequations: [dt(u) = 1]\nfigures:\n  m: at(u, 2)\n", {"case.yaml:4", "outside of the box"});
  expect_words("n: 8\nfields: sin\nequations: [dt(sin) = 1]\n", {"case.yaml:2", "has a meaning already"});
  expect_words("n: 8\nequations: [dt(u) = a]\ndefinitions: {a: b, b: a}\n", {"uses itself"});
}

TEST(TextWithAMistake, ASystemThatIsSingularIsRejectedWithTheField) {
  expect_words("n: 8\nfields: u, v\nequations: [dt(u) = lap(u), 0 = u - 1]\n", {"nothing determines", "'v'"});
  expect_words("n: 8\nfields: u, v\nequations: [dt(u) = lap(v)]\n", {"1 equation for 2 fields"});
}

TEST(TextWithAMistake, ACaseFileCannotStartTheCompiler) {
  expect_words("n: 8\nequations: [dt(u) = lap(u)]\ncompile: yes\n", {"case.yaml:3", "command line only"});
}

TEST(TextWithAMistake, AFormulaHasNoWayToFilesOrCode) {
  for (const char* formula : {"system(1)", "`ls`", "$(ls)", "\"ls\"", "include(x)", "u; exit(1)", "../../etc/passwd",
                              "asm(1)", "u/*x*/", "u // x", "__builtin_trap()", "{a b}", "main()", "u\\n#include"})
    EXPECT_NE(mistake(std::string("n: 8\nequations:\n  - 'dt(u) = ") + formula + "'\n"), "") << formula;
}

std::vector<std::string> gallery() {
  std::vector<std::string> texts;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(std::getenv("RHUMB_SOURCE")) + "/apps/pde")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  std::ranges::sort(texts); // a folder has no order
  return texts;
}

std::string mutated(std::string text, std::mt19937& random) {
  const std::string letters = "()+-*/^=,:.{}[]#\n abuvxyzt019_<>&|?!'\"\\\t\x01\xff";
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t k = 0, count = 1 + below(4); k < count; ++k) {
    const std::size_t at = below(text.size());
    switch (random() % 4) {
    case 0:
      text.erase(at, 1 + below(6));
      break;
    case 1:
      text.insert(at, 1, letters[below(letters.size())]);
      break;
    case 2:
      text[at] = letters[below(letters.size())];
      break;
    default:
      text.insert(below(text.size()), text.substr(at, 1 + below(30)));
    }
  }
  return text;
}

/// Puts a small box or mesh into a case, whatever it has; what it is now.
std::string make_small(std::string& text) {
  const std::regex cells(R"(\bn: (\[[^\]]*\]|[^\n}]*))"), mesh(R"(\bmesh: [^\n]*)");
  std::smatch found;
  std::string small;
  if (std::regex_search(text, found, mesh))
    small = "mesh: " + std::string(std::getenv("RHUMB_SOURCE")) + "/meshes/square_quads.msh";
  else if (std::regex_search(text, found, cells))
    small = found.str().find(',') != std::string::npos ? "n: 4x4" : "n: 6";
  text.replace(static_cast<std::size_t>(found.position()), found.str().size(), small);
  return small;
}

TEST(TextWithAMistake, ThreeThousandMutatedCasesAreReadOrRejectedWithTheirPlace) {
  const auto texts = gallery();
  ASSERT_GE(texts.size(), 8U);
  std::mt19937 random(29);
  int rejected = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = texts[random() % texts.size()];
    // The box is made small, whatever the case says.
    const std::string small = make_small(text);
    text = mutated(text, random);
    if (text.find(small) == std::string::npos) continue;
    const auto message = mistake(text);
    if (message.empty()) continue;
    ++rejected;
    const bool says_where =
        message.find("case.yaml") != std::string::npos || message.find("option -") != std::string::npos;
    EXPECT_TRUE(says_where) << message << "\nfor\n" << text;
  }
  EXPECT_GT(rejected, 1000);
}

} // namespace
