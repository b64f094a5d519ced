#pragma once
/// A case's equations for meshes whose points move: the terms of the weak form (weak_terms.hpp), whose flux is also that
/// of control volumes on a line, and what holds on the sides.

#include <rhumb/pde/text/case.hpp>
#include <rhumb/pde/text/point_kernel.hpp>
#include <rhumb/pde/text/weak_terms.hpp>

namespace rhumb::text {

class MovingEquations {
public:
  /// Throws BadInput in words where the case cannot be solved on a mesh that moves.
  explicit MovingEquations(const Case& read);

  std::size_t directions() const { return directions_; }
  std::size_t fields() const { return fields_; }
  /// The number of a side, or a part of the boundary, by its name.
  std::size_t side(const std::string& name) const;
  bool is_given(std::size_t field, std::size_t side) const { return given_[side][field].results() > 0; }

  std::vector<double>& parameters() { return parameters_; }
  /// Parameters have changed.
  void forget() const;
  /// All programs under names of their own, to be compiled.
  std::vector<std::pair<Program*, std::string>> programs();

  // At a point's row; results are by field, those of the flux by direction and field.
  template <class S>
  void source(std::span<const S> row, double t, S* results) const {
    source_(row, now(t), results);
  }
  template <class S>
  void flux(std::span<const S> row, double t, S* results) const {
    flux_(row, now(t), results);
  }
  /// What flows out through a side, 0 where a value is given.
  template <class S>
  void outflow(std::size_t side, std::span<const S> row, double t, S* results) const {
    outflow_[side](row, now(t), results);
  }
  /// The value on a side, of place and time.
  template <class S>
  S given(std::size_t field, std::size_t side, std::span<const S> row, double t) const {
    S value{};
    given_[side][field](row, now(t), &value);
    return value;
  }
  template <class S>
  void initial(std::span<const S> row, S* results) const {
    initial_(row, now(0.0), results);
  }
  template <class S>
  S monitor(std::span<const S> row, double t) const {
    S value{};
    monitor_(row, now(t), &value);
    return value;
  }

private:
  Uniforms now(double t) const { return {.t = t, .parameters = parameters_}; }
  void add_side(const Model& model, std::size_t side, bool has_normals);
  PointKernel kernel(WeakTerms& weak, const std::vector<Node>& expressions, const std::array<double, 3>& normal = {}) {
    return {weak.graph(), expressions, directions_, fields_, normal};
  }

  std::size_t directions_, fields_;
  std::vector<std::string> sides_;
  std::vector<double> parameters_;
  PointKernel source_, flux_, initial_, monitor_;
  std::vector<PointKernel> outflow_;            ///< by side
  std::vector<std::vector<PointKernel>> given_; ///< by side and field; without results where no value is given
};

} // namespace rhumb::text
