/// Tables of numbers: measurements to fit, what a fit has left, velocities on a side in two and three dimensions,
/// functions given by values, time series. Each reader gets the same input, and what it accepts is used.

#include "target.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/pde/text/table.hpp>
#include <rhumb/physics/flow/side_table.hpp>
#include <rhumb/physics/network/time_series.hpp>
#include <rhumb/run/fit_data.hpp>
#include <rhumb/run/fit_state.hpp>

namespace rhumb::fuzz {

namespace {
template <class Read>
void read(Read&& table) {
  try {
    table();
  } catch (const core::BadInput&) { // the next reader gets it all the same
  }
}

void use(const flow::SideTable& table) {
  for (int component = 0; component < 3; ++component)
    if (table.has(component))
      for (const double x : {-1e300, 0.0, 0.3, 1e300}) table.series(component, {x, x, x});
}
} // namespace

void test(std::string_view input) {
  const std::string text(input), file = memory_file(input);
  read([&] { run::FitData::parse(text, "data.csv").measurements(); });
  read([&] { run::FitParameter::parse(text); });
  read([&] { run::FitState::parse(run::FitState::parse(text, "fit.txt").text(), "fit.txt"); });
  for (const int dimension : {2, 3}) read([&] { use(flow::SideTable("bc_left", file, dimension)); });
  read([&] {
    text::Graph graph;
    text::look_up(graph, text::parse_table(text, "table.txt"), graph.constant(0.5));
  });
  for (const char* column : {"", "flow"})
    read([&] {
      const network::TimeSeries series = network::read_csv(file, column);
      series.jumps();
      for (const double t : {-1e300, 0.0, 5.0, 1e300}) series.at(t, t);
    });
}

} // namespace rhumb::fuzz
