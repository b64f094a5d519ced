#include <rhumb/pde/moving/initial_mesh.hpp>

namespace rhumb::moving {

std::vector<double> smooth_concentration(std::vector<double> M, double kappa) {
  const double s = kappa * (kappa + 1.0);
  const std::size_t count = M.size();
  std::vector<double> upper(count, 0.0); // elimination of the tridiagonal system, diagonally dominant
  for (std::size_t i = 0; i < count; ++i) {
    const double diagonal = 1.0 + (i == 0 || i + 1 == count ? s : 2.0 * s);
    const double pivot = diagonal + (i == 0 ? 0.0 : s * upper[i - 1]);
    upper[i] = -s / pivot;
    M[i] = (M[i] + (i == 0 ? 0.0 : s * M[i - 1])) / pivot;
  }
  for (std::size_t i = count - 1; i-- > 0;) M[i] -= upper[i] * M[i + 1];
  return M;
}

std::vector<double> uniform_mesh(double lower, double upper, PetscInt cells) {
  std::vector<double> x;
  for (PetscInt i = 0; i <= cells; ++i)
    x.push_back(lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(cells));
  x.back() = upper;
  return x;
}

} // namespace rhumb::moving
