#include "box_cases.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula.hpp>
#include <rhumb/pde/moving_box/system.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

/// A user's PDE from formulas: c1 = d(fx1)/dx + d(fy1)/dy + s1, c1 holding the terms with ut1.

namespace rhumb::mesh_cases {

using namespace moving_box;

namespace {
/// x, y, t, u1, ux1, uy1, ut1.
constexpr std::size_t inputs = 7;

struct Texts {
  core::Formula c, s, fx, fy, initial, value, exact, monitor;
  std::vector<std::string> held_sides;
  bool has_exact = false;
};

struct Formulated {
  static constexpr int directions = 2, components = 1;
  std::shared_ptr<const Texts> texts;

  template <class S>
  static S at_position(const core::Formula& formula, const Array<S, 2>& x, double t) {
    const std::array<S, 3> values{x[0], x[1], S(t)};
    return formula(std::span<const S>(values));
  }
  template <class S>
  Terms<S, 2, 1> terms(const Point<S, 2, 1>& at) const {
    const std::array<S, inputs> values{at.x[0], at.x[1], S(at.t), at.u[0], at.grad[0][0], at.grad[0][1], at.ut[0]};
    const std::span<const S> all(values);
    Terms<S, 2, 1> f;
    f.source[0] = texts->c(all) - texts->s(all);
    f.flux[0] = {texts->fx(all), texts->fy(all)};
    return f;
  }
  template <class S>
  Array<S, 1> initial(const Array<S, 2>& x) const {
    return {at_position(texts->initial, x, 0.0)};
  }
  bool holds(int, const std::string& side) const { return std::ranges::count(texts->held_sides, side) > 0; }
  template <class S>
  S value(int, const Array<S, 2>& x, double t) const {
    return at_position(texts->value, x, t);
  }
  template <class S>
  S monitor(const Point<S, 2, 1>& at) const {
    const std::array<S, inputs - 1> values{at.x[0], at.x[1], S(at.t), at.u[0], at.grad[0][0], at.grad[0][1]};
    return texts->monitor(std::span<const S>(values));
  }
  bool knows_solution() const { return texts->has_exact; }
  Array<double, 1> exact(const Array<double, 2>& x, double t) const { return {at_position(texts->exact, x, t)}; }
};

core::Formula read(const core::Options& options, const std::string& name, const std::string& default_value,
                   const std::string& about, std::size_t variables) {
  const std::vector<std::string> all{"x", "y", "t", "u1", "ux1", "uy1", "ut1"};
  const std::vector<std::string> names(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(variables));
  return core::parse_formula(options.string(name, default_value, {"pde: " + about}), {names}, "option -" + name);
}

std::vector<std::string> read_sides(const core::Options& options) {
  std::string text = options.string("held_sides", "", {"pde: sides where u1 is given, between commas"});
  std::vector<std::string> names;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    names.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return names;
}

void check_sides(const std::vector<std::string>& wanted, const std::vector<std::string>& all) {
  for (const auto& name : wanted)
    if (std::ranges::count(all, name) == 0)
      throw core::BadInput(
          fmt::format("option -held_sides: there is no side '{}'; there are {}", name, fmt::join(all, ", ")));
}
} // namespace

std::unique_ptr<dae::Problem> box_formulas(MPI_Comm comm, const core::Options& options, int) {
  const auto texts = std::make_shared<const Texts>(Texts{
      read(options, "c1", "ut1", "terms with the time derivative", inputs),
      read(options, "s1", "0", "source", inputs - 1), read(options, "fx1", "ux1", "flux along x", inputs - 1),
      read(options, "fy1", "uy1", "flux along y", inputs - 1), read(options, "initial1", "0", "initial value", 2),
      read(options, "value1", "0", "value on the held sides", 3), read(options, "exact1", "0", "the exact solution", 3),
      read(options, "monitor1", "1", "what attracts the mesh, positive, for -monitor own", inputs - 1),
      read_sides(options), options.given("exact1")});
  Description about;
  about.name = options.string("title", "pde", {"pde: a name for the summary"});
  about.fields = {{"u1"}};
  about.box.cells = {40, 40};
  const bool given = std::ranges::any_of(std::array{"c1", "s1", "fx1", "fy1", "initial1", "value1"},
                                         [&](const char* name) { return options.given(name); });
  auto problem = std::make_unique<System<Formulated>>(comm, options, Formulated{texts}, about);
  check_sides(texts->held_sides, problem->simplices().side_names());
  if (!given) problem->set_objection("there is nothing to solve: no -fx1, -s1, -initial1 or -value1 is given");
  return problem;
}

} // namespace rhumb::mesh_cases
