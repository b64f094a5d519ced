/// Systems from text on any number of ranks: their derivatives are those of their residuals.
#include <rhumb/core/agreement.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/box_system.hpp>
#include <cmath>
#include <gtest/gtest.h>

using namespace rhumb;
using core::check;

namespace {

using Texts = std::map<std::string, std::string>;

std::string mesh(const std::string& name) {
  return std::string(std::getenv("RHUMB_SOURCE")) + "/meshes/" + name + ".msh";
}

/// Each has something that the others do not.
const std::vector<Texts> all_texts{
    {{"n", "12"}, {"equations", "dt(u) = lap(u) + u^3"}, {"boundary_left_u", "sin(t)"}},
    {{"n", "9"}, {"periodic", "x"}, {"equations", "dt(u) = -lap(u) - lap(lap(u)) - dx(u^2)/2"}},
    {{"n", "2"}, {"periodic", "x"}, {"equations", "dt(u) = div((1 + u^2)*grad(u))"}},
    {{"n", "11"},
     {"fields", "u,v"},
     {"equations", "(1 + v^2)*dt(u) + 0.3*dt(v) = div(k(u)*grad(v)), 0 = v*exp(u) - lap(u)*p + u*dx(v)"},
     {"definitions_k(w)", "1 + p*sin(w)"},
     {"parameters_p", "0.7"},
     {"boundary_left_flux(u)", "p*(u - v)^2"},
     {"boundary_right_dn(v)", "cos(u)"}},
    {{"n", "5,6"},
     {"fields", "u"},
     {"equations", "dt(u) = dx(dy(u)) + div(grad(u)*max(u, 0.1)) + div(upwind(u^2, vector(1, -u)))"},
     {"boundary_top_dy(u)", "u"},
     {"boundary_left_u", "x + y"}},
    {{"n", "6,5"},
     {"periodic", "y"},
     {"fields", "vector w, p"},
     {"parameters_nu", "0.1"},
     {"equations",
      "dt(w) + dot(w, grad(w)) = nu*div(grad(w) + transpose(grad(w))) - grad(p), 0 = div(w) + 0.1*p*abs(p)"},
     {"boundary_left_w", "0"},
     {"boundary_right_dn(w)", "0"}},
    {{"n", "5,4"}, {"equations", "dt(dt(u)) = lap(u) + dt(u)*u"}, {"boundary_all_flux(u)", "hypot(u, 2)"}},
    {{"n", "4,5,3"},
     {"fields", "a,b"},
     {"periodic", "z"},
     {"equations",
      "dt(a) = lap(a^3) + dot(vector(0, 0, 1), curl(vector(0, b, 0))), 0 = b - a*if(a > 0.5, x, z) + dz(dx(a))"},
     {"boundary_bottom_a", "1"}},
    {{"mesh", mesh("square")},
     {"order", "3"},
     {"equations", "dt(u) = div((1 + u^2)*grad(u)) + u^2*lap(u)*x + dx(u)^3 - p*exp(u) + lap(u)^2/50"},
     {"parameters_p", "0.7"},
     {"boundary_left_u", "sin(t) + x"},
     {"boundary_top_flux(u)", "p*(u - 1)^3 + dot(vector(u, x), normal)"},
     {"boundary_right_dn(u)", "cos(u)*y"}},
    {{"mesh", mesh("square_quads")},
     {"fields", "vector w, p, c"},
     {"order_w", "2"},
     {"order_c", "3"},
     {"equations", "dt(w) + dot(w, grad(w)) = 0.1*div(grad(w) + transpose(grad(w))) - c*grad(p), div(w) = 0, "
                   "dt(c) + dt(w_x) = 0.01*lap(c) + body*c - div(upwind(c^2, w))"},
     {"boundary_left_w", "vector(t*y, 0)"},
     {"boundary_top_w", "0"},
     {"boundary_bottom_flux(w_y)", "w_y^2 + p"},
     {"boundary_right_flux(c)", "c*dot(w, normal)"}},
    {{"mesh", mesh("cube")},
     {"order", "2"},
     {"fields", "a, b"},
     {"equations", "dt(dt(a)) = lap(a) + b*lap(a*b) + dt(lap(a))/10, 0 = b - a*if(a > 0.5, x, z) + dz(dx(a))*dy(b)"},
     {"boundary_bottom_a", "t^2"}}};

void fill(Vec vector, double base, double swing, double frequency) {
  PetscInt first = 0;
  check(VecGetOwnershipRange(vector, &first, nullptr));
  const core::Writable values(vector);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = base + swing * std::sin(frequency * static_cast<double>(first + static_cast<PetscInt>(i)));
}

struct State {
  explicit State(Texts text) {
    const int ranks = core::size_of(PETSC_COMM_WORLD);
    if (text.contains("n") && text["n"] == "2" && ranks > 2) text["n"] = std::to_string(ranks); // a point for each
    problem = text::make_pde(PETSC_COMM_WORLD, core::Options(text));
    for (auto* vector : {&y, &ydot, &v, &expected, &out}) *vector = problem->create_vector();
    fill(y, 0.8, 0.3, 1.3);
    fill(ydot, 0.1, 0.5, 0.7);
    fill(v, 0.0, 1.0, 2.1);
  }
  /// (F(y + s v, y' + s a v) - F(y - s v, y' - s a v)) / 2 s
  void difference(double by_value, double by_rate) {
    const double s = 1e-6;
    core::VecHandle moved = core::same_layout(y), rates = core::same_layout(y), other = core::same_layout(y);
    for (const double sign : {1.0, -1.0}) {
      check(VecWAXPY(moved, sign * s * by_value, v, y));
      check(VecWAXPY(rates, sign * s * by_rate, v, ydot));
      problem->residual(0.3, moved, rates, sign > 0 ? expected : other);
    }
    check(VecAXPY(expected, -1.0, other));
    check(VecScale(expected, 0.5 / s));
  }
  double distance() {
    double size = 0.0, away = 0.0;
    check(VecNorm(expected, NORM_INFINITY, &size));
    check(VecAXPY(out, -1.0, expected));
    check(VecNorm(out, NORM_INFINITY, &away));
    return away / size;
  }

  std::unique_ptr<dae::Problem> problem;
  core::VecHandle y, ydot, v, expected, out;
};

constexpr double rounding = 3e-6; ///< of differences with steps of 1e-6

TEST(SystemFromText, ItsMatrixIsTheDerivativeOfItsResidual) {
  for (std::size_t i = 0; i < all_texts.size(); ++i) {
    State state(all_texts[i]);
    const auto matrix = state.problem->create_matrix();
    state.problem->jacobian(0.3, state.y, state.ydot, 2.5, matrix);
    state.difference(1.0, 2.5);
    check(MatMult(matrix, state.v, state.out));
    EXPECT_LT(state.distance(), rounding) << all_texts[i].at("equations");
  }
}

TEST(SystemFromText, ItsProductsAreThoseOfItsMatrix) {
  for (std::size_t i = 0; i < all_texts.size(); ++i) {
    State state(all_texts[i]);
    state.difference(1.0, 2.5);
    state.problem->product(0.3, state.y, state.ydot, 2.5, state.v, state.out);
    EXPECT_LT(state.distance(), rounding) << all_texts[i].at("equations");
    state.difference(0.0, 1.0);
    state.problem->mass_product(0.3, state.y, state.ydot, state.v, state.out);
    EXPECT_LT(state.distance(), rounding) << all_texts[i].at("equations");
  }
}

TEST(SystemFromText, IntegralsInEquationsAreInItsProducts) {
  for (const char* equation :
       {"dt(u) = lap(u)*average(u^2) + integral(x*u)*u", "dt(u) = lap(u) - average((u - average(u))^3) + at(u, 0.3)"}) {
    State state({{"n", "13"}, {"equations", equation}, {"boundary_left_u", "1"}});
    state.difference(1.0, 2.5);
    state.problem->product(0.3, state.y, state.ydot, 2.5, state.v, state.out);
    EXPECT_LT(state.distance(), rounding) << equation;
  }
}

TEST(SystemFromText, ItKnowsItsDerivativeByAParameter) {
  for (const std::size_t which : {3U, 8U}) {
    SCOPED_TRACE(which);
    State state(all_texts[which]);
    ASSERT_EQ(state.problem->parameters().size(), 1U);
    core::VecHandle other = core::same_layout(state.y);
    for (const double p : {0.7 - 1e-6, 0.7 + 1e-6}) {
      state.problem->set_parameter(0, p);
      state.problem->residual(0.3, state.y, state.ydot, p > 0.7 ? state.expected : other);
    }
    check(VecAXPY(state.expected, -1.0, other));
    check(VecScale(state.expected, 0.5e6));
    state.problem->set_parameter(0, 0.7);
    ASSERT_TRUE(state.problem->parameter_derivative(0.3, state.y, state.ydot, 0, state.out));
    EXPECT_LT(state.distance(), rounding);
  }
}

TEST(SystemFromText, KindsAreFoundFromTheEquations) {
  using dae::Kind;
  const auto kinds = [](const Texts& text) {
    std::vector<Kind> found;
    for (const auto& field : text::make_pde(PETSC_COMM_WORLD, core::Options(text))->fields())
      found.push_back(field.kind);
    return found;
  };
  EXPECT_EQ(kinds({{"n", "8"}, {"fields", "a,b"}, {"equations", "0 = b - a^2, dt(a) = b"}}),
            (std::vector{Kind::differential, Kind::index1}));
  EXPECT_EQ(
      kinds(
          {{"mesh", mesh("square")}, {"fields", "vector u,p"}, {"equations", "dt(u) = lap(u) - grad(p), div(u) = 0"}}),
      (std::vector{Kind::differential, Kind::differential, Kind::index2}));
  EXPECT_THROW(kinds({{"n", "8,8"}, {"fields", "vector u,p"}, {"equations", "dt(u) = lap(u) - grad(p), div(u) = 0"}}),
               core::BadInput); // a pressure between the points of a box
  EXPECT_EQ(kinds({{"n", "8"}, {"equations", "dt(dt(u)) = lap(lap(u))"}}),
            (std::vector{Kind::differential, Kind::differential, Kind::index1}));
}

} // namespace
