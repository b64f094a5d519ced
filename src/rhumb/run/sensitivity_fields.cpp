#include <rhumb/run/sensitivity_fields.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/io/snapshot_contents.hpp>
#include <fmt/format.h>

namespace rhumb::run {

using core::check;

namespace {

/// What is taken on one side of a parameter.
struct Taken {
  std::vector<grid::FieldBlock> fields;
  std::vector<std::pair<std::string, double>> series;
};

std::string derivative_unit(const std::string& unit, const std::string& by) {
  return unit.empty() || by.empty() ? "" : fmt::format("{}/({})", unit, by);
}

void rename(grid::FieldBlock& field, const dae::Parameter& by) {
  field.name = fmt::format("s_{}_{}", field.name, by.name);
  field.unit = derivative_unit(field.unit, by.unit);
  field.long_name = field.long_name.empty() ? "" : fmt::format("derivative of {} by {}", field.long_name, by.name);
}

void add_difference(Taken above, const Taken& below, double distance, const dae::Parameter& by, io::Additions& out) {
  for (std::size_t i = 0; i < above.fields.size(); ++i) {
    auto& values = above.fields[i].data.values;
    const auto& others = below.fields.at(i).data.values;
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = (values[j] - others.at(j)) / distance;
    rename(above.fields[i], by);
    out.fields.push_back(std::move(above.fields[i]));
  }
  for (std::size_t i = 0; i < above.series.size(); ++i)
    out.series.emplace_back(fmt::format("s_{}_{}", above.series[i].first, by.name),
                            (above.series[i].second - below.series.at(i).second) / distance);
}

} // namespace

io::Additions sensitivity_fields(bdf::Integrator& integrator, const bdf::Sensitivities& wanted, dae::Problem& problem,
                                 double t, Vec y, Vec ydot) {
  io::Additions out;
  const auto known = problem.parameters();
  auto* geometry = dynamic_cast<grid::Geometry*>(&problem);
  const auto s = core::same_layout(y), sdot = core::same_layout(y), moved = core::same_layout(y),
             moved_dot = core::same_layout(y);
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(y));
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const dae::Parameter& by = known[wanted.parameters[i].index];
    integrator.interpolate_sensitivity(i, t, s, sdot);
    std::array<Taken, 2> sides;
    std::array<double, 2> shifts{};
    for (const bdf::Side side : bdf::both_sides)
      integrator.beside(i, side, [&](double shift) {
        check(VecWAXPY(moved, shift, s, y));
        check(VecWAXPY(moved_dot, shift, sdot, ydot));
        auto& taken = sides[static_cast<std::size_t>(side)];
        if (geometry) taken.fields = geometry->fields(t, moved, moved_dot);
        taken.series = problem.series(t, moved, moved_dot);
        shifts[static_cast<std::size_t>(side)] = shift;
      });
    add_difference(std::move(sides[0]), sides[1], shifts[0] - shifts[1], by, out);
    if (geometry) continue;
    for (auto& field : io::listed_fields(comm, problem, s)) { // s itself: a difference would lose digits
      rename(field, by);
      out.fields.push_back(std::move(field));
    }
  }
  return out;
}

} // namespace rhumb::run
