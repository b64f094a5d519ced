#pragma once
/// Runs the program of a formula on one point or on a block of points at a time, in double or in duals.

#include <rhumb/core/formula_program.hpp>
#include <rhumb/core/vector_loop.hpp>
#include <type_traits>

namespace rhumb::core::formula {

/// Values of a variable at consecutive points, or one value for all of them.
template <class S>
struct Column {
  const S* values = nullptr;
  bool uniform = false;
};

/// Points in a block: temporaries of a kilobyte each, which stay in the processor's first cache.
template <class S>
inline constexpr std::size_t block_size = 1024 / sizeof(S) > 1 ? 1024 / sizeof(S) : 1;

/// Runs a program on `Points` points: std::size_t, or a constant 1.
template <class S, class Points>
class Machine {
public:
  static constexpr bool single = !std::is_same_v<Points, std::size_t>;
  static constexpr bool plain = std::is_same_v<S, double>;
  static constexpr std::size_t capacity = single ? 1 : block_size<S>;

  /// A single point has the values of its variables in a row.
  using Variables = std::conditional_t<single, const S*, const Column<S>*>;

  Machine(Variables variables, std::size_t first, Points points)
      : variables_(variables), first_(first), points_(points) {}

  void run(const Program& program, S* result) {
    const auto count = program.instructions.size();
    if (count == 0) {
      copy(source(program.single_operand, 0), result);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) step(program.instructions[i], result, i + 1 == count);
  }

private:
  struct Source {
    const S* values;
    std::size_t stride;
    const S& operator[](std::size_t i) const { return values[single ? 0 : plain ? i : i * stride]; }
    bool uniform() const { return !single && stride == 0; }
  };

  S* temporary(std::uint32_t index) {
    return reinterpret_cast<S*>(storage_.data()) + capacity * index; // NOLINT: uninitialised storage of S
  }

  /// One value for all points is taken out of its place: an instruction may write there.
  Source source(const Operand& operand, std::size_t index) {
    if (operand.kind == Operand::Kind::constant) {
      if constexpr (plain)
        return {&operand.value, 0};
      else
        return hold(S(operand.value), index);
    }
    if constexpr (single) {
      return {operand.kind == Operand::Kind::variable ? variables_ + operand.index : temporary(operand.index), 1};
    } else if (operand.kind == Operand::Kind::variable) {
      const auto& column = variables_[operand.index];
      return column.uniform ? hold(*column.values, index) : Source{column.values + first_, 1};
    } else {
      const S* values = temporary(operand.index);
      return uniform_[operand.index] ? hold(*values, index) : Source{values, 1};
    }
  }

  Source hold(const S& value, std::size_t index) {
    S* slot = temporary(max_temporaries) + index;
    *slot = value;
    return {slot, 0};
  }

  void copy(Source from, S* result) {
    for (std::size_t i = 0; i < points_; ++i) result[i] = from.uniform() ? *from.values : from[i];
  }

  void step(const Instruction& in, S* result, bool last) { // NOLINT(readability-function-size): a line per operation
    in_ = &in;
    target_ = last ? result : temporary(in.target);
    bool uniform = false;
    using O = Operation;
    switch (in.operation) {
    case O::negate:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA { return -a; });
      break;
    case O::logical_not:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA { return truth(value_of(a) == 0.0); });
      break;
    case O::square:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA { return a * a; });
      break;
    case O::cube:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA { return a * a * a; });
      break;
    case O::absolute:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA {
        using std::fabs;
        return fabs(a);
      });
      break;
    case O::square_root:
      uniform = unary([](const S& a) RHUMB_INLINE_LAMBDA {
        using std::sqrt;
        return sqrt(a);
      });
      break;
    case O::call_one:
      uniform = call_one();
      break;
    case O::add:
      uniform = binary([](const auto& a, const auto& b) RHUMB_INLINE_LAMBDA { return a + b; });
      break;
    case O::subtract:
      uniform = binary([](const auto& a, const auto& b) RHUMB_INLINE_LAMBDA { return a - b; });
      break;
    case O::multiply:
      uniform = binary([](const auto& a, const auto& b) RHUMB_INLINE_LAMBDA { return a * b; });
      break;
    case O::divide:
      uniform = binary([](const auto& a, const auto& b) RHUMB_INLINE_LAMBDA { return a / b; });
      break;
    case O::less:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a < b; });
      break;
    case O::less_or_equal:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a <= b; });
      break;
    case O::greater:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a > b; });
      break;
    case O::greater_or_equal:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a >= b; });
      break;
    case O::equal:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a == b; });
      break;
    case O::not_equal:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return a != b; });
      break;
    case O::logical_and:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return (a != 0.0) & (b != 0.0); });
      break;
    case O::logical_or:
      uniform = compare([](double a, double b) RHUMB_INLINE_LAMBDA { return (a != 0.0) | (b != 0.0); });
      break;
    case O::minimum:
      uniform = pick([](double a, double b) RHUMB_INLINE_LAMBDA { return (b < a) | (b != b); });
      break;
    case O::maximum:
      uniform = pick([](double a, double b) RHUMB_INLINE_LAMBDA { return (b > a) | (b != b); });
      break;
    case O::call_two:
      uniform = call_two();
      break;
    case O::choose:
      uniform = choose();
      break;
    }
    if constexpr (!single) {
      if (last && uniform)
        for (std::size_t i = 1; i < points_; ++i) result[i] = result[0];
      uniform_[in.target] = uniform;
    }
  }

  RHUMB_INLINE static S truth(bool b) { return S(b ? 1.0 : 0.0); }

  /// body(i) for all points, or for the first where every operand is the same everywhere.
  template <class Body>
  RHUMB_INLINE void loop(bool uniform, const Body& body) const {
    if constexpr (single) {
      body(0);
    } else {
      const std::size_t count = uniform ? 1 : static_cast<std::size_t>(points_);
      if constexpr (plain)
        vector_loop(static_cast<PetscInt>(count),
                    [=](PetscInt i) RHUMB_INLINE_LAMBDA { body(static_cast<std::size_t>(i)); });
      else
        for (std::size_t i = 0; i < count; ++i) body(i);
    }
  }

  template <class F>
  RHUMB_INLINE bool unary(const F& f) {
    const Source a = source(in_->operands[0], 0);
    S* const out = target_;
    loop(a.uniform(), [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a[i]); });
    return a.uniform();
  }

  /// f(a, b) with what stays the same for all points in a register. With duals a constant is a plain number.
  template <class F>
  RHUMB_INLINE bool binary(const F& f) {
    using Kind = Operand::Kind;
    S* const out = target_;
    if constexpr (plain) {
      const Source a = source(in_->operands[0], 0), b = source(in_->operands[1], 1);
      if (a.uniform()) {
        const double same = *a.values;
        loop(b.uniform(), [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(same, b[i]); });
      } else if (b.uniform()) {
        const double same = *b.values;
        loop(false, [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a[i], same); });
      } else {
        loop(false, [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a[i], b[i]); });
      }
      return a.uniform() && b.uniform();
    } else if (in_->operands[0].kind == Kind::constant) {
      const double a = in_->operands[0].value;
      const Source b = source(in_->operands[1], 1);
      loop(b.uniform(), [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a, b[i]); });
      return b.uniform();
    } else if (in_->operands[1].kind == Kind::constant) {
      const Source a = source(in_->operands[0], 0);
      const double b = in_->operands[1].value;
      loop(a.uniform(), [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a[i], b); });
      return a.uniform();
    } else {
      const Source a = source(in_->operands[0], 0), b = source(in_->operands[1], 1);
      const bool uniform = a.uniform() && b.uniform();
      loop(uniform, [=](std::size_t i) RHUMB_INLINE_LAMBDA { out[i] = f(a[i], b[i]); });
      return uniform;
    }
  }

  template <class Test>
  RHUMB_INLINE bool compare(const Test& test) {
    return binary([test](const auto& a, const auto& b)
                      RHUMB_INLINE_LAMBDA { return truth(test(value_of(a), value_of(b))); });
  }

  /// The second where the test says so, else the first.
  template <class Test>
  RHUMB_INLINE bool pick(const Test& test) {
    return binary([test](const auto& a, const auto& b)
                      RHUMB_INLINE_LAMBDA { return test(value_of(a), value_of(b)) ? S(b) : S(a); });
  }

  bool call_one() {
    const Source a = source(in_->operands[0], 0);
    const std::size_t count = a.uniform() ? 1 : static_cast<std::size_t>(points_);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (plain) {
        target_[i] = in_->callee->one(a[i]);
      } else {
        const auto f = in_->callee->one_dual(a[i].value);
        target_[i] = a[i].chain_guarded(f.value, f.derivatives[0]);
      }
    }
    return a.uniform();
  }

  bool call_two() {
    const Callee& callee = *in_->callee;
    const Source a = source(in_->operands[0], 0), b = source(in_->operands[1], 1);
    const bool uniform = a.uniform() && b.uniform();
    const bool a_constant = in_->operands[0].kind == Operand::Kind::constant;
    const bool b_constant = in_->operands[1].kind == Operand::Kind::constant;
    const std::size_t count = uniform ? 1 : static_cast<std::size_t>(points_);
    for (std::size_t i = 0; i < count; ++i) {
      const S &x = a.uniform() ? *a.values : a[i], &y = b.uniform() ? *b.values : b[i];
      if constexpr (plain) {
        target_[i] = callee.two(x, y);
      } else if (b_constant) {
        const auto f = callee.by_first(x.value, y.value);
        target_[i] = x.chain_guarded(f.value, f.derivatives[0]);
      } else if (a_constant) {
        const auto f = callee.by_second(x.value, y.value);
        target_[i] = y.chain_guarded(f.value, f.derivatives[0]);
      } else {
        const auto f = callee.two_dual(x.value, y.value);
        target_[i] = S::combine_guarded(f.value, x, f.derivatives[0], y, f.derivatives[1]);
      }
    }
    return uniform;
  }

  bool choose() {
    const Source test = source(in_->operands[0], 0), yes = source(in_->operands[1], 1),
                 no = source(in_->operands[2], 2);
    S* const out = target_;
    const bool uniform = test.uniform() && yes.uniform() && no.uniform();
    loop(uniform, [=](std::size_t i) RHUMB_INLINE_LAMBDA {
      const std::size_t one = 0;
      const double c = value_of(test.values[test.uniform() ? one : i]);
      out[i] = c != 0.0 ? yes.values[yes.uniform() ? one : i] : no.values[no.uniform() ? one : i];
    });
    return uniform;
  }

  Variables variables_;
  std::size_t first_;
  Points points_;
  const Instruction* in_ = nullptr;
  S* target_ = nullptr;
  std::array<bool, single ? 1 : max_temporaries> uniform_{};
  alignas(32) std::array<std::byte, (max_temporaries * capacity + 3) * sizeof(S)> storage_; ///< not initialised
};

} // namespace rhumb::core::formula
