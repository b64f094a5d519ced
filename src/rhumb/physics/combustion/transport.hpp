#pragma once
/// Mixture-averaged transport of a gas: conductivities of the species and binary diffusion coefficients from kinetic
/// theory (Lennard-Jones and Stockmayer potentials; internal energy after Warnatz), fitted once by polynomials in ln T:
///   lambda_k = sqrt(T) P(ln T),   p D_jk = T^(3/2) P(ln T);
///   lambda = (sum X_k lambda_k + 1/sum(X_k/lambda_k))/2,   D_km = (1 - Y_k)/sum_{j != k} X_j/D_jk;
/// and, where it is asked for, thermal diffusion ratios k_Tk = X_k sum_j X_j theta_kj(T) of species lighter than 5 g/mol
/// (H, H2, He), which diffuse along -(grad X_k + k_Tk grad ln T): theta < 0 takes them to where it is hot.

#include <rhumb/physics/combustion/mixture.hpp>
#include <algorithm>
#include <array>

namespace rhumb::combustion {

/// A polynomial in ln T, in a variable that runs from -1 to 1 over the range of the fit.
struct Fit {
  static constexpr std::size_t terms = 5;
  std::array<double, terms> c{};

  template <class S>
  S at(const S& x) const {
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
  }
};

class Transport {
public:
  /// Throws core::BadInput for a species without transport data.
  explicit Transport(const Mechanism& gas);

  /// lambda of the mixture, W/(m K).
  template <class S>
  S conductivity(const S& T, std::span<const S> X) const;
  /// p D_km of all species, Pa m^2/s.
  template <class S>
  void diffusion(const S& T, std::span<const S> Y, std::span<const S> X, std::span<S> out) const;

  /// From here on thermal_diffusion has values.
  void add_thermal_diffusion(const Mechanism& gas);
  bool has_thermal_diffusion() const { return !light_.empty(); }
  /// k_Tk of all species; 0 for those that are not light.
  template <class S>
  void thermal_diffusion(const S& T, std::span<const S> X, std::span<S> out) const;

  // Of single species and pairs, for tests and tables.
  double conductivity_of(std::size_t k, double T) const;
  double diffusion_of(std::size_t j, std::size_t k, double T) const; ///< p D_jk, Pa m^2/s
  double largest_fit_error() const { return fit_error_; }            ///< relative

private:
  template <class S>
  S variable(const S& T) const {
    using std::log;
    return (log(T) - middle_) * (1.0 / half_);
  }
  const Fit& pair(std::size_t j, std::size_t k) const { return diffusion_[j * size_ + k]; }

  struct LightSpecies {
    std::size_t species;
    std::vector<Fit> with; ///< theta_kj of every j
  };

  std::size_t size_;
  double middle_ = 0.0, half_ = 1.0;
  std::vector<Fit> conductivity_, diffusion_;
  std::vector<LightSpecies> light_;
  double fit_error_ = 0.0;
};

inline constexpr double trace = 1e-12;
inline constexpr double typical_inverse = 0.1; ///< 1/(p D), 1/(Pa m^2/s)

template <class S>
S Transport::conductivity(const S& T, std::span<const S> X) const {
  using std::sqrt;
  const auto T1 = as_single_variable(T);
  const auto x = variable(T1);
  const auto root = sqrt(T1);
  S sum(0.0), inverse(0.0);
  double along_T = 0.0, inverse_along_T = 0.0;
  for (std::size_t k = 0; k < size_; ++k) {
    const auto pure = conductivity_[k].at(x) * root;
    add_product(sum, along_T, X[k], pure);
    add_product(inverse, inverse_along_T, X[k], 1.0 / pure);
  }
  chain_along(sum, along_T, T);
  chain_along(inverse, inverse_along_T, T);
  return 0.5 * (sum + 1.0 / inverse);
}

template <class S>
void Transport::diffusion(const S& T, std::span<const S> Y, std::span<const S> X, std::span<S> out) const {
  using std::sqrt;
  const auto T1 = as_single_variable(T);
  const auto x = variable(T1);
  using One = std::decay_t<decltype(T1)>;
  const One scale = T1 * sqrt(T1);
  S mass(trace);
  for (std::size_t k = 0; k < size_; ++k) mass += Y[k];
  thread_local std::vector<double> workspace;
  workspace.assign(size_, 0.0);
  const std::span<double> along_T = workspace;
  // A little of everything is everywhere, or D_km of a species that is alone would be 0/0.
  for (std::size_t k = 0; k < size_; ++k) out[k] = S(trace * typical_inverse);
  for (std::size_t k = 0; k < size_; ++k)
    for (std::size_t j = 0; j < k; ++j) { // D_jk = D_kj
      const One inverse = 1.0 / (scale * pair(j, k).at(x));
      add_product(out[k], along_T[k], X[j], inverse);
      add_product(out[j], along_T[j], X[k], inverse);
    }
  for (std::size_t k = 0; k < size_; ++k) {
    chain_along(out[k], along_T[k], T);
    out[k] = (mass - Y[k]) / out[k];
  }
}

template <class S>
void Transport::thermal_diffusion(const S& T, std::span<const S> X, std::span<S> out) const {
  const auto x = variable(as_single_variable(T));
  std::ranges::fill(out, S(0.0));
  for (const LightSpecies& light : light_) {
    S sum(0.0);
    double along_T = 0.0;
    for (std::size_t j = 0; j < size_; ++j) add_product(sum, along_T, X[j], light.with[j].at(x));
    chain_along(sum, along_T, T);
    out[light.species] = X[light.species] * sum;
  }
}

} // namespace rhumb::combustion
