/// What a sealed checkpoint can say to an integrator. A valid state of a bouncing ball (with events and a memory) is
/// made once; the input changes it, a line each, and whatever is accepted has to go on for some steps:
///
///   order 100             a number of the state
///   drop h                leaves one out
///   vector phi1 2 1e300   an entry of a vector
///   memory 3 1e-9         all of the system's memory

#include "problems.hpp"
#include "target.hpp"
#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <cstdlib>
#include <sstream>

namespace rhumb::fuzz {

namespace {
constexpr double end = 3.0;

struct State {
  std::vector<std::pair<std::string, double>> scalars;
  std::vector<std::pair<std::string, std::vector<double>>> vectors;
  std::vector<double> memory;
};

bdf::IntegratorOptions integrator_options() {
  bdf::IntegratorOptions options;
  options.tolerances = {.rtol = 1e-6, .atol = 1e-6};
  return options;
}

/// After the first bounce.
State valid_state() {
  core::Options none;
  const auto ball = problems::bounce(PETSC_COMM_WORLD, none);
  bdf::Integrator integrator(*ball, integrator_options());
  integrator.start(0.0, end);
  integrator.advance(0.6);
  const bdf::CheckpointState checkpoint_state = integrator.checkpoint_state();
  State state{checkpoint_state.scalars, {}, ball->saved_state()};
  for (const auto& [name, vector] : checkpoint_state.vectors) {
    const core::Readable values(vector);
    state.vectors.emplace_back(name, std::vector<double>(values.begin(), values.end()));
  }
  return state;
}

double number_in(std::istringstream& words) {
  std::string word;
  words >> word;
  return std::strtod(word.c_str(), nullptr);
}

void change(State& state, const std::string& line) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (name == "memory") {
    state.memory.clear();
    for (std::string word; words >> word;) state.memory.push_back(std::strtod(word.c_str(), nullptr));
  } else if (name == "vector") {
    std::size_t entry = 0;
    words >> name >> entry;
    for (auto& [known, values] : state.vectors)
      if (known == name && entry < values.size()) values[entry] = number_in(words);
  } else if (name == "drop") {
    words >> name;
    std::erase_if(state.scalars, [&](const auto& scalar) { return scalar.first == name; });
  } else {
    for (auto& [known, value] : state.scalars)
      if (known == name) value = number_in(words);
  }
}

void resume_and_go_on(const State& state) {
  core::Options none;
  const auto ball = problems::bounce(PETSC_COMM_WORLD, none);
  bdf::Integrator integrator(*ball, integrator_options());
  std::vector<core::VecHandle> vectors;
  std::vector<std::pair<std::string, Vec>> borrowed;
  for (const auto& [name, values] : state.vectors) {
    vectors.push_back(ball->create_vector());
    std::ranges::copy(values, core::Writable(vectors.back()).begin());
    borrowed.emplace_back(name, vectors.back());
  }
  ball->restore_state(state.memory);
  integrator.resume(state.scalars, borrowed);
  integrator.set_end(end);
  try {
    for (int i = 0; i < 3; ++i)
      if (integrator.step().stopped) return;
  } catch (const core::SolverGaveUp&) { // a state that no solution has
  }
}
} // namespace

void test(std::string_view input) {
  start_petsc();
  static const State valid = valid_state();
  State state = valid;
  std::istringstream lines{std::string(input)};
  for (std::string line; std::getline(lines, line);) change(state, line);
  resume_and_go_on(state);
}

} // namespace rhumb::fuzz
