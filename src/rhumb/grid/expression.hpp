#pragma once
/// A formula of a case file (core/formula.hpp) in the variables that coefficients and boundary values have: the place,
/// the time and the temperature.

#include <rhumb/core/formula.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::grid {

/// What a formula is evaluated at. In radial geometry x is the radius.
struct Where {
  std::array<double, 3> x{};
  double t = 0.0;
  double T = 0.0;
};

/// Many places at one time. What the formula does not use may be null.
struct PointBatch {
  std::size_t count = 0;
  std::array<const double*, 3> x{};
  double t = 0.0;
  const double* T = nullptr;
};

/// Values at places and times, whatever gives them.
class PlaceFunction {
public:
  virtual ~PlaceFunction() = default;
  virtual double operator()(const Where& where) const = 0;
  /// d/dt
  virtual double rate(const Where& where) const = 0;
  virtual void evaluate(const PointBatch& points, double* values) const = 0;
  /// Whether values differ from one evaluation to the next: with t, or with parameters.
  virtual bool moves() const = 0;
};

class Expression final : public PlaceFunction {
public:
  using Constants = std::vector<std::pair<std::string, double>>;

  /// `option` is where the text comes from, for messages; `letters` are the variables that it may use: among x y z t T,
  /// and r for the radius; `constants` are further names. Throws core::BadInput that shows the place of the mistake.
  Expression(std::string option, const std::string& text, std::string letters, const Constants& constants = {});

  double operator()(const Where& where) const override;
  /// Exact derivatives, with respect to T and to t.
  double derivative_by_T(const Where& where) const { return derivative(where, 'T'); }
  double rate(const Where& where) const override { return derivative(where, 't'); }

  void evaluate(const PointBatch& points, double* values) const override;
  /// Derivatives with respect to T.
  void evaluate_derivatives(const PointBatch& points, double* derivatives) const;

  bool uses(char letter) const { return used_.find(letter) != std::string::npos; }
  bool moves() const override { return uses('t'); }
  bool uses_position() const { return uses('x') || uses('y') || uses('z') || uses('r'); }
  const std::string& option() const { return option_; }
  const std::string& text() const { return formula_.text(); }

private:
  double derivative(const Where& where, char letter) const;

  static constexpr std::size_t most_letters = 6;

  std::string option_, letters_, used_;
  core::Formula formula_;
};

} // namespace rhumb::grid
