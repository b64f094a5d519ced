#pragma once
/// A case on a mesh whose points move, as a problem to run: what pde/moving and pde/moving_box make of its equations, with
/// the figures of the text.

#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/compiled_programs.hpp>
#include <rhumb/pde/text/moving_equations.hpp>
#include <rhumb/pde/text/moving_figures.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace rhumb::text {

/// Problems on moving meshes of a line or a plane. Collective. Throw BadInput in words where there are too many fields.
std::unique_ptr<dae::Problem> make_moving_line(MPI_Comm comm, const core::Options& options, Case read, bool compiled);
std::unique_ptr<dae::Problem> make_moving_plane(MPI_Comm comm, const core::Options& options, Case read, bool compiled);

/// The part of both that knows the case; `Base` is their System.
template <class Base>
class MovingSystem : public Base {
public:
  template <class Pde, class Description>
  MovingSystem(MPI_Comm comm, const core::Options& options, Case read,
               const std::shared_ptr<MovingEquations>& equations, Pde pde, Description about)
      : Base(comm, options, std::move(pde), std::move(about)), case_(std::move(read)), figures_(case_),
        equations_(equations) {
    const auto& parameters = case_.model.parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p)
      this->parameters_.add({.name = parameters[p].name, .value = parameters[p].value}, equations->parameters()[p]);
    this->parameters_.on_change([this] { equations_->forget(); });
  }

  void compile(MPI_Comm comm) { code_ = compile_programs(comm, equations_->programs()); }

  std::vector<std::string> options_free_to_change() const override {
    auto all = Base::options_free_to_change();
    all.emplace_back("compile");
    return all;
  }
  std::vector<std::string> remarks() const override {
    auto all = Base::remarks();
    all.push_back(describe_kinds(case_.model));
    return all;
  }
  dae::Figures report(double t, Vec y, Vec ydot) override {
    dae::Figures all;
    for (auto& [name, value] : figures(t, y)) all.emplace_back(name, value);
    add_others(all, Base::report(t, y, ydot));
    return all;
  }
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override {
    auto all = figures(t, y);
    add_others(all, Base::series(t, y, ydot));
    return all;
  }

protected:
  /// All corners of this rank's cells, as MovingFigures wants them; the communicator has each cell once.
  struct Cells {
    MPI_Comm comm;
    std::vector<double> corners;
  };
  virtual Cells cells(Vec y) = 0;

private:
  std::vector<std::pair<std::string, double>> figures(double t, Vec y) {
    const Cells now = cells(y);
    return figures_.values(now.comm, t, equations_->parameters(), now.corners);
  }
  /// What the mesh reports of itself; a figure of the text goes before one of the same name.
  template <class List>
  static void add_others(List& all, const List& others) {
    for (const auto& other : others)
      if (std::ranges::none_of(all, [&](const auto& known) { return known.first == other.first; }))
        all.push_back(other);
  }

  Case case_;
  MovingFigures figures_;
  std::shared_ptr<MovingEquations> equations_;
  CompiledCode code_;
};

/// The problem for as many fields as the case has: make<n>() for n = 1 ... most. Throws BadInput where there are more.
template <int most, class Make>
std::unique_ptr<dae::Problem> with_fields(std::size_t fields, const Make& make) {
  if (fields > most)
    throw core::BadInput(
        fmt::format("moving: {} fields (those that were added for higher derivatives count) are too many: "
                    "points move for up to {} here",
                    fields, most));
  std::unique_ptr<dae::Problem> made;
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((fields == n + 1 ? void(made = make.template operator()<n + 1>()) : void()), ...);
  }
  (std::make_integer_sequence<int, most>());
  return made;
}

} // namespace rhumb::text
