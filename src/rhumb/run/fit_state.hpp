#pragma once
/// How far a fit has come: what `fit.txt` in its folder says, with which the same command goes on. Pure.

#include <rhumb/run/least_squares.hpp>

namespace rhumb::run {

struct FitState {
  LeastSquaresState at;
  double square = 0.0; ///< sum of squares there
  int runs = 0;        ///< so far
  std::string options; ///< lines that say which fit it is

  /// Numbers have all the digits that they need to come back the same.
  std::string text() const;
  /// Throws core::BadInput; `file` is for the message.
  static FitState parse(const std::string& text, const std::string& file);
};

} // namespace rhumb::run
