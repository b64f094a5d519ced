#pragma once
/// The operators of the formula language, and which characters make up its words.

#include <rhumb/core/formula_program.hpp>
#include <array>
#include <string_view>

namespace rhumb::core::formula {

/// How strongly an operator binds.
enum Strength : int { conditional = 1, disjunction, conjunction, comparison, sum, product };

struct Infix {
  std::string_view text;
  Strength strength;
  Operation operation;
};

/// Longer ones first.
inline constexpr std::array infixes{
    Infix{"||", disjunction, Operation::logical_or},
    Infix{"&&", conjunction, Operation::logical_and},
    Infix{"<=", comparison, Operation::less_or_equal},
    Infix{">=", comparison, Operation::greater_or_equal},
    Infix{"==", comparison, Operation::equal},
    Infix{"!=", comparison, Operation::not_equal},
    Infix{"<", comparison, Operation::less},
    Infix{">", comparison, Operation::greater},
    Infix{"+", sum, Operation::add},
    Infix{"-", sum, Operation::subtract},
    Infix{"*", product, Operation::multiply},
    Infix{"/", product, Operation::divide},
    Infix{"?", conditional, Operation::choose},
};

/// What people write who know another language, and what to write here.
struct Habit {
  std::string_view text, instead;
};
inline constexpr std::array operator_habits{
    Habit{"**", "for a power use ^"},
    Habit{"=<", "use <="},
    Habit{"=>", "use >="},
    Habit{"<>", "use !="},
    Habit{"=", "to compare use =="},
    Habit{"&", "use &&"},
    Habit{"|", "use ||"},
    Habit{"\u2212", "this is not a minus sign: use -"},
    Habit{"\u00d7", "use * to multiply"},
    Habit{"\u00b7", "use * to multiply"},
    Habit{"[", "use round brackets"},
    Habit{"]", "use round brackets"},
};
inline constexpr std::array name_habits{Habit{"and", "&&"}, Habit{"or", "||"}, Habit{"not", "!"}};

// Of ASCII, whatever the locale.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

} // namespace rhumb::core::formula
