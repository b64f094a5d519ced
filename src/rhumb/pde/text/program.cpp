#include <rhumb/pde/text/program.hpp>

#include <algorithm>
#include <cmath>

namespace rhumb::text {

double Uniforms::operator[](const Symbol& symbol) const {
  switch (symbol.kind) {
  case Symbol::Kind::time:
    return t;
  case Symbol::Kind::alpha:
    return alpha;
  case Symbol::Kind::parameter:
    return parameters[symbol.index];
  case Symbol::Kind::reduction:
    return reductions[symbol.index];
  case Symbol::Kind::reduction_along:
    return reductions_along[symbol.index];
  case Symbol::Kind::spacing:
    return spacing[symbol.index];
  default:
    return 1.0 / spacing[symbol.index];
  }
}

/// SplitMix64 (Steele, Lea and Flood 2014) of the point's index, begun at a multiple of the seed.
double noise_of(std::uint64_t point, std::uint64_t seed) {
  std::uint64_t z = point + seed * 0xD1342543DE82EF95ULL + 0x9E3779B97F4A7C15ULL;
  for (int round = 0; round < 2; ++round) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    z = (z ^ (z >> 31U)) + 0x9E3779B97F4A7C15ULL;
  }
  return static_cast<double>(z >> 11U) * 0x1p-52 - 1.0;
}

Program::Program(const Graph& graph, std::vector<Node> roots, std::size_t fields) : fields_(fields) {
  allocate(graph, graph.needed(roots), roots);
}

namespace {

/// Which of the nodes are the same at all points.
std::unordered_map<Node, bool> find_uniform(const Graph& graph, std::span<const Node> nodes) {
  std::unordered_map<Node, bool> uniform;
  for (const Node node : nodes) {
    const Entry& entry = graph[node];
    bool all = entry.op != Op::symbol || entry.symbol.uniform();
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      all = all && uniform[entry.operands[k]];
    uniform[node] = all;
  }
  return uniform;
}

} // namespace

void Program::allocate(const Graph& graph, std::span<const Node> nodes, std::span<const Node> roots) {
  auto uniform = find_uniform(graph, nodes);
  std::unordered_map<Node, std::uint32_t> slot, uses;
  std::uint32_t next = 0;
  for (const Node node : nodes) {
    const Entry& entry = graph[node];
    if (uniform[node]) slot[node] = next++;
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k) ++uses[entry.operands[k]];
  }
  uniforms_.assign(next, 0.0);
  std::vector<std::uint32_t> free;
  for (const Node node : nodes) {
    const Entry& entry = graph[node];
    Instruction made{entry.op, 0, {}, entry.callee, entry.symbol};
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      made.operands[k] = slot[entry.operands[k]];
    if (uniform[node]) {
      made.target = slot[node];
      if (entry.op == Op::constant) uniforms_[made.target] = entry.value;
      if (entry.op != Op::constant) uniform_instructions_.push_back(made);
      continue;
    }
    if (free.empty()) free.push_back(next++);
    made.target = slot[node] = free.back(); // never a register of an operand
    free.pop_back();
    for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(entry.op)); ++k)
      if (const Node operand = entry.operands[k]; --uses[operand] == 0 && !uniform[operand])
        free.push_back(slot[operand]);
    const auto& symbol = entry.symbol;
    if (entry.op == Op::symbol && symbol.kind == Symbol::Kind::rate && symbol.offset != centre)
      needs_neighbours_rates_ = true;
    instructions_.push_back(made);
    for (std::size_t r = 0; r < roots.size(); ++r)
      if (roots[r] == node) stores_.push_back({instructions_.size() - 1, r, made.target});
    if (uses[node] == 0) free.push_back(made.target); // a root that nothing else uses
  }
  registers_.assign((next - uniforms_.size()) * block, 0.0);
  for (const Node root : roots) root_slots_.push_back(slot[root]);
}

void Program::begin(const Uniforms& given) {
  for (const Instruction& i : uniform_instructions_) {
    const auto [a, b, c] = i.operands;
    uniforms_[i.target] = i.op == Op::symbol
                              ? given[i.symbol]
                              : evaluate({.op = i.op, .callee = i.callee}, uniforms_[a], uniforms_[b], uniforms_[c]);
  }
}

void Program::run(const Inputs& inputs, const Line& line, const Output& output) {
  if (compiled_ != nullptr) return call(inputs, line, output);
  for (PetscInt first = 0; first < line.count; first += static_cast<PetscInt>(block))
    run_block(inputs, line, first, std::min(static_cast<PetscInt>(block), line.count - first), output);
}

void Program::call(const Inputs& inputs, const Line& line, const Output& output) const {
  const auto fields = static_cast<std::int64_t>(fields_);
  const auto at_line = [&](const double* data) { return data == nullptr ? nullptr : data + line.local * fields; };
  const std::array<std::int64_t, 3> neighbour{inputs.neighbour[0] * fields, inputs.neighbour[1] * fields,
                                              inputs.neighbour[2] * fields};
  const CompiledCall call{.uniforms = uniforms_.data(),
                          .values = at_line(inputs.values),
                          .rates = at_line(inputs.rates),
                          .direction = at_line(inputs.direction),
                          .owned_rates =
                              inputs.owned_rates == nullptr ? nullptr : inputs.owned_rates + line.owned * fields,
                          .places = inputs.places,
                          .out = output.data,
                          .neighbour = neighbour.data(),
                          .count = line.count,
                          .local_step = line.local_step * fields,
                          .owned_step = line.owned_step * fields,
                          .out_step = output.step,
                          .corner = line.corner.data(),
                          .step = line.step.data()};
  compiled_(&call);
}

void Program::run_block(const Inputs& inputs, const Line& line, PetscInt first, PetscInt count, const Output& output) {
  const PetscInt step = output.step;
  const auto target = [&](std::size_t root) { return output.data + first * step + root; };
  std::size_t stored = 0;
  for (std::size_t k = 0; k < instructions_.size(); ++k) {
    const Instruction& instruction = instructions_[k];
    if (instruction.op == Op::symbol)
      load(inputs, line, instruction.symbol, first, count, column(instruction.target));
    else
      compute(instruction, count);
    for (; stored < stores_.size() && stores_[stored].instruction == k; ++stored) {
      const double* from = column(stores_[stored].slot);
      double* to = target(stores_[stored].root);
      for (PetscInt i = 0; i < count; ++i) to[i * step] = from[i];
    }
  }
  for (std::size_t r = 0; r < root_slots_.size(); ++r)
    if (is_uniform(root_slots_[r]))
      for (PetscInt i = 0; i < count; ++i) target(r)[i * step] = uniforms_[root_slots_[r]];
}

void Program::load(const Inputs& inputs, const Line& line, const Symbol& symbol, PetscInt first, PetscInt count,
                   double* target) const {
  using Kind = Symbol::Kind;
  const auto fields = static_cast<PetscInt>(fields_);
  if (symbol.kind == Kind::coordinate) {
    const double x = line.corner[symbol.index], step = line.step[symbol.index];
    for (PetscInt i = 0; i < count; ++i) target[i] = x + static_cast<double>(first + i) * step;
  } else if (symbol.kind == Kind::noise) {
    for (PetscInt i = 0; i < count; ++i)
      target[i] = noise_of(static_cast<std::uint64_t>(line.natural + (first + i) * line.natural_step), symbol.index);
  } else if (symbol.kind == Kind::place) {
    const double* from = inputs.places + static_cast<std::size_t>(first) * place::width + symbol.index;
    for (PetscInt i = 0; i < count; ++i) target[i] = from[static_cast<std::size_t>(i) * place::width];
  } else if (symbol.kind == Kind::rate && !needs_neighbours_rates_) {
    const double* from = inputs.owned_rates + (line.owned + first * line.owned_step) * fields + symbol.index;
    for (PetscInt i = 0; i < count; ++i) target[i] = from[i * line.owned_step * fields];
  } else {
    const double* data = symbol.kind == Kind::field  ? inputs.values
                         : symbol.kind == Kind::rate ? inputs.rates
                                                     : inputs.direction;
    const PetscInt away = (symbol.offset % 3 - 1) * inputs.neighbour[0] +
                          (symbol.offset / 3 % 3 - 1) * inputs.neighbour[1] +
                          (symbol.offset / 9 - 1) * inputs.neighbour[2];
    const double* from = data + (line.local + first * line.local_step + away) * fields + symbol.index;
    for (PetscInt i = 0; i < count; ++i) target[i] = from[i * line.local_step * fields];
  }
}

namespace {

/// r = f(a, b) where either may be the same at all points.
template <class F>
void binary(double* __restrict r, const double* a, bool a_uniform, const double* b, bool b_uniform, PetscInt n,
            const F& f) {
  if (a_uniform) {
    const double value = *a;
    for (PetscInt i = 0; i < n; ++i) r[i] = f(value, b[i]);
  } else if (b_uniform) {
    const double value = *b;
    for (PetscInt i = 0; i < n; ++i) r[i] = f(a[i], value);
  } else {
    for (PetscInt i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
  }
}

} // namespace

void Program::compute(const Instruction& instruction, PetscInt n) {
  const auto of = [&](std::size_t k) {
    const std::uint32_t slot = instruction.operands[k];
    return is_uniform(slot) ? &uniforms_[slot] : column(slot);
  };
  double* __restrict r = column(instruction.target);
  const double *a = of(0), *b = of(1);
  const bool a_uniform = is_uniform(instruction.operands[0]), b_uniform = is_uniform(instruction.operands[1]);
  const auto one = [&](auto f) {
    for (PetscInt i = 0; i < n; ++i) r[i] = f(a[i]);
  };
  const auto two = [&](auto f) { binary(r, a, a_uniform, b, b_uniform, n, f); };
  switch (instruction.op) {
  case Op::negate:
    return one([](double x) { return -x; });
  case Op::absolute:
    return one([](double x) { return std::fabs(x); });
  case Op::square_root:
    return one([](double x) { return std::sqrt(x); });
  case Op::logical_not:
    return one([](double x) { return x == 0.0 ? 1.0 : 0.0; });
  case Op::call_one:
    return one(instruction.callee->one);
  case Op::add:
    return two([](double x, double y) { return x + y; });
  case Op::subtract:
    return two([](double x, double y) { return x - y; });
  case Op::multiply:
    return two([](double x, double y) { return x * y; });
  case Op::divide:
    return two([](double x, double y) { return x / y; });
  case Op::call_two:
    return two(instruction.callee->two);
  case Op::choose: {
    const double* c = of(2);
    const PetscInt sa = a_uniform ? 0 : 1, sb = b_uniform ? 0 : 1, sc = is_uniform(instruction.operands[2]) ? 0 : 1;
    for (PetscInt i = 0; i < n; ++i) r[i] = a[i * sa] != 0.0 ? b[i * sb] : c[i * sc];
    return;
  }
  default:
    return two([&](double x, double y) { return evaluate({.op = instruction.op}, x, y, 0.0); });
  }
}

} // namespace rhumb::text
