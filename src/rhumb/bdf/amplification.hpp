#pragma once
/// Whether algebraic variables of index 1 amplify the errors of differential ones: in SIE's first example an error of x1
/// comes back c times in x3. The differences of such a variable hold the jumps of these errors from step to step, not
/// its own smoothness: the standard test then takes many steps and still misses much. The filter of BCP (5.4.9) does
/// neither. Looked at, now and then and after failed error tests, is
///   R = ||alpha G^-1 A e||, algebraic variables only, over ||e||, differential ones only,
/// in accepted steps: one product and one solve. Where ||e|| of all variables is as large as the numerator, the standard
/// test sees the amplified errors and is the safer one. Pure arithmetic.

namespace rhumb::bdf {

class Amplification {
public:
  /// Whether it is time for a look in the step with this number and this error estimate: the longer the looks find
  /// nothing, the fewer they are.
  bool is_due(long step, double error) const;
  /// Takes what a look in that step has found, in tolerances: numerator and denominator of R, and ||e|| of all variables.
  void note(double algebraic, double differential, double all, long step);
  /// Once for sure or twice in a row.
  bool found() const { return score_ >= enough; }

  /// For checkpoints.
  struct State {
    double score = 0.0;
    long next_look = 0, pause = 1;
  };
  State saved_state() const { return {score_, next_look_, pause_}; }
  void restore_state(const State& state) {
    score_ = state.score;
    next_look_ = state.next_look;
    pause_ = state.pause;
  }

private:
  static constexpr double enough = 2.0;
  double score_ = 0.0;
  long next_look_ = 0, pause_ = 1;
};

} // namespace rhumb::bdf
