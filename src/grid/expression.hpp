#pragma once
/// A formula of a case file, such as `300 + 20*sin(2*pi*t)` or `0.8*(1 + 1e-3*(T - 300))`, read by muParser.
/// Beside muParser's functions it knows `pi`, and the variables that its place allows.

#include <array>
#include <memory>
#include <string>

namespace rhumb::grid {

/// What a formula is evaluated at. In radial geometry x is the radius.
struct Where {
  std::array<double, 3> x{};
  double t = 0.0;
  double T = 0.0;
};

class Expression {
public:
  /// `option` is where the text comes from, for messages; `variables` are the letters it may use: among x y z t T, and
  /// r for the radius. Throws core::BadInput that shows the place of the mistake in the text.
  Expression(std::string option, std::string text, const std::string& variables);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  double operator()(const Where& where) const;
  /// Derivative with respect to T, by a central difference that is exact for quadratics and good to about 1e-10.
  double slope(const Where& where) const;

  bool uses(char variable) const;
  bool uses_place() const { return uses('x') || uses('y') || uses('z') || uses('r'); }
  const std::string& option() const { return option_; }
  const std::string& text() const { return text_; }

private:
  struct Parser;
  [[noreturn]] void refuse(const std::string& reason, long position) const;

  std::string option_, text_;
  std::unique_ptr<Parser> parser_;
  std::string used_; ///< letters
};

} // namespace rhumb::grid
