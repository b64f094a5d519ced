/// Which texts are no formulas, what is said of them, and where the caret stands.
#include "formula_cases.hpp"

using formula_cases::refusal;

namespace {

struct Mistake {
  std::string text, reason;
  std::size_t column; ///< of the caret, from 0
};

/// The column of the caret in the last line, without the indentation.
std::size_t caret(const std::string& message) {
  const auto line = message.rfind('\n');
  return message.find('^', line) - line - 3;
}

void expect_rejected(const std::vector<Mistake>& mistakes) {
  for (const auto& [text, reason, column] : mistakes) {
    const auto message = refusal(text);
    EXPECT_NE(message.find(reason), std::string::npos) << text << ": " << message;
    if (!message.empty()) {
      EXPECT_EQ(caret(message), column) << message;
    }
  }
}

} // namespace

TEST(FormulaMessage, ShowsTheOptionTheReasonTheTextAndThePlace) {
  EXPECT_EQ(refusal("1 + quux"), "option -f: 'quux' is not known here: there are x, y, t, nu, pi, e and the functions "
                                 "sin, cos, exp, sqrt, ...\n  1 + quux\n      ^ here");
}

TEST(FormulaMessage, NamesTheNearest) {
  expect_rejected({{"sine(x)", "'sine' is not known here, did you mean 'sin'?", 0},
                   {"2*sqr(x)", "did you mean 'sqrt'?", 2},
                   {"1 + Pi", "did you mean 'pi'?", 4},
                   {"_pi", "did you mean 'pi'?", 0},
                   {"Nu*x", "did you mean 'nu'?", 0},
                   {"x and y", "an operator is missing", 2},
                   {"and(x)", "use &&", 0},
                   {"{frog}", "'frog' is not known here", 0}});
  EXPECT_EQ(refusal("z").find("did you mean"), std::string::npos) << "any letter is near any other";
}

TEST(FormulaMessage, SaysWhatIsMissing) {
  expect_rejected({{"", "the formula is empty", 0},
                   {"   ", "the formula is empty", 3},
                   {"1 + ", "the formula ends where a number, a name or a bracket is wanted", 4},
                   {"2*", "the formula ends", 2},
                   {"*2", "a number, a name or a bracket is wanted here, not '*'", 0},
                   {"()", "wanted before ')'", 1},
                   {"(1 + 2", "')' is missing: the bracket of column 1 is not closed", 6},
                   {"sin(x", "')' is missing: the bracket of column 4 is not closed", 5},
                   {"x)", "this bracket was not opened", 1},
                   {"2 x", "an operator is missing here: to multiply use *", 2},
                   {"2x", "an operator is missing", 1},
                   {"(x)(y)", "an operator is missing", 3},
                   {"x(y)", "'x' is not a function: is a * missing?", 1},
                   {"sin x", "'sin' is a function: '(' and its argument are missing", 4},
                   {"sin", "'sin' is a function", 3},
                   {"x ? 1", "':' and what counts otherwise is missing", 5},
                   {"x : 1", "':' belongs to a condition", 2},
                   {"{x", "'}' is missing", 0}});
}

TEST(FormulaMessage, KnowsTheHabitsOfOtherLanguages) {
  expect_rejected({{"0,5", "the decimal sign of a number is a point: use 0.5", 1},
                   {"1 + 12,75*x", "use 12.75", 6},
                   {"x,y", "',' stands between the arguments of a function only", 1},
                   {"x=5", "'=' has no meaning here: to compare use ==", 1},
                   {"x**2", "'**' has no meaning here: for a power use ^", 1},
                   {"x => 2", "use >=", 2},
                   {"x =< 2", "use <=", 2},
                   {"x <> 2", "use !=", 2},
                   {"x & y", "use &&", 2},
                   {"x | y", "use ||", 2},
                   {"[x]", "use round brackets", 0},
                   {"x \u2212 2", "'\u2212' has no meaning here: this is not a minus sign: use -", 2},
                   {"\u00d7", "use * to multiply", 0},
                   {"0 < x < 1", "comparisons do not chain", 6},
                   {"x == y == t", "comparisons do not chain", 7}});
}

TEST(FormulaMessage, CountsArguments) {
  expect_rejected({{"sin()", "'sin' takes 1 argument, not 0", 3},
                   {"sin(0,5)", "'sin' takes 1 argument, not 2; the decimal sign of a number is a point", 3},
                   {"atan2(x)", "'atan2' takes 2 arguments, not 1", 7},
                   {"if(x, y)", "'if' takes 3 arguments, not 2", 7},
                   {"min()", "'min' takes at least 1 argument, not 0", 3},
                   {"sin(x,)", "wanted before ')'", 6}});
}

TEST(FormulaMessage, RefusesWhatOnlyBeginsAsANumber) {
  expect_rejected({{"1.2.3", "a number has one decimal point", 3},
                   {"1e", "the exponent of this number has no digits", 1},
                   {"2e+", "the exponent of this number has no digits", 1},
                   {"1e400", "this number is out of range", 0},
                   {".", "a number is wanted", 0},
                   {"0x10", "an operator is missing", 1},
                   {"inf", "'inf' is not known here", 0},
                   {"nan", "'nan' is not known here", 0}});
}

TEST(FormulaMessage, RefusesWhatIsNotText) {
  expect_rejected({{std::string("x\0", 2), "the byte 0x00 was not expected here", 1},
                   {std::string("\0x", 2), "not the byte 0x00", 0},
                   {"x\x01", "the byte 0x01", 1},
                   {"x\xff", "the byte 0xff", 1},
                   {"x\xc3", "the byte 0xc3", 1},
                   {"x$", "'$' was not expected here", 1},
                   {"x \u00b5", "'\u00b5' was not expected here", 2},
                   {"x;y", "';' was not expected here", 1}});
  EXPECT_NE(refusal(std::string("x\0\n y", 5)).find("\n  x?  y\n"), std::string::npos) << "on one line";
}

TEST(FormulaMessage, TheCaretStandsBelowItsCharacterWhateverIsBeforeIt) {
  expect_rejected({{"\u03b1 + 1", "'\u03b1'", 0}, {"{\u03b1\u03b2} + 1", "is not known here", 0}});
  const auto message = refusal("{x} + \t{y} ? ] \u03b1");
  EXPECT_EQ(caret(message), 13U) << message;
}

TEST(FormulaMessage, OfALongTextTheSurroundingsAreShown) {
  std::string text = "x";
  for (int i = 0; i < 500; ++i) text += " + x";
  text += " + frog";
  for (int i = 0; i < 500; ++i) text += " + x";
  const auto message = refusal(text);
  EXPECT_LT(message.size(), 500U);
  const auto shown = message.substr(message.find("\n  ") + 3);
  EXPECT_EQ(shown.substr(caret(message), 4), "frog") << message;
  EXPECT_NE(refusal("x" + std::string(20000, ' ')).find("at most 16384 characters, this one 20001"), std::string::npos);
  EXPECT_LT(refusal(std::string(9000, 'q')).size(), 500U);
}
