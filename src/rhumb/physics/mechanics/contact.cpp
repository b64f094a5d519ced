/// Contacts: which of them touch, what an impact does to the velocities, and when one lets go.

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/physics/mechanics/saddle_point.hpp>
#include <rhumb/physics/mechanics/whole.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::mechanics {

namespace {
constexpr double touching_gap = 1e-9; // in units of length
}

/// At the start bodies touch where there is no gap between them and they do not part.
void Mechanism::close_contacts_at_start() {
  if (assembly_.contacts.empty()) return;
  const std::vector<double> none(at_.n, 0.0);
  const Whole at = whole_at(assembly_, 0.0, assembly_.q, assembly_.v, none);
  for (const Contact& contact : assembly_.contacts) {
    const std::size_t k = multiplier_of(contact);
    if (at.position[k] < -touching_gap)
      throw core::BadInput(fmt::format("{}: contact {}: its bodies overlap by {:.3g} at the start", name(),
                                       contact.name, -at.position[k]));
    open_[k] = at.position[k] > touching_gap || at.velocity[k] > assembly_.resting_speed ? 1 : 0;
  }
  Motion motion{assembly_.q, assembly_.v, {}, {}};
  let_go_of_pulled(0.0, motion);
}

std::vector<dae::Event> Mechanism::events() const {
  std::vector<dae::Event> events;
  for (const Contact& contact : assembly_.contacts)
    events.push_back({.name = contact.name, .direction = dae::Event::Direction::falling});
  return events;
}

void Mechanism::event_values(double t, Vec y, Vec, std::span<double> values) {
  const auto value = everywhere(y);
  const std::vector<double> none(at_.n, 0.0);
  const Values all(value);
  const Whole at = whole_at(assembly_, t, all.subspan(0, at_.n), all.subspan(at_.v, at_.n), none);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t k = multiplier_of(assembly_.contacts[i]);
    values[i] = is_open(k) ? at.position[k] : -value[at_.lambda + k];
  }
}

/// All ranks do the same with the same numbers.
dae::AfterEvent Mechanism::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  const auto value = everywhere(y);
  const auto block = [&value](std::size_t first, std::size_t count) {
    const auto begin = value.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  Motion motion{block(0, at_.n), block(at_.v, at_.n), {}, {}};
  std::vector<std::size_t> meeting;
  for (const int event : which) {
    const auto i = static_cast<std::size_t>(event);
    const std::size_t k = multiplier_of(assembly_.contacts[i]);
    if (is_open(k)) {
      meeting.push_back(i);
      impacts_[i] += 1.0;
    } else {
      open_[k] = 1;
    }
  }
  if (!meeting.empty()) bounce(t, meeting, motion);
  let_go_of_pulled(t, motion);
  name_fields();
  forget_linearisation();
  const core::Writable state(y), rate(ydot);
  if (state.size() > 0) write(motion, state.span(), rate.span());
  return dae::AfterEvent::restart;
}

/// Velocities after an impact, by Newton's law: at the contacts that meet the gap opens with the share `restitution` of
/// the speed at which it closed, and no other constraint is violated. A contact that would have to pull for that lets go.
void Mechanism::bounce(double t, const std::vector<std::size_t>& meeting, Motion& motion) {
  const std::vector<double> none(at_.n, 0.0);
  const Whole before = whole_at(assembly_, t, motion.q, motion.v, none);
  std::vector<double> wanted = negative(before.velocity);
  std::vector<std::size_t> parting;
  for (const std::size_t i : meeting) {
    const std::size_t k = multiplier_of(assembly_.contacts[i]);
    const double rebound = -assembly_.contacts[i].restitution * before.velocity[k];
    open_[k] = 0;
    if (rebound < assembly_.resting_speed) continue;
    wanted[k] += rebound;
    parting.push_back(k);
  }
  for (bool again = true; again;) {
    std::vector<double> change(at_.n, 0.0), impulse = closed_rows(wanted);
    SaddlePoint(t, motion.q, assembly_.parts, first_multiplier_, open_).solve(change, impulse);
    again = false;
    for (const Contact& contact : assembly_.contacts) {
      const std::size_t k = multiplier_of(contact);
      if (is_open(k) || impulse[k] <= 0.0) continue;
      open_[k] = 1;
      again = true;
    }
    if (again) continue;
    for (std::size_t i = 0; i < at_.n; ++i) motion.v[i] += change[i];
  }
  for (const std::size_t k : parting) open_[k] = 1;
}

/// Opens closed contacts whose force would be a pull, the strongest first, and finds accelerations and lambda.
void Mechanism::let_go_of_pulled(double t, Motion& motion) {
  for (;;) {
    find_forces(t, motion);
    std::size_t worst = at_.m;
    double pull = 0.0;
    for (const Contact& contact : assembly_.contacts) {
      const std::size_t k = multiplier_of(contact);
      if (is_open(k) || motion.lambda[k] <= pull) continue;
      pull = motion.lambda[k];
      worst = k;
    }
    if (worst == at_.m) return;
    open_[worst] = 1;
  }
}

std::vector<double> Mechanism::saved_state() const {
  std::vector<double> saved = impacts_;
  for (const Contact& contact : assembly_.contacts) saved.push_back(is_open(multiplier_of(contact)) ? 1.0 : 0.0);
  return saved;
}

void Mechanism::restore_state(std::span<const double> saved) {
  const std::size_t count = assembly_.contacts.size();
  if (saved.size() != 2 * count) throw core::BadInput("the checkpoint's memory is not that of this mechanism");
  for (std::size_t i = 0; i < count; ++i) {
    impacts_[i] = saved[i];
    open_[multiplier_of(assembly_.contacts[i])] = saved[count + i] != 0.0 ? 1 : 0;
  }
  name_fields();
  forget_linearisation();
}

} // namespace rhumb::mechanics
