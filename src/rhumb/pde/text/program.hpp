#pragma once
/// Nodes of a graph as a list of instructions that is interpreted over blocks of points. What is the same at all points
/// is computed once per sweep; registers are used again once their value is not needed any more.

#include <rhumb/pde/text/graph.hpp>
#include <petscsys.h>

namespace rhumb::text {

/// What is the same at all points.
struct Uniforms {
  double t = 0.0;
  double alpha = 0.0;
  std::array<double, 3> spacing{1, 1, 1};
  std::span<const double> parameters = {};
  std::span<const double> reductions = {};
  std::span<const double> reductions_along = {};

  double operator[](const Symbol& symbol) const;
};

/// Points in a line along a direction of the grid. Local indices count the points of this rank with their halo, owned
/// ones those without.
struct Line {
  PetscInt count = 0;
  PetscInt local = 0, local_step = 1;
  PetscInt owned = 0, owned_step = 1;
  PetscInt natural = 0, natural_step = 1; ///< index in the whole box, x fastest
  std::array<double, 3> corner{};         ///< coordinates of the first point
  std::array<double, 3> step{};           ///< from a point to the next
};

/// Vectors, fields interleaved. Those with local indices have neighbours; `owned_rates` serves where no rate of a
/// neighbour is needed.
struct Inputs {
  const double* values = nullptr;
  const double* rates = nullptr;
  const double* direction = nullptr;
  const double* owned_rates = nullptr;
  const double* places = nullptr;      ///< [point][place::width], from the first point of the line
  std::array<PetscInt, 3> neighbour{}; ///< local index of the next point in x, y, z minus that of the point
};

/// Where results go: result k of point i in a line to data[i * step + k].
struct Output {
  double* data = nullptr;
  PetscInt step = 1;
};

/// What a compiled program is called with, a struct of C (code_writer.cpp has the same). Counts are of doubles.
struct CompiledCall {
  const double* uniforms;
  const double *values, *rates, *direction, *owned_rates, *places; ///< at the first point of the line
  double* out;
  const std::int64_t* neighbour; ///< from a point to the next one in x, y, z
  std::int64_t count, local_step, owned_step, out_step;
  const double *corner, *step;
};
using CompiledFunction = void (*)(const CompiledCall*);

/// A random number in [-1, 1] of a point.
double noise_of(std::uint64_t point, std::uint64_t seed);

class Program {
public:
  Program() = default;
  Program(const Graph& graph, std::vector<Node> roots, std::size_t fields);

  std::size_t results() const { return root_slots_.size(); }
  /// Whether a rate of a neighbour is needed.
  bool needs_neighbours_rates() const { return needs_neighbours_rates_; }

  /// Before the lines of a sweep.
  void begin(const Uniforms& uniforms);
  void run(const Inputs& inputs, const Line& line, const Output& output);
  /// C code of a function that does what `run` does; it calls functions of <math.h> and nothing else.
  std::string c_code(const std::string& name) const;
  /// From now on `run` calls this.
  void use(CompiledFunction function) { compiled_ = function; }
  /// The results of a program without anything that differs between points.
  double uniform_result(std::size_t root) const { return uniforms_[root_slots_[root]]; }

private:
  /// Operands are slots: first the uniform ones, then registers.
  struct Instruction {
    Op op{};
    std::uint32_t target = 0;
    std::array<std::uint32_t, 3> operands{};
    const Callee* callee = nullptr;
    Symbol symbol{};
  };
  struct Store {
    std::size_t instruction; ///< after which
    std::size_t root;
    std::uint32_t slot;
  };

  void call(const Inputs& inputs, const Line& line, const Output& output) const;
  void allocate(const Graph& graph, std::span<const Node> nodes, std::span<const Node> roots);
  void run_block(const Inputs& inputs, const Line& line, PetscInt first, PetscInt count, const Output& output);
  void load(const Inputs& inputs, const Line& line, const Symbol& symbol, PetscInt first, PetscInt count,
            double* target) const;
  void compute(const Instruction& instruction, PetscInt count);
  bool is_uniform(std::uint32_t slot) const { return slot < uniforms_.size(); }
  double* column(std::uint32_t slot) { return registers_.data() + (slot - uniforms_.size()) * block; }

  static constexpr std::size_t block = 128;
  CompiledFunction compiled_ = nullptr;
  std::size_t fields_ = 1;
  bool needs_neighbours_rates_ = false;
  std::vector<Instruction> uniform_instructions_, instructions_;
  std::vector<double> uniforms_, registers_;
  std::vector<Store> stores_;
  std::vector<std::uint32_t> root_slots_;
};

} // namespace rhumb::text
