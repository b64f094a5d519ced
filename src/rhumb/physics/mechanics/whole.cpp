#include <rhumb/physics/mechanics/whole.hpp>

namespace rhumb::mechanics {

Whole whole_at(const Assembly& assembly, double t, std::span<const double> q, std::span<const double> v,
               std::span<const double> a) {
  Whole out;
  out.dynamics.resize(q.size());
  for (const Part& part : assembly.parts) {
    LocalState<double> at;
    at.t = t;
    for (const std::size_t i : part.coordinates) {
      at.q.push_back(q[i]);
      at.v.push_back(v[i]);
      at.a.push_back(a[i]);
    }
    at.lambda.assign(part.element->constraints(), 0.0);
    const auto rows = part.element->rows(at);
    for (std::size_t i = 0; i < part.coordinates.size(); ++i) out.dynamics[part.coordinates[i]] += rows.dynamics[i];
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(out.position, rows.position);
    append(out.velocity, rows.velocity);
    append(out.acceleration, rows.acceleration);
  }
  return out;
}

} // namespace rhumb::mechanics
