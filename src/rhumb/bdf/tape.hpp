#pragma once
/// The accepted steps of a run, for the sweep back over them. Within its budget of memory the tape keeps every step (y and
/// y', two vectors); beyond it, the last steps and states of the integrator at regular ones (some ten vectors each), from
/// which the steps between are taken once more, bit for bit. Where those do not fit either, states between are kept on the
/// way, and so on: each level costs about one more run.

#include <rhumb/bdf/coefficients.hpp>
#include <rhumb/core/handle.hpp>
#include <rhumb/dae/system.hpp>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace rhumb::bdf {

struct CheckpointState;
struct StepRecord;

class Tape {
public:
  struct Step {
    double t = 0.0; ///< at its end
    Coefficients coefficients;
    std::array<double, past_step_count> steps{}; ///< h_n, h_{n-1}, ... with its own
    core::VecHandle y, ydot;                     ///< at its end
  };
  /// What led from one stretch to the next, on the interpolant of the last step before it.
  struct Jump {
    double t = 0.0;
    std::vector<int> events;         ///< of the system and of the watch; none at a break
    double root_rate = 0.0;          ///< of the first event's root function along the solution
    std::vector<double> saved_state; ///< of the system, before
    core::VecHandle y, ydot;         ///< before
    core::VecHandle new_y, new_ydot; ///< the consistent start behind it
  };
  /// Steps between two starts of the integration.
  struct Stretch {
    std::size_t first = 0;           ///< of its steps
    double t = 0.0;                  ///< where it starts
    std::vector<double> saved_state; ///< of the system
    std::vector<double> parameters;  ///< their values
    bool exact_past = false;         ///< it began with the exact solution at several points
    std::optional<Jump> jump = {};   ///< before it
  };
  /// From which steps can be repeated.
  struct Checkpoint {
    std::size_t step = 0; ///< the next one
    std::vector<std::pair<std::string, double>> scalars;
    std::vector<std::pair<std::string, core::VecHandle>> vectors;
    std::vector<double> saved_state; ///< of the system
    std::optional<double> limit;     ///< of Integrator::stop_at
  };

  /// `bytes` on all ranks together. Throws core::BadInput where even few steps do not fit.
  /// `option` is what messages call the number of bytes.
  Tape(Vec model, double bytes, const std::string& option);

  /// Before the system hears of an event, and before any other restart: at (t, y, y').
  void meet(double t, std::span<const int> events, double root_rate, Vec y, Vec ydot, std::vector<double> saved_state);
  /// A start at (t, y, y'), made consistent.
  void begin(double t, Vec y, Vec ydot, const dae::System& system, bool exact_past);
  void add(const Coefficients& c, std::span<const double> steps, double t, Vec y, Vec ydot);
  /// Whether a checkpoint is to be kept before the next step.
  bool wants_checkpoint() const;
  bool replaying() const { return replaying_; }
  void keep(const CheckpointState& state, std::vector<double> saved_state, std::optional<double> limit);

  /// All steps of the run.
  std::size_t count() const { return total_; }
  const std::vector<Stretch>& stretches() const { return stretches_; }
  bool has(std::size_t step) const { return step >= first_ && step < first_ + steps_.size(); }
  const Step& operator[](std::size_t step) const { return steps_.at(step - first_); }
  /// The last one at or before the step.
  const Checkpoint& checkpoint_before(std::size_t step) const;
  /// Steps that are added from now on are those from `first`, that of the last checkpoint, to `last`, once more.
  void begin_replay(std::size_t first, std::size_t last);
  /// No step from this one on is needed any more.
  void drop_from(std::size_t step);

  /// All of it, for a checkpoint between two steps; `like` is a state of the integrator. Vectors are borrowed.
  StepRecord record(const CheckpointState& like);
  /// Into a new tape. Throws core::BadInput where the record is none of such an integrator.
  void restore(const StepRecord& from, const CheckpointState& like);

private:
  static constexpr double vectors_of_jump = 4.0;
  template <class Archive>
  void visit_all(Archive& archive, const CheckpointState& like);
  std::size_t max_checkpoints() const;
  std::size_t max_steps() const;
  void make_room();
  /// Replays do not pass from one stretch to the next.
  bool begins_stretch(const Checkpoint& checkpoint) const;

  double budget_;         ///< in vectors
  std::size_t interval_;  ///< steps between checkpoints
  std::size_t total_ = 0; ///< steps of the run
  std::size_t count_ = 0; ///< the next step
  std::size_t first_ = 0; ///< of those in steps_
  std::deque<Step> steps_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<Stretch> stretches_;
  std::optional<Jump> jump_; ///< met, before the start behind it
  std::string option_;
  bool replaying_ = false;
};

} // namespace rhumb::bdf
