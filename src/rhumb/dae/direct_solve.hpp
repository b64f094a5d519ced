#pragma once
/// What a Problem may offer beside: another form of its equations for direct solves, where its own suits iterations but
/// has a singular matrix.

namespace rhumb::dae {

class DirectSolve {
public:
  DirectSolve() = default;
  virtual ~DirectSolve() = default;
  DirectSolve(const DirectSolve&) = delete;
  DirectSolve& operator=(const DirectSolve&) = delete;

  /// Whether the run that begins factors the matrix; it asks for a matrix afterwards. Throws core::BadInput where the
  /// equations must stay as they are.
  virtual void set_direct_solve(bool direct) = 0;
};

} // namespace rhumb::dae
