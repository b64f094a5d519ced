#include "physics/movingmesh/expression.hpp"

#include "core/failure.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>
#include <optional>

namespace rhumb::movingmesh {

namespace {
using Action = Expression::Action;
using Step = Expression::Step;

struct Function {
  const char* name;
  Action action;
  int arguments;
};

constexpr std::array functions{
    Function{"sin", Action::sin, 1},   Function{"cos", Action::cos, 1},   Function{"tan", Action::tan, 1},
    Function{"atan", Action::atan, 1}, Function{"sinh", Action::sinh, 1}, Function{"cosh", Action::cosh, 1},
    Function{"tanh", Action::tanh, 1}, Function{"exp", Action::exp, 1},   Function{"log", Action::log, 1},
    Function{"sqrt", Action::sqrt, 1}, Function{"abs", Action::abs, 1},   Function{"min", Action::min, 2},
    Function{"max", Action::max, 2},   Function{"if", Action::choose, 3},
};

/// Recursive descent; each level of precedence is a function, and what it reads is appended to `steps`.
class Reader {
public:
  Reader(const std::string& option, const std::string& text, const std::vector<std::string>& variables)
      : option_(option), text_(text), variables_(variables) {}

  std::vector<Step> read() {
    comparison();
    blanks();
    if (at_ < text_.size()) refuse("this was not expected");
    return std::move(steps_);
  }

private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw core::BadInput(fmt::format("option -{}: {}\n  {}\n  {}^ here", option_, reason, text_,
                                     std::string(std::min(at_, text_.size()), ' ')));
  }

  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) refuse(fmt::format("'{}' is missing", c));
  }
  void add(Step step, int change) {
    steps_.push_back(step);
    depth_ += change;
    if (depth_ > static_cast<int>(Expression::deepest)) refuse("too deeply nested");
  }

  void comparison() {
    sum();
    for (;;) {
      if (take('<')) {
        sum();
        add({Action::less}, -1);
      } else if (take('>')) {
        sum();
        add({Action::greater}, -1);
      } else {
        return;
      }
    }
  }
  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        add({Action::plus}, -1);
      } else if (take('-')) {
        product();
        add({Action::minus}, -1);
      } else {
        return;
      }
    }
  }
  void product() {
    sign();
    for (;;) {
      if (take('*')) {
        sign();
        add({Action::times}, -1);
      } else if (take('/')) {
        sign();
        add({Action::over}, -1);
      } else {
        return;
      }
    }
  }
  void sign() {
    if (take('-')) {
      sign();
      add({Action::negate}, 0);
    } else {
      take('+');
      power();
    }
  }
  void power() {
    atom();
    if (!take('^')) return;
    sign(); // from right to left, and 2^-1
    add({Action::power}, -1);
  }
  void atom() {
    blanks();
    if (take('(')) {
      comparison();
      need(')');
    } else if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) {
      char* end = nullptr;
      const double value = std::strtod(text_.c_str() + at_, &end);
      if (end == text_.c_str() + at_) refuse("a number is wanted");
      at_ = static_cast<std::size_t>(end - text_.c_str());
      add({Action::number, value, 0}, 1);
    } else {
      name();
    }
  }
  void name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    const std::string word = text_.substr(from, at_ - from);
    const auto variable = std::ranges::find(variables_, word);
    const auto function = std::ranges::find_if(functions, [&](const Function& f) { return word == f.name; });
    if (variable != variables_.end()) {
      add({Action::variable, 0.0, static_cast<std::size_t>(variable - variables_.begin())}, 1);
    } else if (word == "pi") {
      add({Action::number, std::numbers::pi, 0}, 1);
    } else if (function != functions.end()) {
      call(*function);
    } else {
      at_ = from;
      refuse(word.empty() ? "a number, a name or a bracket is wanted"
                          : fmt::format("'{}' is not known here: there are {}, pi and the functions sin, cos, exp, ...",
                                        word, fmt::join(variables_, ", ")));
    }
  }
  void call(const Function& function) {
    need('(');
    for (int i = 0; i < function.arguments; ++i) {
      if (i > 0) need(',');
      comparison();
    }
    need(')');
    add({function.action}, 1 - function.arguments);
  }

  const std::string &option_, &text_;
  const std::vector<std::string>& variables_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Step> steps_;
};
} // namespace

Expression::Expression(std::string option, std::string text, const std::vector<std::string>& variables)
    : option_(std::move(option)), text_(std::move(text)), steps_(Reader(option_, text_, variables).read()) {}

bool Expression::uses(std::size_t variable) const {
  return std::ranges::any_of(
      steps_, [&](const Step& step) { return step.action == Action::variable && step.variable == variable; });
}

} // namespace rhumb::movingmesh
