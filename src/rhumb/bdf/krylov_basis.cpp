#include <rhumb/bdf/krylov_basis.hpp>

#include <rhumb/core/vector_loop.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace rhumb::bdf {

namespace {

/// Vectors are passed through in pieces that stay in the first cache while one vector after the other meets them.
constexpr std::size_t piece = 1024;
/// Sums are made in this many parts, the same on every processor.
constexpr std::size_t lanes = 8;
/// Entries below this are taken as zero: single precision has them in a form that processors are slow with.
constexpr double tiny = 1e-36;

template <class Term>
RHUMB_INLINE inline double sum(std::size_t length, const Term& term) {
  std::array<double, lanes> parts{};
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) parts[l] += term(i + l);
  for (std::size_t l = 0; i < length; ++i, ++l) parts[l] += term(i);
  double all = 0.0;
  for (const double part : parts) all += part;
  return all;
}

/// visit(begin, length) for all pieces, with the processor's vectors.
template <class Visit>
void for_each_piece(std::size_t size, const Visit& visit) {
  core::with_vectors([&] {
    for (std::size_t begin = 0; begin < size; begin += piece) visit(begin, std::min(piece, size - begin));
  });
}

template <class Real>
RHUMB_INLINE inline void add_multiple(double factor, const Real* RHUMB_RESTRICT v, double* RHUMB_RESTRICT to,
                                      std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) to[i] += factor * static_cast<double>(v[i]);
}

} // namespace

void KrylovBasis::choose(Precision precision) {
  count_ = 0;
  if (precision == Precision::single_precision)
    vectors_ = Vectors<float>{};
  else
    vectors_ = Vectors<double>{};
}

double KrylovBasis::rounding() const {
  return std::holds_alternative<Vectors<float>>(vectors_) ? 0x1p-24 : 0x1p-53;
}

void KrylovBasis::release() {
  std::visit([](auto& vectors) { vectors = {}; }, vectors_);
  count_ = 0;
}

void KrylovBasis::reserve(std::size_t count, std::size_t size) {
  std::visit(
      [&](auto& vectors) {
        while (vectors.size() < count) vectors.emplace_back(size);
      },
      vectors_);
}

std::size_t KrylovBasis::capacity() const {
  return std::visit([](const auto& vectors) { return vectors.size(); }, vectors_);
}

void KrylovBasis::append(std::span<double> w, double factor) {
  reserve(count_ + 1, w.size());
  std::visit(
      [&](auto& vectors) {
        auto* const v = vectors[count_].data();
        core::vector_loop(static_cast<PetscInt>(w.size()), [=, to = w.data()](PetscInt i) RHUMB_INLINE_LAMBDA {
          const double value = factor * to[i];
          v[i] = static_cast<std::remove_cvref_t<decltype(*v)>>(std::abs(value) < tiny ? 0.0 : value);
          to[i] = static_cast<double>(v[i]);
        });
      },
      vectors_);
  ++count_;
}

void KrylovBasis::multiply(std::span<const double> w, std::span<double> products) const {
  std::ranges::fill(products, 0.0);
  std::visit(
      [&](const auto& vectors) {
        for_each_piece(w.size(), [&](std::size_t begin, std::size_t length) {
          const double* const part = w.data() + begin;
          for (std::size_t j = 0; j < products.size(); ++j) {
            const auto* const v = vectors[j].data() + begin;
            products[j] +=
                sum(length, [=](std::size_t i) RHUMB_INLINE_LAMBDA { return static_cast<double>(v[i]) * part[i]; });
          }
        });
      },
      vectors_);
}

double KrylovBasis::subtract(std::span<const double> coefficients, std::span<double> w) const {
  double square = 0.0;
  std::visit(
      [&](const auto& vectors) {
        for_each_piece(w.size(), [&](std::size_t begin, std::size_t length) {
          double* const part = w.data() + begin;
          for (std::size_t j = 0; j < coefficients.size(); ++j)
            add_multiple(-coefficients[j], vectors[j].data() + begin, part, length);
          square += sum(length, [=](std::size_t i) RHUMB_INLINE_LAMBDA { return part[i] * part[i]; });
        });
      },
      vectors_);
  return square;
}

void KrylovBasis::add(std::span<const double> coefficients, std::span<double> x) const {
  std::visit(
      [&](const auto& vectors) {
        for_each_piece(x.size(), [&](std::size_t begin, std::size_t length) {
          for (std::size_t j = 0; j < coefficients.size(); ++j)
            add_multiple(coefficients[j], vectors[j].data() + begin, x.data() + begin, length);
        });
      },
      vectors_);
}

} // namespace rhumb::bdf
