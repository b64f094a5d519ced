/// The grammar of formulas, by precedence climbing:
///   expression = factor { operator factor }, with ?: || && comparisons +- */ from weak to strong
///   factor     = ("-" | "+" | "!") factor | atom [ "^" factor ]
///   atom       = number | name | "{" any name "}" | function "(" expression { "," expression } ")" | "(" expression
///   ")"

#include <rhumb/core/formula.hpp>
#include <rhumb/core/formula_functions.hpp>
#include <rhumb/core/formula_message.hpp>
#include <rhumb/core/formula_operators.hpp>
#include <rhumb/core/formula_tree.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace rhumb::core {

namespace formula {
namespace {

using Index = Tree::Index;

class Parser {
public:
  Parser(std::string_view text, const FormulaNames& names, std::string_view source)
      : text_(text), names_(names), source_(source) {}

  Program parse() {
    if (text_.size() > max_formula_length)
      fail(max_formula_length,
           fmt::format("a formula has at most {} characters, this one {}", max_formula_length, text_.size()));
    blanks();
    if (at_end()) fail(at_, "the formula is empty");
    const Index root = expression(conditional);
    if (!at_end()) fail_at_rest();
    return tree_.compile(root);
  }

private:
  /// Counts how deep the text is nested.
  class Level {
  public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > max_formula_nesting)
        parser_.fail(parser_.at_, fmt::format("nested more than {} levels deep", max_formula_nesting));
    }
    ~Level() { --parser_.nesting_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

  private:
    Parser& parser_;
  };

  [[noreturn]] void fail(std::size_t position, const std::string& reason) const {
    reject(source_, text_, position, reason);
  }

  bool at_end() const { return at_ >= text_.size(); }
  bool sees(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }
  /// Passes over the word and what is blank after it.
  bool take(std::string_view word) {
    if (!sees(word)) return false;
    at_ += word.size();
    blanks();
    return true;
  }

  Index expression(Strength weakest) {
    Index left = factor();
    bool compared = false;
    for (;;) {
      const Infix* infix = next_infix();
      if (infix == nullptr || infix->strength < weakest) return left;
      if (compared && infix->strength == comparison)
        fail(at_, "comparisons do not chain: write a < b && b < c, or use brackets");
      compared = compared || infix->strength == comparison;
      take(infix->text);
      if (infix->strength == conditional) return choice(left);
      left = tree_.add(infix->operation, {left, expression(static_cast<Strength>(infix->strength + 1))});
      if (infix->strength < comparison) compared = false;
    }
  }

  Index choice(Index test) {
    const Level level(*this);
    const Index yes = expression(conditional);
    if (!take(":")) fail_wanting("':' and what counts otherwise");
    return tree_.add(Operation::choose, {test, yes, expression(conditional)});
  }

  const Infix* next_infix() const {
    for (const Habit& habit : operator_habits)
      if (sees(habit.text) && !sees("==") && !sees("&&") && !sees("||")) return nullptr;
    const auto found = std::find_if(infixes.begin(), infixes.end(), [&](const Infix& i) { return sees(i.text); });
    return found == infixes.end() ? nullptr : &*found;
  }

  Index factor() {
    const Level level(*this);
    if (take("-")) return tree_.add(Operation::negate, {factor()});
    if (take("+")) return factor();
    if (!sees("!=") && take("!")) return tree_.add(Operation::logical_not, {factor()});
    const Index base = atom();
    return take("^") ? tree_.power(base, factor()) : base;
  }

  Index atom() {
    if (at_end()) fail(at_, "the formula ends where a number, a name or a bracket is wanted");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    const std::size_t begin = at_;
    if (take("(")) {
      const Index inside = expression(conditional);
      close(begin);
      return inside;
    }
    if (c == '{') return any_name();
    fail_at_operand();
  }

  void close(std::size_t opened) {
    if (take(")")) return;
    if (at_end()) fail(at_, fmt::format("')' is missing: the bracket of column {} is not closed", opened + 1));
    fail_at_rest();
  }

  Index number() {
    const std::size_t begin = at_;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(begin, "this number is out of range");
    if (error != std::errc()) fail(begin, "a number is wanted here");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (!at_end() && text_[at_] == '.') fail(at_, "a number has one decimal point");
    if (!at_end() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
      if (!is_letter(after)) fail(at_, "the exponent of this number has no digits");
    }
    blanks();
    return tree_.constant(value);
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const auto found = text_.substr(begin, at_ - begin);
    blanks();
    return found;
  }

  Index name() {
    const std::size_t begin = at_;
    const auto found = word();
    const auto function = std::ranges::find(functions(), found, &Function::name);
    const auto meaning = meaning_of(found);
    if (sees("(")) {
      if (function != functions().end()) return call(*function);
      if (meaning) fail(at_, fmt::format("'{}' is not a function: is a * missing?", found));
    }
    if (meaning) return *meaning;
    if (function != functions().end())
      fail(at_, fmt::format("'{}' is a function: '(' and its argument are missing", found));
    for (const Habit& habit : name_habits)
      if (habit.text == found) fail(begin, fmt::format("'{}' is not known here: use {}", found, habit.instead));
    fail_unknown(begin, std::string(found));
  }

  /// {CH2(S)}: a name that is no word.
  Index any_name() {
    const std::size_t begin = at_, end = text_.find('}', at_);
    if (end == std::string_view::npos) fail(begin, "'}' is missing after a name");
    const auto found = text_.substr(begin + 1, end - begin - 1);
    at_ = end + 1;
    blanks();
    if (const auto meaning = meaning_of(found)) return *meaning;
    fail_unknown(begin, std::string(found));
  }

  std::optional<Index> meaning_of(std::string_view name) {
    const auto variable = std::ranges::find(names_.variables, name);
    if (variable != names_.variables.end())
      return tree_.variable(static_cast<std::uint32_t>(variable - names_.variables.begin()));
    for (const auto& [known, value] : names_.constants)
      if (known == name) return tree_.constant(value);
    for (const Constant& constant : constants())
      if (constant.name == name) return tree_.constant(constant.value);
    return std::nullopt;
  }

  Index call(const Function& function) {
    const std::size_t begin = at_;
    take("(");
    std::vector<Index> arguments;
    if (!sees(")")) {
      do arguments.push_back(expression(conditional));
      while (take(","));
    }
    const auto count = static_cast<int>(arguments.size());
    if (count > 0 && count < function.fewest && sees(")")) fail(at_, wrong_count(function, count));
    close(begin);
    if (count < function.fewest || count > function.most) fail(begin, wrong_count(function, count));
    if (operand_count(function.operation) == 2 && function.operation != Operation::call_two) {
      Index all = arguments[0];
      for (std::size_t i = 1; i < arguments.size(); ++i) all = tree_.add(function.operation, {all, arguments[i]});
      return function.averages ? tree_.add(Operation::divide, {all, tree_.constant(count)}) : all;
    }
    if (function.name == std::string_view("pow")) return tree_.power(arguments[0], arguments[1]);
    std::array<Index, 3> operands{};
    std::ranges::copy(arguments, operands.begin());
    return tree_.add(function.operation, operands, &function.callee);
  }

  static std::string wrong_count(const Function& function, int count) {
    const auto wanted = function.most == any_number ? std::string("at least 1") : fmt::format("{}", function.fewest);
    const bool decimal = function.most == 1 && count == 2;
    return fmt::format("'{}' takes {} argument{}, not {}{}", function.name, wanted, wanted.ends_with('1') ? "" : "s",
                       count, decimal ? "; the decimal sign of a number is a point" : "");
  }

  [[noreturn]] void fail_unknown(std::size_t position, const std::string& name) const {
    auto variables = names_.variables;
    for (const auto& constant : names_.constants) variables.push_back(constant.first);
    std::vector<std::string> others;
    for (const Constant& constant : constants()) others.emplace_back(constant.name);
    for (const Function& function : functions()) others.emplace_back(function.name);
    fail(position, unknown_name(name, variables, others));
  }

  /// Where an operand is wanted and none begins.
  [[noreturn]] void fail_at_operand() const {
    fail_for_habits();
    if (sees(")")) fail(at_, "a number, a name or a bracket is wanted before ')'");
    fail(at_, fmt::format("a number, a name or a bracket is wanted here, not {}", character_at(text_, at_)));
  }

  [[noreturn]] void fail_wanting(const std::string& what) const {
    if (!at_end()) fail_for_habits();
    fail(at_, fmt::format("{} is missing", what));
  }

  void fail_for_habits() const {
    for (const Habit& habit : operator_habits)
      if (sees(habit.text))
        fail(at_, fmt::format("{} has no meaning here: {}",
                              habit.text.size() == 1 || static_cast<unsigned char>(habit.text[0]) >= 0x80
                                  ? character_at(text_, at_)
                                  : fmt::format("'{}'", habit.text),
                              habit.instead));
  }

  /// Where a formula goes on after its end.
  [[noreturn]] void fail_at_rest() const {
    fail_for_habits();
    const char c = text_[at_];
    if (c == ',') fail_at_comma();
    if (c == ')') fail(at_, "this bracket was not opened");
    if (c == ':') fail(at_, "':' belongs to a condition: condition ? a : b");
    if (is_letter(c) || is_digit(c) || c == '(' || c == '{' || c == '.')
      fail(at_, "an operator is missing here: to multiply use *");
    fail(at_, fmt::format("{} was not expected here", character_at(text_, at_)));
  }

  [[noreturn]] void fail_at_comma() const {
    std::size_t begin = at_, end = at_ + 1;
    while (begin > 0 && is_digit(text_[begin - 1])) --begin;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (begin < at_ && end > at_ + 1)
      fail(at_, fmt::format("the decimal sign of a number is a point: use {}.{}", text_.substr(begin, at_ - begin),
                            text_.substr(at_ + 1, end - at_ - 1)));
    fail(at_, "',' stands between the arguments of a function only");
  }

  std::string_view text_;
  const FormulaNames& names_;
  std::string_view source_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  Tree tree_;
};

} // namespace
} // namespace formula

Formula parse_formula(std::string_view text, const FormulaNames& names, std::string_view source) {
  return {std::string(text), formula::Parser(text, names, source).parse()};
}

} // namespace rhumb::core
