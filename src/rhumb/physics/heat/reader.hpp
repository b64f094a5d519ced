#pragma once
/// Reads what all heat cases have in common, on boxes and on meshes: formulas, materials, what happens on boundaries.

#include <rhumb/core/options.hpp>
#include <rhumb/physics/heat/case.hpp>

namespace rhumb::heat {

class HeatReader {
public:
  /// `place`: the letters of a place, "xy" or "xr".
  HeatReader(const core::Options& options, std::string coordinates)
      : options_(options), coordinates_(std::move(coordinates)) {}

  const std::string& coordinates() const { return coordinates_; }
  const core::Options& options() const { return options_; }

  /// Only where it is given.
  std::optional<Expression> formula_if_given(const std::string& name, const core::About& about,
                                             const std::string& letters);

  /// Everything but named materials and what the domain decides.
  Statement statement(const std::string& problem);
  /// A material with the options of that prefix; what it does not say it takes from the body.
  Material material(const std::string& prefix, const std::string& name);
  /// The names of -materials.
  std::vector<std::string> material_names();
  /// What happens on the boundary of that name.
  Wall wall(const std::string& boundary);

private:
  Expression needed(const std::string& prefix, const std::string& what, const std::string& type,
                    const core::About& about, const std::string& letters);
  std::vector<std::array<double, 3>> probes();

  const core::Options& options_;
  std::string coordinates_;
};

} // namespace rhumb::heat
