#include "series_recorder.hpp"

#include <rhumb/io/checkpoint.hpp>

namespace rhumb::python {

void SeriesRecorder::begin(const bdf::Integrator& /*integrator*/, const io::Restart* from) {
  if (from) times_.skip_through(run::served_through(*from));
}

void SeriesRecorder::output(double t, Vec y, Vec ydot) {
  times_.advance();
  reached_.push_back(t);
  const auto values = problem_.series(t, y, ydot);
  if (series_.empty())
    for (const auto& [name, value] : values) series_.emplace_back(name, std::vector<double>());
  for (std::size_t i = 0; i < values.size(); ++i) series_.at(i).second.push_back(values[i].second);
}

} // namespace rhumb::python
