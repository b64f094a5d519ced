#pragma once
/// A formula that gives a field's value on a boundary of a mesh.

#include <rhumb/pde/text/mesh_system.hpp>

namespace rhumb::text {

class MeshSystem::Given final : public grid::PlaceFunction {
public:
  /// `parameters` are read at each evaluation.
  Given(const Model& model, Node formula, const std::vector<double>& parameters) : parameters_(parameters) {
    WeakTerms weak(model);
    const Node value = weak.value(formula);
    const auto has = [&](Symbol::Kind kind) {
      return weak.graph().depends(
          value, [&](const Entry& entry) { return entry.op == Op::symbol && entry.symbol.kind == kind; });
    };
    by_time_ = has(Symbol::Kind::time);
    by_parameters_ = has(Symbol::Kind::parameter);
    const Node rate = weak.graph().differentiate(value, [&](const Symbol& symbol) {
      return weak.graph().constant(symbol.kind == Symbol::Kind::time ? 1.0 : 0.0);
    });
    value_ = Program(weak.graph(), {value}, 1);
    rate_ = Program(weak.graph(), {rate}, 1);
  }

  bool depends_on_parameters() const { return by_parameters_; }
  bool moves() const override { return by_time_ || by_parameters_; }

  double operator()(const grid::Where& where) const override { return one(value_, where); }
  double rate(const grid::Where& where) const override { return one(rate_, where); }
  void evaluate(const grid::PointBatch& points, double* values) const override {
    places_.assign(points.count * place::width, 0.0);
    for (std::size_t i = 0; i < points.count; ++i)
      for (std::size_t d = 0; d < 3; ++d)
        if (points.x[d] != nullptr) places_[i * place::width + place::position + d] = points.x[d][i];
    run(value_, points.t, points.count, values);
  }

private:
  double one(Program& program, const grid::Where& where) const {
    places_.assign(place::width, 0.0);
    std::ranges::copy(where.x, places_.begin());
    double value = 0.0;
    run(program, where.t, 1, &value);
    return value;
  }
  void run(Program& program, double t, std::size_t count, double* values) const {
    program.begin({.t = t, .parameters = parameters_});
    program.run({.places = places_.data()}, {.count = static_cast<PetscInt>(count)}, {values, 1});
  }

  const std::vector<double>& parameters_;
  mutable Program value_, rate_; ///< their registers are workspace
  mutable std::vector<double> places_;
  bool by_time_ = false, by_parameters_ = false;
};

} // namespace rhumb::text
