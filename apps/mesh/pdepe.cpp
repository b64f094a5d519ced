#include "cases.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/core/formula.hpp>
#include <rhumb/pde/moving/system.hpp>
#include <fmt/format.h>
#include <memory>

namespace rhumb::mesh_cases {

using core::Range;
using namespace moving;

namespace {
using Formulas = std::vector<core::Formula>; ///< one per component

/// The names that formulas may use: x, t, then u1 ... un, ux1 ... uxn, ut1 ... utn.
std::vector<std::string> variables(int n, int groups) {
  std::vector<std::string> names{"x", "t"};
  for (const char* group : {"u", "ux", "ut"})
    if (groups-- > 0)
      for (int k = 1; k <= n; ++k) names.push_back(fmt::format("{}{}", group, k));
  return names;
}

core::Formula read_formula(const core::Options& options, const std::string& option, const std::string& default_value,
                           const std::string& about, const std::vector<std::string>& names) {
  return core::parse_formula(options.string(option, default_value, {"pdepe: " + about}), {names}, "option -" + option);
}

/// Option <stem>1 ... <stem>n, each a formula.
Formulas read_formulas(const core::Options& options, const std::string& stem, int n, const std::string& default_value,
                       const std::vector<std::string>& names, const std::string& about) {
  Formulas out;
  for (int k = 1; k <= n; ++k) {
    const std::string option = fmt::format("{}{}", stem, k);
    const std::string text = fmt::format(fmt::runtime(default_value), k);
    out.push_back(read_formula(options, option, text, fmt::format("{} of component {}", about, k), names));
  }
  return out;
}

/// A user's own PDE.
template <int n>
struct Formulated {
  static constexpr int components = n;
  struct Texts {
    Formulas c, s, f, initial, left_p, left_q, right_p, right_q, exact, monitor;
  };
  std::shared_ptr<const Texts> texts;

  template <class S>
  static auto inputs(const Point<S, n>& at) {
    std::array<S, static_cast<std::size_t>(2 + 3 * n)> all;
    all[0] = at.x;
    all[1] = S(at.t);
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      all[2 + k] = at.u[k];
      all[2 + n + k] = at.ux[k];
      all[2 + 2 * n + k] = at.ut[k];
    }
    return all;
  }
  template <class S>
  static Values<S, n> all_of(const Formulas& formulas, const Point<S, n>& at) {
    const auto values = inputs(at);
    Values<S, n> out;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = formulas[k](std::span<const S>(values));
    return out;
  }
  static Values<double, n> at_position(const Formulas& formulas, double x, double t) {
    const std::array<double, 2> values{x, t};
    Values<double, n> out;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = formulas[k](std::span<const double>(values));
    return out;
  }

  template <class S>
  Values<S, n> flux(const Point<S, n>& at) const {
    return all_of(texts->f, at);
  }
  /// c u_t - s; c may hold the other components' u_t as well, as in `c1: ut1 + 0.1*ut2`.
  template <class S>
  Values<S, n> balance(const Point<S, n>& at) const {
    auto rows = all_of(texts->c, at);
    const auto source = all_of(texts->s, at);
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] -= source[k];
    return rows;
  }
  template <class S>
  End<S, n> end(const Formulas& p, const Formulas& q, const Point<S, n>& at) const {
    End<S, n> out;
    out.p = all_of(p, at);
    out.q = at_position(q, core::value_of(at.x), at.t);
    return out;
  }
  template <class S>
  End<S, n> left(const Point<S, n>& at) const {
    return end(texts->left_p, texts->left_q, at);
  }
  template <class S>
  End<S, n> right(const Point<S, n>& at) const {
    return end(texts->right_p, texts->right_q, at);
  }
  Values<double, n> initial(double x) const { return at_position(texts->initial, x, 0.0); }
  bool knows_solution() const { return !texts->exact.empty(); }
  Values<double, n> exact(double x, double t) const { return at_position(texts->exact, x, t); }
  template <class S>
  S monitor(const Point<S, n>& at) const {
    const auto values = inputs(at);
    return texts->monitor[0](std::span<const S>(values));
  }
};

template <int n>
std::shared_ptr<typename Formulated<n>::Texts> read_texts(const core::Options& options) {
  auto texts = std::make_shared<typename Formulated<n>::Texts>();
  const auto all = variables(n, 3), solution = variables(n, 2), position = variables(n, 0), state = variables(n, 1);
  texts->c = read_formulas(options, "c", n, "ut{}", all, "all terms with time derivatives, c u_t,");
  texts->f = read_formulas(options, "f", n, "ux{}", solution, "flux f");
  texts->s = read_formulas(options, "s", n, "0", solution, "source s");
  texts->initial = read_formulas(options, "initial", n, "0", position, "initial value");
  texts->left_p = read_formulas(options, "left_p", n, "0", state, "p in p + q f = 0 at the left end");
  texts->left_q = read_formulas(options, "left_q", n, "1", position, "q at the left end");
  texts->right_p = read_formulas(options, "right_p", n, "0", state, "p at the right end");
  texts->right_q = read_formulas(options, "right_q", n, "1", position, "q at the right end");
  texts->monitor.push_back(
      read_formula(options, "own_monitor", "1", "the monitor of -monitor own, a formula", solution));
  return texts;
}

bool has_formula(const core::Options& options, int n) {
  for (const char* stem : {"c", "f", "s", "initial", "left_p", "left_q", "right_p", "right_q"})
    for (int k = 1; k <= n; ++k)
      if (options.given(fmt::format("{}{}", stem, k))) return true;
  return false;
}

template <int n>
std::unique_ptr<dae::Problem> build(MPI_Comm comm, const core::Options& options, Description about) {
  for (int k = 1; k <= n; ++k) about.fields.push_back({fmt::format("u{}", k)});
  const auto texts = read_texts<n>(options);
  if (options.given("exact1"))
    texts->exact = read_formulas(options, "exact", n, "0", variables(n, 0), "the exact solution");
  Formulated<n> pde;
  pde.texts = texts;
  auto problem = std::make_unique<System<Formulated<n>>>(comm, options, pde, about);
  if (!has_formula(options, n))
    problem->set_objection(
        "there is nothing to solve: no -f1, -s1, -initial1 or condition at an end is given; cases to "
        "start from, in apps/mesh: " RHUMB_CASES "; other problems: -problem");
  return problem;
}
} // namespace

std::unique_ptr<dae::Problem> pdepe(MPI_Comm comm, const core::Options& options) {
  Description about;
  about.name = options.string("title", "pdepe", {"pdepe: a name for the summary"});
  const long n = options.integer("components", 1, {"pdepe: number of components"}, Range::between(1, 2));
  about.symmetry =
      static_cast<int>(options.integer("symmetry", 0, {"m: 0 planar, 1 cylinder, 2 sphere"}, Range::between(0, 2)));
  about.lower = options.real("lower", 0.0, {"left end"});
  about.upper = options.real("upper", 1.0, {"right end"});
  if (!(about.upper > about.lower)) throw core::BadInput("option -upper: must be greater than -lower");
  if (about.symmetry > 0 && about.lower < 0.0)
    throw core::BadInput("option -lower: must not be negative where -symmetry is 1 or 2");
  about.t_end = options.real("t_end", 1.0, {"where the run ends", "time"});
  about.tau *= about.t_end;
  about.front_times = {about.t_end};
  return n == 1 ? build<1>(comm, options, about) : build<2>(comm, options, about);
}

} // namespace rhumb::mesh_cases
