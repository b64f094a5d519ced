/// The grammar of formulas, by precedence climbing:
///   expression = factor { operator factor }, with ?: || && comparisons +- */ from weak to strong
///   factor     = ("-" | "+" | "!") factor | atom [ "^" factor ]
///   atom       = number | name | "{" any name "}" | function "(" expression { "," expression } ")" | "(" expression
///   ")"

#include <rhumb/core/formula.hpp>
#include <rhumb/core/formula_builder.hpp>
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

using Index = Builder::Index;

class Parser {
public:
  Parser(std::string_view text, Builder& builder, std::string_view source)
      : text_(text), builder_(builder), source_(source) {}

  Index parse() {
    if (text_.size() > max_formula_length)
      fail(max_formula_length,
           fmt::format("a formula has at most {} characters, this one {}", max_formula_length, text_.size()));
    blanks();
    if (at_end()) fail(at_, "the formula is empty");
    const Index root = expression(conditional);
    if (!at_end()) fail_at_rest();
    return root;
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

  /// What the builder makes of a piece that stands at `position`.
  template <class Make>
  Index made(std::size_t position, const Make& make) const {
    try {
      return make();
    } catch (const Mistake& mistake) {
      fail(position, mistake.what());
    }
  }
  Index add(std::size_t position, Operation operation, const std::array<Index, 3>& operands,
            const Callee* callee = nullptr) {
    return made(position, [&] { return builder_.add(operation, operands, callee); });
  }

  bool at_end() const { return at_ >= text_.size(); }
  bool sees(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  void blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }
  /// Passes over the word and what is blank after it.
  bool take(std::string_view token) {
    if (!sees(token)) return false;
    at_ += token.size();
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
      const std::size_t begin = at_;
      take(infix->text);
      if (infix->strength == conditional) return choice(left, begin);
      const Index right = expression(static_cast<Strength>(infix->strength + 1));
      left = add(begin, infix->operation, {left, right});
      if (infix->strength < comparison) compared = false;
    }
  }

  Index choice(Index test, std::size_t begin) {
    const Level level(*this);
    const Index yes = expression(conditional);
    if (!take(":")) fail_wanting("':' and what counts otherwise");
    const Index no = expression(conditional);
    return add(begin, Operation::choose, {test, yes, no});
  }

  const Infix* next_infix() const {
    for (const Habit& habit : operator_habits)
      if (sees(habit.text) && !sees("==") && !sees("&&") && !sees("||")) return nullptr;
    const auto found = std::find_if(infixes.begin(), infixes.end(), [&](const Infix& i) { return sees(i.text); });
    return found == infixes.end() ? nullptr : &*found;
  }

  Index factor() {
    const Level level(*this);
    const std::size_t begin = at_;
    if (take("-")) return add(begin, Operation::negate, {factor()});
    if (take("+")) return factor();
    if (!sees("!=") && take("!")) return add(begin, Operation::logical_not, {factor()});
    const Index base = atom();
    const std::size_t sign = at_;
    if (!take("^")) return base;
    const Index exponent = factor();
    return made(sign, [&] { return builder_.power(base, exponent); });
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
    return builder_.constant(value);
  }

  std::string_view token() {
    const std::size_t begin = at_;
    while (!at_end() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const auto found = text_.substr(begin, at_ - begin);
    blanks();
    return found;
  }

  Index name() {
    const std::size_t begin = at_;
    const auto found = token();
    const auto function = std::ranges::find(functions(), found, &Function::name);
    const auto meaning = meaning_of(found, begin);
    if (sees("(")) {
      if (builder_.is_function(found)) return call(begin, found);
      if (function != functions().end()) return call(*function);
      if (meaning) fail(at_, fmt::format("'{}' is not a function: is a * missing?", found));
    }
    if (meaning) return *meaning;
    if (function != functions().end() || builder_.is_function(found))
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
    if (const auto meaning = meaning_of(found, begin)) return *meaning;
    fail_unknown(begin, std::string(found));
  }

  std::optional<Index> meaning_of(std::string_view name, std::size_t position) {
    try {
      if (const auto meaning = builder_.name(name)) return meaning;
    } catch (const Mistake& mistake) {
      fail(position, mistake.what());
    }
    for (const Constant& constant : constants())
      if (constant.name == name) return builder_.constant(constant.value);
    return std::nullopt;
  }

  std::vector<Index> arguments() {
    take("(");
    std::vector<Index> found;
    if (!sees(")")) {
      do found.push_back(expression(conditional));
      while (take(","));
    }
    return found;
  }

  /// A function of the builder.
  Index call(std::size_t begin, std::string_view function) {
    const std::size_t opened = at_;
    const auto values = arguments();
    close(opened);
    return made(begin, [&] { return builder_.call(function, values); });
  }

  Index call(const Function& function) {
    const std::size_t begin = at_;
    const auto given = arguments();
    const auto count = static_cast<int>(given.size());
    if (count > 0 && count < function.fewest && sees(")")) fail(at_, wrong_count(function, count));
    close(begin);
    if (count < function.fewest || count > function.most) fail(begin, wrong_count(function, count));
    if (operand_count(function.operation) == 2 && function.operation != Operation::call_two) {
      Index all = given[0];
      for (std::size_t i = 1; i < given.size(); ++i) all = add(begin, function.operation, {all, given[i]});
      return function.averages ? add(begin, Operation::divide, {all, builder_.constant(count)}) : all;
    }
    if (function.name == std::string_view("pow"))
      return made(begin, [&] { return builder_.power(given[0], given[1]); });
    std::array<Index, 3> operands{};
    std::ranges::copy(given, operands.begin());
    return add(begin, function.operation, operands, &function.callee);
  }

  static std::string wrong_count(const Function& function, int count) {
    const auto wanted = function.most == any_number ? std::string("at least 1") : fmt::format("{}", function.fewest);
    const bool decimal = function.most == 1 && count == 2;
    return fmt::format("'{}' takes {} argument{}, not {}{}", function.name, wanted, wanted.ends_with('1') ? "" : "s",
                       count, decimal ? "; the decimal sign of a number is a point" : "");
  }

  [[noreturn]] void fail_unknown(std::size_t position, const std::string& name) const {
    const auto variables = builder_.names();
    auto others = builder_.function_names();
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
  Builder& builder_;
  std::string_view source_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

/// Formulas of numbers: a tree.
class TreeBuilder final : public Builder {
public:
  explicit TreeBuilder(const FormulaNames& names) : names_(names) {}

  Program compile(Index root) const { return tree_.compile(root); }

  Index constant(double value) override { return tree_.constant(value); }
  Index add(Operation operation, const std::array<Index, 3>& operands, const Callee* callee) override {
    return tree_.add(operation, operands, callee);
  }
  Index power(Index base, Index exponent) override { return tree_.power(base, exponent); }

  std::optional<Index> name(std::string_view name) override {
    const auto variable = std::ranges::find(names_.variables, name);
    if (variable != names_.variables.end())
      return tree_.variable(static_cast<std::uint32_t>(variable - names_.variables.begin()));
    for (const auto& [known, value] : names_.constants)
      if (known == name) return tree_.constant(value);
    return std::nullopt;
  }

  std::vector<std::string> names() const override {
    auto all = names_.variables;
    for (const auto& constant : names_.constants) all.push_back(constant.first);
    return all;
  }

private:
  const FormulaNames& names_;
  Tree tree_;
};

} // namespace

Index build_formula(std::string_view text, Builder& builder, std::string_view source) {
  return Parser(text, builder, source).parse();
}

} // namespace formula

Formula parse_formula(std::string_view text, const FormulaNames& names, std::string_view source) {
  formula::TreeBuilder builder(names);
  const auto root = formula::build_formula(text, builder, source);
  return {std::string(text), builder.compile(root)};
}

} // namespace rhumb::core
