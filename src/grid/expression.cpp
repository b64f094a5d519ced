#include "grid/expression.hpp"

#include "core/failure.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <muParser.h>
#include <numbers>

namespace rhumb::grid {

struct Expression::Parser {
  mu::Parser parser;
  Where where;

  void bind(char letter) {
    switch (letter) {
    case 'x':
    case 'r':
      parser.DefineVar(std::string(1, letter), &where.x[0]);
      break;
    case 'y':
      parser.DefineVar("y", &where.x[1]);
      break;
    case 'z':
      parser.DefineVar("z", &where.x[2]);
      break;
    case 't':
      parser.DefineVar("t", &where.t);
      break;
    default:
      parser.DefineVar("T", &where.T);
    }
  }
};

Expression::Expression(std::string option, std::string text, const std::string& variables)
    : option_(std::move(option)), text_(std::move(text)), parser_(std::make_unique<Parser>()) {
  try {
    parser_->parser.DefineConst("pi", std::numbers::pi);
    for (const char letter : variables) parser_->bind(letter);
    parser_->parser.SetExpr(text_);
    parser_->parser.Eval();
    for (const auto& [name, address] : parser_->parser.GetUsedVar()) used_ += name;
  } catch (const mu::ParserError& error) {
    const std::string token = error.GetToken();
    std::string reason = error.GetMsg();
    if (token.size() == 1 && std::string("xyzrtT").find(token) != std::string::npos &&
        variables.find(token) == std::string::npos)
      reason = fmt::format("'{}' has no meaning here: this may use {}", token,
                           variables.empty() ? "numbers only" : fmt::format("{}", fmt::join(variables, ", ")));
    else if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
      reason = fmt::format("'{}' is not known here: there are {}, pi and the functions sin, cos, exp, sqrt, ...", token,
                           fmt::join(variables, ", "));
    refuse(reason, static_cast<long>(error.GetPos()));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

void Expression::refuse(const std::string& reason, long position) const {
  const auto last = static_cast<long>(text_.size());
  const long column = position < 0 || position > last ? last : position;
  throw core::BadInput(fmt::format("-{}: {}\n  {}\n  {}^ here", option_, reason, text_,
                                   std::string(static_cast<std::size_t>(column), ' ')));
}

double Expression::operator()(const Where& where) const {
  parser_->where = where;
  try {
    return parser_->parser.Eval();
  } catch (const mu::ParserError& error) {
    refuse(error.GetMsg(), static_cast<long>(error.GetPos()));
  }
}

double Expression::slope(const Where& where) const {
  if (!uses('T')) return 0.0;
  // The cube root of the rounding unit balances truncation and rounding.
  const double step = 6e-6 * std::max(std::abs(where.T), 1e-3);
  Where up = where, down = where;
  up.T += step;
  down.T -= step;
  return ((*this)(up) - (*this)(down)) / (up.T - down.T);
}

bool Expression::uses(char variable) const {
  return used_.find(variable) != std::string::npos;
}

} // namespace rhumb::grid
