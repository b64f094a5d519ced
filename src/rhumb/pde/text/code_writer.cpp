#include <rhumb/pde/text/code_writer.hpp>

#include <rhumb/pde/text/program.hpp>
#include <array>
#include <fmt/format.h>
#include <set>

namespace rhumb::text {

std::string c_prelude() {
  return R"(#include <math.h>
#include <stdint.h>
struct call {
  const double* uniforms;
  const double *values, *rates, *direction, *owned_rates, *places;
  double* out;
  const int64_t* neighbour;
  int64_t count, local_step, owned_step, out_step;
  const double *corner, *step;
};
static inline double sign_of(double v) { return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v; }
static inline double step_of(double v) { return v >= 0.0 ? 1.0 : v < 0.0 ? 0.0 : v; }
)";
}

namespace {

/// In C; the others have the names of the formula language.
std::string c_function(const Callee* callee) {
  const std::string name = callee_name(callee);
  if (name == "ln") return "log";
  if (name == "rint") return "round";
  if (name == "sign" || name == "step") return name + "_of";
  return name;
}

std::string c_expression(Op op, const Callee* callee, const std::string& a, const std::string& b,
                         const std::string& c) {
  switch (op) {
  case Op::negate:
    return "-" + a;
  case Op::logical_not:
    return fmt::format("{} == 0.0 ? 1.0 : 0.0", a);
  case Op::absolute:
    return fmt::format("fabs({})", a);
  case Op::square_root:
    return fmt::format("sqrt({})", a);
  case Op::call_one:
    return fmt::format("{}({})", c_function(callee), a);
  case Op::add:
    return a + " + " + b;
  case Op::subtract:
    return a + " - " + b;
  case Op::multiply:
    return a + " * " + b;
  case Op::divide:
    return a + " / " + b;
  case Op::less:
    return fmt::format("{} < {} ? 1.0 : 0.0", a, b);
  case Op::less_or_equal:
    return fmt::format("{} <= {} ? 1.0 : 0.0", a, b);
  case Op::equal:
    return fmt::format("{} == {} ? 1.0 : 0.0", a, b);
  case Op::logical_and:
    return fmt::format("{} != 0.0 && {} != 0.0 ? 1.0 : 0.0", a, b);
  case Op::logical_or:
    return fmt::format("{} != 0.0 || {} != 0.0 ? 1.0 : 0.0", a, b);
  case Op::call_two:
    return fmt::format("{}({}, {})", c_function(callee), a, b);
  default:
    return fmt::format("{} != 0.0 ? {} : {}", a, b, c);
  }
}

/// The value of a leaf at point i.
std::string c_leaf(const Symbol& symbol, bool neighbours_rates) {
  if (symbol.kind == Symbol::Kind::coordinate)
    return fmt::format("c->corner[{0}] + (double)i * c->step[{0}]", symbol.index);
  if (symbol.kind == Symbol::Kind::place) return fmt::format("places[i * {} + {}]", place::width, symbol.index);
  if (symbol.kind == Symbol::Kind::rate && !neighbours_rates)
    return fmt::format("owned_rates[i * os + {}]", symbol.index);
  const char* data = symbol.kind == Symbol::Kind::field  ? "values"
                     : symbol.kind == Symbol::Kind::rate ? "rates"
                                                         : "direction";
  return fmt::format("{}[i * ls + away{} + {}]", data, symbol.offset, symbol.index);
}

} // namespace

/// The body takes steps as arguments: along x they are constants, and the compiler makes vectors of the loop.
std::string Program::c_code(const std::string& name) const {
  std::string declarations, body;
  std::set<int> offsets;
  std::set<std::uint32_t> registers;
  const auto operand = [&](std::uint32_t slot) {
    return is_uniform(slot) ? fmt::format("u[{}]", slot) : fmt::format("r{}", slot);
  };
  std::size_t stored = 0;
  for (std::size_t k = 0; k < instructions_.size(); ++k) {
    const Instruction& i = instructions_[k];
    registers.insert(i.target);
    if (i.op == Op::symbol) offsets.insert(i.symbol.offset);
    const auto value = i.op == Op::symbol ? c_leaf(i.symbol, needs_neighbours_rates_)
                                          : c_expression(i.op, i.callee, operand(i.operands[0]), operand(i.operands[1]),
                                                         operand(i.operands[2]));
    body += fmt::format("    r{} = {};\n", i.target, value);
    for (; stored < stores_.size() && stores_[stored].instruction == k; ++stored)
      body += fmt::format("    out[i * ts + {}] = r{};\n", stores_[stored].root, i.target);
  }
  for (std::size_t r = 0; r < root_slots_.size(); ++r)
    if (is_uniform(root_slots_[r])) body += fmt::format("    out[i * ts + {}] = u[{}];\n", r, root_slots_[r]);
  for (const int o : offsets)
    declarations += fmt::format("  const int64_t away{} = {} * {} + {} * c->neighbour[1] + {} * c->neighbour[2];\n", o,
                                o % 3 - 1, fields_, o / 3 % 3 - 1, o / 9 - 1);
  std::string locals;
  for (const auto slot : registers) locals += fmt::format("{}r{}", locals.empty() ? "    double " : ", ", slot);
  if (!locals.empty()) locals += ";\n";
  return fmt::format(R"(
static inline __attribute__((always_inline)) void {0}_body(const struct call* c, int64_t ls, int64_t os, int64_t ts) {{
  const double* restrict const u = c->uniforms;
  const double* restrict const values = c->values;
  const double* restrict const rates = c->rates;
  const double* restrict const direction = c->direction;
  const double* restrict const owned_rates = c->owned_rates;
  const double* restrict const places = c->places;
  double* restrict const out = c->out;
  const int64_t count = c->count;
{1}  for (int64_t i = 0; i < count; ++i) {{
{2}{3}  }}
}}
void {0}(const struct call* c) {{
  if (c->local_step == {4} && c->owned_step == {4} && c->out_step == {5})
    {0}_body(c, {4}, {4}, {5});
  else
    {0}_body(c, c->local_step, c->owned_step, c->out_step);
}}
)",
                     name, declarations, locals, body, fields_, root_slots_.size());
}

} // namespace rhumb::text
