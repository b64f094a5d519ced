#include <rhumb/bdf/tape.hpp>

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace rhumb::bdf {

using core::check;

namespace {
constexpr double vectors_of_step = 2.0;
constexpr double vectors_of_checkpoint = 4.0 + kept_differences; ///< y, y', the matrix's point, the differences
constexpr std::size_t first_interval = 16;
/// Of the budget, for checkpoints; and of those, for the ones that the run itself keeps: others may come on the way back.
constexpr double part_of_checkpoints = 0.5, part_of_run = 0.75;
constexpr double fewest_vectors = 4.0 * vectors_of_step * static_cast<double>(first_interval);

core::VecHandle copy_of(Vec v) {
  core::VecHandle out = core::same_layout(v);
  check(VecCopy(v, out));
  return out;
}

double bytes_of(Vec v) {
  PetscInt size = 0;
  check(VecGetSize(v, &size));
  return static_cast<double>(size) * sizeof(double);
}
} // namespace

Tape::Tape(Vec model, double bytes, const std::string& option)
    : budget_(bytes / bytes_of(model)), interval_(first_interval), option_(option) {
  if (budget_ >= fewest_vectors) return;
  throw core::BadInput(fmt::format("{}: {:.3g} MB hold {:.0f} vectors of this system; at least {:.3g} MB "
                                   "are needed to sweep back over its steps",
                                   option, bytes / 1e6, budget_, fewest_vectors * bytes_of(model) / 1e6));
}

void Tape::meet(double t, std::span<const int> events, double root_rate, Vec y, Vec ydot,
                std::vector<double> saved_state) {
  if (replaying_) return;
  jump_ = Jump{t, {events.begin(), events.end()}, root_rate, std::move(saved_state), copy_of(y), copy_of(ydot), {}, {}};
}

void Tape::begin(double t, Vec y, Vec ydot, const dae::System& system, bool exact_past) {
  if (replaying_) return;
  Stretch stretch{count_, t, system.saved_state(), {}, exact_past, std::move(jump_)};
  jump_.reset();
  for (const auto& parameter : system.parameters()) stretch.parameters.push_back(parameter.value);
  if (stretch.jump) {
    stretch.jump->new_y = copy_of(y);
    stretch.jump->new_ydot = copy_of(ydot);
    budget_ -= vectors_of_jump;
  }
  stretches_.push_back(std::move(stretch));
  const auto held = static_cast<double>(stretches_.size());
  if (stretches_.size() > 1 && budget_ - held * vectors_of_checkpoint < fewest_vectors)
    throw core::BadInput(fmt::format("{}: the integration has begun anew {} times, and there is no memory left for "
                                     "the steps between; nearest: more of it",
                                     option_, stretches_.size() - 1));
}

bool Tape::begins_stretch(const Checkpoint& checkpoint) const {
  const auto found = std::ranges::lower_bound(stretches_, checkpoint.step, {}, &Stretch::first);
  return found != stretches_.end() && found->first == checkpoint.step;
}

void Tape::add(const Coefficients& c, std::span<const double> steps, double t, Vec y, Vec ydot) {
  Step step{t, c, {}, copy_of(y), copy_of(ydot)};
  std::copy_n(steps.begin(), step.steps.size(), step.steps.begin());
  steps_.push_back(std::move(step));
  ++count_;
  total_ = std::max(total_, count_);
  make_room();
}

std::size_t Tape::max_checkpoints() const {
  const double part = part_of_checkpoints * (replaying_ ? 1.0 : part_of_run);
  return static_cast<std::size_t>(part * budget_ / vectors_of_checkpoint);
}

std::size_t Tape::max_steps() const {
  const double left = budget_ - vectors_of_checkpoint * static_cast<double>(checkpoints_.size());
  return static_cast<std::size_t>(left / vectors_of_step);
}

bool Tape::wants_checkpoint() const {
  if (checkpoints_.empty()) return true;
  if (!replaying_ && stretches_.back().first == count_ && checkpoints_.back().step < count_) return true;
  return count_ >= checkpoints_.back().step + interval_ && !(replaying_ && checkpoints_.size() >= max_checkpoints());
}

void Tape::keep(const CheckpointState& state, std::vector<double> saved_state, std::optional<double> limit) {
  Checkpoint kept{count_, state.scalars, {}, std::move(saved_state), limit};
  for (const auto& [name, vector] : state.vectors) kept.vectors.emplace_back(name, copy_of(vector));
  checkpoints_.push_back(std::move(kept));
  make_room();
}

/// Where checkpoints are too many every other one goes; what they leave is for the last steps.
void Tape::make_room() {
  if (steps_.size() <= max_steps()) return;
  if (!replaying_ && checkpoints_.size() > max_checkpoints()) {
    interval_ *= 2;
    std::size_t index = 0;
    std::erase_if(checkpoints_, [&](const Checkpoint& one) { return index++ % 2 == 1 && !begins_stretch(one); });
  }
  while (steps_.size() > max_steps()) {
    steps_.pop_front();
    ++first_;
  }
}

const Tape::Checkpoint& Tape::checkpoint_before(std::size_t step) const {
  const auto behind = std::ranges::upper_bound(checkpoints_, step, {}, &Checkpoint::step);
  return *std::prev(behind);
}

void Tape::begin_replay(std::size_t first, std::size_t last) {
  replaying_ = true;
  steps_.clear();
  first_ = count_ = first;
  const std::size_t length = last + 1 - first,
                    free = max_checkpoints() - std::min(checkpoints_.size(), max_checkpoints());
  interval_ = std::max(max_steps() / 2, length / (free + 1) + 1);
}

void Tape::drop_from(std::size_t step) {
  while (!steps_.empty() && first_ + steps_.size() > step) steps_.pop_back();
  while (checkpoints_.size() > 1 && checkpoints_.back().step >= step) checkpoints_.pop_back();
}

} // namespace rhumb::bdf
