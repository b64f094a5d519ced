/// Random formulas: written with as few brackets as precedence allows and evaluated by a second, independent way.
#include "formula_cases.hpp"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <random>

using formula_cases::parsed;
using rhumb::core::Dual;
using rhumb::core::Formula;

namespace {

struct Tree {
  std::string text; ///< a number, a variable, an operator or a function
  std::vector<std::unique_ptr<Tree>> parts;
};
using Part = std::unique_ptr<Tree>;

class Garden {
public:
  explicit Garden(unsigned seed) : random_(seed) {}

  Part grow(int height) {
    if (height == 0 || any(8) == 0) {
      static const std::vector<std::string> leaves{"x", "y", "t", "pi", "2", "0.5", "1e-3", "3", "7"};
      return make(leaves[any(leaves.size())], 0, 0);
    }
    static const std::vector<std::pair<std::string, int>> texts{
        {"+", 2},    {"-", 2},   {"*", 2},   {"/", 2},   {"^", 2},     {"+", 2},    {"*", 2},  {"-", 2},   {"<", 2},
        {">=", 2},   {"==", 2},  {"&&", 2},  {"||", 2},  {"?:", 3},    {"neg", 1},  {"!", 1},  {"sin", 1}, {"exp", 1},
        {"sqrt", 1}, {"abs", 1}, {"min", 2}, {"max", 2}, {"atan2", 2}, {"tanh", 1}, {"if", 3}, {"^", 2}};
    const auto& [text, count] = texts[any(texts.size())];
    return make(text, height, count);
  }

  std::size_t any(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  double number() { return std::uniform_real_distribution<double>(-3.0, 3.0)(random_); }

private:
  Part make(const std::string& text, int height, int count) {
    auto tree = std::make_unique<Tree>();
    tree->text = text;
    for (int i = 0; i < count; ++i) tree->parts.push_back(grow(height - 1));
    return tree;
  }

  std::mt19937 random_;
};

/// Larger binds more strongly.
int strength(const Tree& tree) {
  const std::string& w = tree.text;
  if (w == "?:") return 1;
  if (w == "||") return 2;
  if (w == "&&") return 3;
  if (w == "<" || w == ">=" || w == "==") return 4;
  if ((w == "+" || w == "-")) return 5;
  if (w == "*" || w == "/") return 6;
  if (w == "neg" || w == "!") return 7;
  if (w == "^") return 8;
  return 9;
}

std::string written(const Tree& tree, Garden& garden) {
  const auto part = [&](std::size_t i, int least) {
    const auto text = written(*tree.parts[i], garden);
    const char* blank = garden.any(3) == 0 ? " " : "";
    const bool bracket = strength(*tree.parts[i]) < least || garden.any(10) == 0;
    return fmt::format("{}{}{}{}{}", blank, bracket ? "(" : "", text, bracket ? ")" : "", blank);
  };
  const std::string& w = tree.text;
  const int priority = strength(tree);
  if (tree.parts.empty()) return w;
  if (w == "?:") return fmt::format("{}?{}:{}", part(0, 2), part(1, 1), part(2, 1));
  if (w == "neg") return fmt::format("-{}", part(0, 7));
  if (w == "!") return fmt::format("!{}", part(0, 7));
  if (w == "^") return fmt::format("{}^{}", part(0, 9), part(1, 7));
  if (priority == 4) return fmt::format("{}{}{}", part(0, 5), w, part(1, 5));
  if (priority < 9) return fmt::format("{}{}{}", part(0, priority), w, part(1, priority + 1));
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < tree.parts.size(); ++i) arguments.push_back(part(i, 1));
  return fmt::format("{}({})", w, fmt::join(arguments, ","));
}

double evaluated(const Tree& tree, const std::array<double, 3>& at) {
  const auto part = [&](std::size_t i) { return evaluated(*tree.parts[i], at); };
  const std::string& w = tree.text;
  if (w == "x") return at[0];
  if (w == "y") return at[1];
  if (w == "t") return at[2];
  if (w == "pi") return 3.14159265358979323846;
  if (tree.parts.empty()) return std::stod(w);
  const double a = part(0);
  if (w == "neg") return -a;
  if (w == "!") return a == 0.0 ? 1.0 : 0.0;
  if (w == "sin") return std::sin(a);
  if (w == "exp") return std::exp(a);
  if (w == "sqrt") return std::sqrt(a);
  if (w == "abs") return std::fabs(a);
  if (w == "tanh") return std::tanh(a);
  if (w == "?:" || w == "if") return a != 0.0 ? part(1) : part(2);
  const double b = part(1);
  if (w == "+") return a + b;
  if (w == "-") return a - b;
  if (w == "*") return a * b;
  if (w == "/") return a / b;
  if (w == "<") return a < b ? 1.0 : 0.0;
  if (w == ">=") return a >= b ? 1.0 : 0.0;
  if (w == "==") return a == b ? 1.0 : 0.0;
  if (w == "&&") return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
  if (w == "||") return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
  if (w == "min") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
  if (w == "max") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
  if (w == "atan2") return std::atan2(a, b);
  if (w == "^" && tree.parts[1]->text == "2") return a * a;
  if (w == "^" && tree.parts[1]->text == "3") return a * a * a;
  if (w == "^") return std::pow(a, b);
  ADD_FAILURE() << w;
  return 0.0;
}

bool same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}
template <int N>
bool same(const Dual<N>& a, const Dual<N>& b) {
  for (std::size_t j = 0; j < a.derivatives.size(); ++j)
    if (!same(a.derivatives[j], b.derivatives[j])) return false;
  return same(a.value, b.value);
}

/// Many points at once against one after the other; y and t the same everywhere where `uniform` says so.
template <class S>
void expect_blocks_agree(const Formula& formula, std::size_t points, bool uniform, Garden& garden) {
  std::array<std::vector<S>, 3> columns;
  for (auto& column : columns)
    for (std::size_t i = 0; i < points; ++i) {
      S value(garden.number());
      if constexpr (!std::is_same_v<S, double>)
        for (double& derivative : value.derivatives) derivative = garden.any(3) == 0 ? 0.0 : garden.number();
      column.push_back(value);
    }
  std::array<Formula::Column<S>, 3> given{
      {{columns[0].data()}, {columns[1].data(), uniform}, {columns[2].data(), true}}};
  std::vector<S> batch(points);
  formula.evaluate(std::span<const Formula::Column<S>>(given), points, batch.data());
  for (std::size_t i = 0; i < points; ++i) {
    const std::array<S, 3> at{columns[0][i], columns[1][uniform ? 0 : i], columns[2][0]};
    const S single = formula(std::span<const S>(at));
    EXPECT_TRUE(same(single, batch[i])) << formula.text() << " at point " << i << " of " << points;
  }
}

} // namespace

TEST(RandomFormulas, HaveTheValueOfAnIndependentEvaluation) {
  Garden garden(20261118);
  int finite = 0;
  for (int i = 0; i < 10000; ++i) {
    const auto tree = garden.grow(1 + static_cast<int>(garden.any(6)));
    const auto text = written(*tree, garden);
    if (text.size() > rhumb::core::max_formula_length) continue;
    const auto formula = parsed(text);
    for (int j = 0; j < 3; ++j) {
      const std::array<double, 3> at{garden.number(), garden.number(), garden.number()};
      const double wanted = evaluated(*tree, at), found = formula(std::span<const double>(at));
      finite += std::isfinite(wanted) ? 1 : 0;
      // A folded small power is a product too.
      const bool near = std::abs(wanted - found) <= 1e-12 * std::abs(wanted);
      ASSERT_TRUE(same(wanted, found) || near) << text << fmt::format(": {} {}", wanted, found);
    }
  }
  EXPECT_GT(finite, 10000) << "most random formulas have values";
}

TEST(RandomFormulas, GiveTheSameBitsAtOnePointAndAtMany) {
  Garden garden(1118);
  for (int i = 0; i < 100; ++i) {
    const auto formula = parsed(written(*garden.grow(1 + static_cast<int>(garden.any(5))), garden));
    for (const std::size_t points :
         {std::size_t{1}, std::size_t{3}, std::size_t{128}, std::size_t{129}, std::size_t{300}})
      for (const bool uniform : {false, true}) {
        expect_blocks_agree<double>(formula, points, uniform, garden);
        expect_blocks_agree<Dual<1>>(formula, points, uniform, garden);
        expect_blocks_agree<Dual<3>>(formula, points, uniform, garden);
      }
  }
}

TEST(RandomFormulas, OfRandomCharactersAreReadOrRefused) {
  Garden garden(7);
  std::string letters = "xyt0123456789.eE+-*/^()<>=!&|?:,{} sincoqrtmaxpif[]";
  letters += {'\0', '\xc3', '\xa9'};
  int rejected = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (std::size_t n = garden.any(24); n > 0; --n) text += letters[garden.any(letters.size())];
    rejected += formula_cases::refusal(text).empty() ? 0 : 1;
  }
  EXPECT_GT(rejected, 25000);
  EXPECT_LT(rejected, 50000);
}
