#pragma once
/// Cases of the gallery as kernels in C++, to compare with.
#include <rhumb/pde/box/kernel_system.hpp>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

namespace by_hand {

using namespace rhumb;

struct GrayScott : box::KernelSystem<GrayScott, 2> {
  GrayScott(MPI_Comm comm, grid::BoxShape shape) : KernelSystem(comm, std::move(shape), {{"u"}, {"v"}}) {}
  std::string name() const override { return "gray_scott"; }
  double t_end() const override { return 1.0; }
  std::array<double, 2> initial(const box::Point& p) const {
    const double r = (p.x - 1.25) * (p.x - 1.25) + (p.y - 1.25) * (p.y - 1.25);
    return {1.0 - 0.5 * std::exp(-40.0 * r), 0.25 * std::exp(-40.0 * r)};
  }
  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    const auto reaction = u[0] * u[1] * u[1];
    return std::array{rate[0] - (8e-5 * laplacian(u, 0) - reaction + 0.024 * (1.0 - u[0])),
                      rate[1] - (4e-5 * laplacian(u, 1) + reaction - (0.024 + 0.06) * u[1])};
  }
};

struct CahnHilliard : box::KernelSystem<CahnHilliard, 2> {
  CahnHilliard(MPI_Comm comm, grid::BoxShape shape) : KernelSystem(comm, std::move(shape), {{"phi"}, {"mu"}}) {}
  std::string name() const override { return "cahn_hilliard"; }
  double t_end() const override { return 1.0; }
  std::array<double, 2> initial(const box::Point& p) const {
    return {0.1 * std::sin(40.0 * p.x + 9.0 * std::sin(50.0 * p.y)), 0.0};
  }
  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return std::array{rate[0] - laplacian(u, 1),
                      0.0 - (u[1] - u[0] * u[0] * u[0] + u[0] + 0.02 * 0.02 * laplacian(u, 0))};
  }
};

struct Barkley : box::KernelSystem<Barkley, 2> {
  Barkley(MPI_Comm comm, grid::BoxShape shape) : KernelSystem(comm, std::move(shape), {{"u"}, {"v"}}) {}
  std::string name() const override { return "fitzhugh_nagumo"; }
  double t_end() const override { return 1.0; }
  std::array<double, 2> initial(const box::Point& p) const {
    return {p.x < 25 && p.y > 25 && p.y < 30 ? 1.0 : 0.0, p.y < 25 ? 0.375 : 0.0};
  }
  RHUMB_INLINE auto equation(const auto& u, const auto& rate, const box::Point&) const {
    return std::array{rate[0] - (laplacian(u, 0) + u[0] * (1.0 - u[0]) * (u[0] - (u[1] + 0.06) / 0.75) / 0.05),
                      rate[1] - (u[0] - u[1])};
  }
};

/// The same as texts; `n` is that of both directions.
inline std::map<std::string, std::string> text(const std::string& name, int n) {
  std::map<std::string, std::string> all{{"n", fmt::format("{0},{0}", n)}};
  const auto add = [&](std::map<std::string, std::string> more) { all.merge(more); };
  if (name == "gray_scott")
    add({{"periodic", "x,y"},
         {"upper", "2.5,2.5"},
         {"fields", "u,v"},
         {"parameters_Du", "8e-5"},
         {"parameters_Dv", "4e-5"},
         {"parameters_F", "0.024"},
         {"parameters_k", "0.06"},
         {"initial_u", "1 - 0.5*exp(-40*((x - 1.25)^2 + (y - 1.25)^2))"},
         {"initial_v", "0.25*exp(-40*((x - 1.25)^2 + (y - 1.25)^2))"},
         {"equations", "dt(u) = Du*lap(u) - u*v^2 + F*(1 - u), dt(v) = Dv*lap(v) + u*v^2 - (F + k)*v"}});
  if (name == "cahn_hilliard")
    add({{"periodic", "x,y"},
         {"fields", "phi,mu"},
         {"parameters_eps", "0.02"},
         {"parameters_M", "1"},
         {"initial_phi", "0.1*sin(40*x + 9*sin(50*y))"},
         {"equations", "dt(phi) = M*lap(mu), 0 = mu - phi^3 + phi + eps^2*lap(phi)"}});
  if (name == "fitzhugh_nagumo")
    add({{"upper", "50,50"},
         {"fields", "u,v"},
         {"parameters_a", "0.75"},
         {"parameters_b", "0.06"},
         {"parameters_eps", "0.05"},
         {"initial_u", "if(x < 25 && y > 25 && y < 30, 1, 0)"},
         {"initial_v", "if(y < 25, a/2, 0)"},
         {"equations", "dt(u) = lap(u) + u*(1 - u)*(u - (v + b)/a)/eps, dt(v) = u - v"}});
  return all;
}

inline std::unique_ptr<dae::Problem> kernel(MPI_Comm comm, const std::string& name, PetscInt n) {
  grid::BoxShape shape{.cells = {n, n}};
  if (name != "fitzhugh_nagumo") shape.periodic = {true, true};
  if (name == "gray_scott") {
    shape.upper = {2.5, 2.5, 1};
    return std::make_unique<GrayScott>(comm, shape);
  }
  if (name == "cahn_hilliard") return std::make_unique<CahnHilliard>(comm, shape);
  shape.upper = {50, 50, 1};
  return std::make_unique<Barkley>(comm, shape);
}

inline const std::vector<std::string> names{"gray_scott", "cahn_hilliard", "fitzhugh_nagumo"};

} // namespace by_hand
