#include <rhumb/bdf/sensitivity.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <fmt/format.h>

/// Starts, events and checkpoints of sensitivities. At a start and at an event the system's own code is run with the
/// parameter on either side of its value, and the difference is taken: consistent values, what an event does to y, and
/// the time at which it happens are derivatives of that code.

namespace rhumb::bdf {

using core::check;

namespace {
/// Of the parameter's scale: how far it is moved to either side. What the system remembers of one side is compared with
/// what it remembers of the other at the end, so it stays the same throughout a run.
constexpr double side_offset = 1e-6;
/// More numbers than a system remembers.
constexpr double max_memory = 1e6;
} // namespace

double Sensitivity::offset(std::size_t column, Side side) const {
  const TangentParameter& p = columns_[column].parameter;
  const double shift = side_offset * p.scale;
  if (side == Side::above) return p.value + shift <= p.upper ? side_offset : 0.0;
  return p.value - shift >= p.lower ? -side_offset : 0.0;
}

void Sensitivity::on_side(std::size_t which, Side side, const std::function<void(double offset)>& body) {
  Column& column = columns_[which];
  const TangentParameter& p = column.parameter;
  dae::System& system = parts_.system.system();
  auto& memory = column.memory[static_cast<std::size_t>(side)];
  const auto saved = system.saved_state();
  if (!saved.empty()) system.restore_state(memory.empty() ? saved : memory);
  const double moved = offset(which, side);
  const auto restore = [&] {
    parts_.system.set_parameter(p.index, p.value);
    if (!saved.empty()) system.restore_state(saved);
  };
  try {
    parts_.system.set_parameter(p.index, p.value + moved * p.scale);
    body(moved);
    memory = system.saved_state();
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

/// Between the sides, where both have as many numbers; a number that is not finite does not move.
void Sensitivity::differentiate_memory(Column& column) {
  TangentParameter& p = column.parameter;
  p.memory.clear();
  p.memory_rate.clear();
  const auto& [above, below] = column.memory;
  if (above == below || above.size() != below.size()) return;
  auto present = parts_.system.system().saved_state();
  if (present.size() != above.size()) return;
  const std::size_t which = index_of(column);
  const double distance = p.scale * (offset(which, Side::above) - offset(which, Side::below));
  p.memory_rate.resize(above.size());
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double rate = (above[i] - below[i]) / distance;
    p.memory_rate[i] = std::isfinite(rate) ? rate : 0.0;
  }
  p.memory = std::move(present);
}

/// z and z' of the column from values that `body` finds on either side.
void Sensitivity::difference_of_sides(Column& column,
                                      const std::function<void(Side side, double offset, Vec y, Vec ydot)>& body) {
  std::array<core::VecHandle, 2> y, ydot;
  const std::size_t which = index_of(column);
  for (const Side side : both_sides) {
    const auto i = static_cast<std::size_t>(side);
    y[i] = core::same_layout(residual_);
    ydot[i] = core::same_layout(residual_);
    on_side(which, side, [&](double moved) { body(side, moved, y[i], ydot[i]); });
  }
  const double distance = offset(which, Side::above) - offset(which, Side::below);
  const auto take = [&](const std::array<core::VecHandle, 2>& sides, Vec out) {
    check(VecWAXPY(out, -1.0, sides[1], sides[0]));
    check(VecScale(out, 1.0 / distance));
  };
  take(y, column.z);
  take(ydot, column.zdot);
}

void Sensitivity::take_initial_values(double t, const Search& search) {
  for (auto& column : columns_) {
    column.memory = {};
    difference_of_sides(column, [&](Side, double, Vec y, Vec ydot) {
      parts_.system.system().initial_values(t, y, ydot);
      search(t, y, ydot);
    });
  }
}

void Sensitivity::carry_to(double t, int degree) {
  for (auto& column : columns_) column.history.interpolate(t, degree, column.z, column.zdot);
}

void Sensitivity::make_consistent(double t, Vec given_y, Vec given_ydot, const Search& search) {
  const auto z = core::same_layout(residual_), zdot = core::same_layout(residual_);
  for (auto& column : columns_) {
    check(VecCopy(column.z, z));
    check(VecCopy(column.zdot, zdot));
    difference_of_sides(column, [&](Side, double moved, Vec y, Vec ydot) {
      check(VecWAXPY(y, moved, z, given_y));
      check(VecWAXPY(ydot, moved, zdot, given_ydot));
      search(t, y, ydot);
    });
  }
}

void Sensitivity::begin(double t, double h) {
  for (auto& column : columns_) column.history.begin(t, column.z, column.zdot, h);
}

void Sensitivity::begin_exact(double t, double h, std::size_t points) {
  for (auto& column : columns_) {
    std::vector<core::VecHandle> past(points);
    for (std::size_t i = 0; i < points; ++i) {
      difference_of_sides(column, [&](Side, double, Vec y, Vec ydot) {
        parts_.system.system().exact(t - static_cast<double>(i) * h, y);
        check(VecSet(ydot, 0.0));
      });
      past[i] = core::same_layout(residual_);
      check(VecCopy(column.z, past[i]));
    }
    column.history.begin(t, past, h);
  }
}

/// g(t, y, y'; p) = 0 at the event's time: dt/dp = -(g_y s + g_y' s' + g_p) / (dg/dt).
void Sensitivity::meet_event(const LinearizationPoint& at, int degree, const RootFunction& root, double rate_of_root) {
  carry_to(at.t, degree);
  const auto y = core::same_layout(residual_), ydot = core::same_layout(residual_);
  for (auto& column : columns_) {
    std::array<double, 2> value{};
    const std::size_t which = index_of(column);
    for (const Side side : both_sides)
      on_side(which, side, [&](double moved) {
        check(VecWAXPY(y, moved, column.z, at.y));
        check(VecWAXPY(ydot, moved, column.zdot, at.ydot));
        value[static_cast<std::size_t>(side)] = root(at.t, y, ydot);
      });
    const double along = (value[0] - value[1]) / (offset(which, Side::above) - offset(which, Side::below));
    column.event_time = rate_of_root != 0.0 ? -along / rate_of_root : 0.0;
  }
}

void Sensitivity::tell_of_event(const LinearizationPoint& at, std::span<const int> which) {
  const auto z = core::same_layout(residual_), zdot = core::same_layout(residual_);
  for (auto& column : columns_) {
    const double delay = column.event_time;
    check(VecWAXPY(z, delay, at.ydot, column.z)); // dy/dp at the event, whose time moves
    check(VecCopy(column.zdot, zdot));
    difference_of_sides(column, [&](Side, double moved, Vec y, Vec ydot) {
      check(VecWAXPY(y, moved, z, at.y));
      check(VecWAXPY(ydot, moved, zdot, at.ydot));
      parts_.system.on_event(at.t + moved * delay, which, y, ydot);
    });
  }
}

void Sensitivity::pass_event(Vec ydot) {
  for (auto& column : columns_) check(VecAXPY(column.z, -column.event_time, ydot));
}

void Sensitivity::visit_values(const std::function<void(const std::string&, double)>& put) const {
  put("sensitivities", static_cast<double>(columns_.size()));
  if (columns_.empty()) return;
  put("sensitivity_residuals", static_cast<double>(tangent_.count()));
  put("sensitivity_matrices", static_cast<double>(tangent_.matrices()));
  put("sensitivity_evals", static_cast<double>(parts_.system.counts.sensitivity));
  put("sensitivity_iterations", static_cast<double>(counts_.iterations));
  put("sensitivity_krylov", static_cast<double>(counts_.krylov));
  put("sensitivity_setups", static_cast<double>(setups_));
  put("sensitivity_alpha", alpha_);
  for (const auto& column : columns_) {
    const std::string name = fmt::format("sensitivity{}_", index_of(column) + 1);
    put(name + "parameter", static_cast<double>(column.parameter.index));
    put(name + "value", column.parameter.value);
    put(name + "scale", column.parameter.scale);
    put(name + "contraction", column.rate.contraction());
    put(name + "event_time", column.event_time);
    for (const Side side : both_sides) {
      const auto& memory = column.memory[static_cast<std::size_t>(side)];
      const char* which = side == Side::above ? "above" : "below";
      put(fmt::format("{}{}", name, which), static_cast<double>(memory.size()));
      for (std::size_t i = 0; i < memory.size(); ++i) put(fmt::format("{}{}_{}", name, which, i), memory[i]);
    }
  }
}

void Sensitivity::restore_state(const std::function<double(const std::string&)>& value) {
  tangent_.set_count(static_cast<long>(value("sensitivity_residuals")));
  tangent_.set_matrices(static_cast<long>(value("sensitivity_matrices")));
  parts_.system.counts.sensitivity = static_cast<long>(value("sensitivity_evals"));
  counts_ = {static_cast<long>(value("sensitivity_iterations")), static_cast<long>(value("sensitivity_krylov"))};
  setups_ = static_cast<long>(value("sensitivity_setups"));
  alpha_ = value("sensitivity_alpha");
  for (auto& column : columns_) {
    const std::string name = fmt::format("sensitivity{}_", index_of(column) + 1);
    column.rate.set_contraction(value(name + "contraction"));
    column.event_time = value(name + "event_time");
    for (const Side side : both_sides) {
      const char* which = side == Side::above ? "above" : "below";
      const double size = value(fmt::format("{}{}", name, which));
      if (!(size >= 0.0 && size <= max_memory))
        throw core::BadInput(fmt::format("the checkpoint's number '{}{}' is {:g}: expected at most {:g}", name, which,
                                         size, max_memory));
      auto& memory = column.memory[static_cast<std::size_t>(side)];
      memory.assign(static_cast<std::size_t>(size), 0.0);
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = value(fmt::format("{}{}_{}", name, which, i));
    }
  }
}

} // namespace rhumb::bdf
