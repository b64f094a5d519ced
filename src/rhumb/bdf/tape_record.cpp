#include <rhumb/bdf/tape.hpp>

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <cmath>
#include <limits>

/// A tape as one list of numbers and one of vectors: one function says what is in it, for writing and for reading.

namespace rhumb::bdf {

namespace {
constexpr double largest_count = 1e15;

/// Takes note of everything; vectors stay where they are.
class Writing {
public:
  StepRecord out;
  void number(double& value) { out.numbers.push_back(value); }
  template <class Whole>
  void whole(Whole& value) {
    out.numbers.push_back(static_cast<double>(value));
  }
  void vector(core::VecHandle& v) { out.vectors.emplace_back(v.get()); }
  template <class Items, class Visit>
  void all(Items& items, Visit&& visit) {
    out.numbers.push_back(static_cast<double>(items.size()));
    for (auto& item : items) visit(item);
  }
};

/// The same in the same order, from a record that may be damaged.
class Reading {
public:
  Reading(const StepRecord& from, Vec model) : from_(from), model_(model) {}
  void number(double& value) { value = next(); }
  template <class Whole>
  void whole(Whole& value) {
    const double found = next();
    if (!(found >= 0.0 && found <= largest_count && found == std::floor(found))) fail();
    value = static_cast<Whole>(found);
  }
  void vector(core::VecHandle& v) {
    if (vector_ >= from_.vectors.size()) fail();
    v = core::same_layout(model_);
    core::check(VecCopy(from_.vectors[vector_++], v));
  }
  template <class Items, class Visit>
  void all(Items& items, Visit&& visit) {
    std::size_t count = 0;
    whole(count);
    if (count > from_.numbers.size()) fail();
    for (std::size_t i = 0; i < count; ++i) visit(items.emplace_back());
  }
  void end() const {
    if (number_ != from_.numbers.size() || vector_ != from_.vectors.size()) fail();
  }
  [[noreturn]] static void fail() { throw core::BadInput("the checkpoint's record of its steps is damaged"); }

private:
  double next() {
    if (number_ >= from_.numbers.size()) fail();
    return from_.numbers[number_++];
  }
  const StepRecord& from_;
  Vec model_;
  std::size_t number_ = 0, vector_ = 0;
};

template <class Archive>
void visit(Archive& a, std::vector<double>& values) {
  a.all(values, [&](double& value) { a.number(value); });
}

template <class Archive>
void visit(Archive& a, Tape::Step& step) {
  a.number(step.t);
  a.whole(step.coefficients.order);
  for (double& h : step.steps) a.number(h);
  a.vector(step.y);
  a.vector(step.ydot);
  if (step.coefficients.order < 1 || step.coefficients.order > highest_order) Reading::fail();
}

template <class Archive>
void visit(Archive& a, Tape::Jump& jump) {
  a.number(jump.t);
  a.number(jump.root_rate);
  a.all(jump.events, [&](int& event) { a.whole(event); });
  visit(a, jump.saved_state);
  for (auto* v : {&jump.y, &jump.ydot, &jump.new_y, &jump.new_ydot}) a.vector(*v);
}

template <class Archive>
void visit(Archive& a, Tape::Stretch& stretch) {
  a.whole(stretch.first);
  a.number(stretch.t);
  visit(a, stretch.saved_state);
  visit(a, stretch.parameters);
  a.whole(stretch.exact_past);
  bool behind_jump = stretch.jump.has_value();
  a.whole(behind_jump);
  if (behind_jump && !stretch.jump) stretch.jump.emplace();
  if (stretch.jump) visit(a, *stretch.jump);
}

/// The names are those of an integrator's state.
template <class Archive>
void visit(Archive& a, Tape::Checkpoint& one, const CheckpointState& like) {
  a.whole(one.step);
  double limit = one.limit.value_or(std::numeric_limits<double>::quiet_NaN());
  a.number(limit);
  one.limit = std::isnan(limit) ? std::nullopt : std::optional(limit);
  visit(a, one.saved_state);
  one.scalars.resize(like.scalars.size());
  for (std::size_t i = 0; i < like.scalars.size(); ++i) {
    one.scalars[i].first = like.scalars[i].first;
    a.number(one.scalars[i].second);
  }
  one.vectors.resize(like.vectors.size());
  for (std::size_t i = 0; i < like.vectors.size(); ++i) {
    one.vectors[i].first = like.vectors[i].first;
    a.vector(one.vectors[i].second);
  }
}
} // namespace

template <class Archive>
void Tape::visit_all(Archive& a, const CheckpointState& like) {
  a.whole(interval_);
  a.whole(total_);
  a.whole(first_);
  a.all(stretches_, [&](Stretch& stretch) { visit(a, stretch); });
  a.all(checkpoints_, [&](Checkpoint& one) { visit(a, one, like); });
  a.all(steps_, [&](Step& step) { visit(a, step); });
}

StepRecord Tape::record(const CheckpointState& like) {
  Writing writing;
  visit_all(writing, like);
  return std::move(writing.out);
}

void Tape::restore(const StepRecord& from, const CheckpointState& like) {
  Reading reading(from, like.vectors.at(0).second);
  visit_all(reading, like);
  reading.end();
  count_ = total_;
  if (stretches_.empty() || checkpoints_.empty() || first_ + steps_.size() != total_) Reading::fail();
  for (const Stretch& stretch : stretches_)
    if (stretch.jump) budget_ -= vectors_of_jump;
  for (Step& step : steps_)
    step.coefficients = coefficients(std::span(step.steps).subspan(1), step.steps[0], step.coefficients.order);
  while (steps_.size() > max_steps()) { // where there is less memory now
    steps_.pop_front();
    ++first_;
  }
}

} // namespace rhumb::bdf
