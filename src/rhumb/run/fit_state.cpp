#include <rhumb/run/fit_state.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <sstream>

namespace rhumb::run {

namespace {
constexpr const char* heading = "rhumb fit 1";

/// The numbers of a line "name 1,2.5"; none where the line is another.
std::vector<double> numbers_of(const std::string& line, const std::string& name) {
  std::vector<double> out;
  if (!line.starts_with(name + " ")) return out;
  for (const auto& entry : core::split_at_commas(line.substr(name.size() + 1))) {
    const auto value = core::parse_real(entry);
    if (!value || !std::isfinite(*value)) return {};
    out.push_back(*value);
  }
  return out;
}
} // namespace

std::string FitState::text() const {
  return fmt::format("{}\nparameters {}\ndamping {}\niterations {}\nruns {}\nsum_of_squares {}\n{}", heading,
                     fmt::join(at.x, ","), at.damping, at.iterations, runs, square, options);
}

FitState FitState::parse(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  const auto reject = [&] {
    throw core::BadInput(fmt::format("{} is not what a fit has left: remove it, or take another -out", file));
  };
  std::string line;
  const auto one = [&](const char* name, double lowest, double highest) {
    std::getline(lines, line);
    const auto numbers = numbers_of(line, name);
    if (numbers.size() != 1 || !(numbers[0] >= lowest && numbers[0] <= highest)) reject();
    return numbers.front();
  };
  if (!std::getline(lines, line) || line != heading) reject();
  FitState out;
  std::getline(lines, line);
  out.at.x = numbers_of(line, "parameters");
  if (out.at.x.empty()) reject();
  constexpr double largest = std::numeric_limits<double>::max(), largest_count = 1e6;
  out.at.damping = one("damping", std::numeric_limits<double>::min(), largest);
  out.at.iterations = static_cast<int>(one("iterations", 0.0, largest_count));
  out.runs = static_cast<int>(one("runs", 1.0, largest_count));
  out.square = one("sum_of_squares", 0.0, largest);
  while (std::getline(lines, line)) out.options += line + "\n";
  return out;
}

} // namespace rhumb::run
