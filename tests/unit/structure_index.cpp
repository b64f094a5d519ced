// The structural index and the index of matrix pencils: each against brute force, and against each other where the
// values are general.
#include <rhumb/dae/pencil.hpp>
#include <rhumb/dae/signature.hpp>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using namespace rhumb::dae;

constexpr int none = -1; // of sigma: the variable does not stand in the equation

/// sigma by rows: `none`, 0 or 1.
Signature signature_of_numbers(int size, const std::vector<int>& sigma) {
  std::vector<Pattern::Entry> values, rates;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      if (sigma[i * size + j] == 0) values.push_back({i, j});
      if (sigma[i * size + j] == 1) rates.push_back({i, j});
    }
  return signature_of(Pattern::of(size, size, values), Pattern::of(size, size, rates));
}

/// Pryce's problem by trying all small c: the smallest with sigma <= d - c and equality on some transversal.
std::vector<int> smallest_offsets(int size, const std::vector<int>& sigma) {
  std::vector<int> c(size, 0), best;
  int best_sum = std::numeric_limits<int>::max();
  const auto examine = [&] {
    std::vector<int> d(size, 0), order(size);
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i)
        if (sigma[i * size + j] != none) d[j] = std::max(d[j], sigma[i * size + j] + c[i]);
    for (int i = 0; i < size; ++i) order[i] = i;
    do {
      bool tight = true;
      for (int i = 0; i < size; ++i)
        tight = tight && sigma[i * size + order[i]] != none && sigma[i * size + order[i]] + c[i] == d[order[i]];
      int sum = 0;
      for (const int ci : c) sum += ci;
      if (tight && sum < best_sum) {
        best_sum = sum;
        best = c;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  };
  for (int code = 0; code < (size == 2 ? 9 : 64); ++code) {
    int rest = code;
    for (int& ci : c) {
      ci = rest % (size == 2 ? 3 : 4);
      rest /= size == 2 ? 3 : 4;
    }
    examine();
  }
  return best;
}

Pencil with_general_values(int size, const std::vector<int>& sigma, std::mt19937& random) {
  std::uniform_real_distribution<double> value(0.5, 1.5);
  Pencil out{static_cast<std::size_t>(size), std::vector<double>(sigma.size(), 0.0),
             std::vector<double>(sigma.size(), 0.0)};
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    if (sigma[k] != none) out.values[k] = (random() % 2 ? 1.0 : -1.0) * value(random);
    if (sigma[k] == 1) out.rates[k] = (random() % 2 ? 1.0 : -1.0) * value(random);
  }
  return out;
}

std::vector<int> sigma_of_code(int size, int code) {
  std::vector<int> sigma(static_cast<std::size_t>(size * size));
  for (int& s : sigma) {
    s = code % 3 - 1;
    code /= 3;
  }
  return sigma;
}

void compare(int size, const std::vector<int>& sigma, std::mt19937& random) {
  const Signature signature = signature_of_numbers(size, sigma);
  const PencilIndex found = pencil_index(with_general_values(size, sigma, random), of_exact_matrices);
  if (maximum_matching(signature.all).size < size) {
    EXPECT_GT(found.null.count, 0);
    return;
  }
  const Offsets structural = offsets(signature);
  EXPECT_EQ(found.null.count, 0);
  EXPECT_EQ(found.index, structural_index(signature, structural));
  EXPECT_EQ(found.growth, growth(signature, structural));
}

TEST(Signature, HasTheSmallestOffsetsForEverySystemOfTwoOrThree) {
  for (const auto& [size, codes] : {std::pair{2, 81}, {3, 19683}})
    for (int code = 0; code < codes; ++code) {
      const auto sigma = sigma_of_code(size, code);
      const Signature signature = signature_of_numbers(size, sigma);
      if (maximum_matching(signature.all).size < size) {
        EXPECT_THROW(offsets(signature), std::logic_error);
        continue;
      }
      ASSERT_EQ(offsets(signature).equation, smallest_offsets(size, sigma)) << size << ", code " << code;
    }
}

TEST(Pencil, WithGeneralValuesHasTheStructuralIndexForEverySystemOfTwoOrThree) {
  std::mt19937 random(3);
  for (const auto& [size, codes, step] : {std::tuple{2, 81, 1}, {3, 19683, 5}})
    for (int code = 0; code < codes; code += step) {
      compare(size, sigma_of_code(size, code), random);
      if (HasFailure()) FAIL() << size << ", code " << code;
    }
}

TEST(Pencil, WithGeneralValuesHasTheStructuralIndexForRandomSystemsOfTen) {
  std::mt19937 random(4);
  for (int sample = 0; sample < 300; ++sample) {
    std::vector<int> sigma(100, none);
    for (int i = 0; i < 10; ++i) sigma[i * 10 + (i * 3) % 10] = 0;
    for (int k = 0; k < 14; ++k) sigma[random() % 100] = static_cast<int>(random() % 2);
    compare(10, sigma, random);
    if (HasFailure()) FAIL() << "sample " << sample;
  }
}

/// A and B by rows.
PencilIndex index_of(std::size_t size, std::vector<double> a, std::vector<double> b) {
  return pencil_index({size, std::move(a), std::move(b)}, of_differences);
}

TEST(Pencil, FindsTheIndexThatThePatternHides) {
  // BCP 7.4: x' + y' + x + y = cos t, x' + y' + x + 2 y = t.
  const Signature signature = signature_of_numbers(2, {1, 1, 1, 1});
  EXPECT_EQ(structural_index(signature, offsets(signature)), 0);
  EXPECT_EQ(index_of(2, {1, 1, 1, 1}, {1, 1, 1, 2}).index, 1);
}

TEST(Pencil, OfBcpExample241IsSingularForEveryS) {
  for (const double t : {0.0, 0.7}) {
    const PencilIndex found = index_of(2, {1, t, 0, 0}, {0, 0, 1, t});
    EXPECT_EQ(found.null.count, 1);
    EXPECT_FALSE(found.null.constant);
    EXPECT_EQ(found.index, -1);
  }
}

TEST(Pencil, OfBcpExample242IsRegularOfIndexTwo) {
  for (const double t : {0.5, 2.0}) EXPECT_EQ(index_of(2, {-t, t * t, -1, t}, {1, 0, 0, 1}).index, 2);
}

TEST(Pencil, OfBcpExample243ChangesItsIndexAtZero) {
  EXPECT_EQ(index_of(2, {0, 0, 0.3, 0}, {1, 0, 0, 1}).index, 2); // t < 0
  EXPECT_EQ(index_of(2, {0, 0, 0, 0}, {1, 0, 0, 1}).index, 1);   // t = 0
  EXPECT_EQ(index_of(2, {0, 0.3, 0, 0}, {1, 0, 0, 1}).index, 2); // t > 0
}

TEST(Pencil, KnowsChainsUpToIndexSix) {
  for (std::size_t size = 1; size <= 6; ++size) { // y_1 = g, y_(k+1) = y_k'
    std::vector<double> a(size * size, 0.0), b(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) b[i * size + i] = 1.0;
    for (std::size_t i = 1; i < size; ++i) a[i * size + i - 1] = -1.0;
    const PencilIndex found = index_of(size, a, b);
    EXPECT_EQ(found.index, static_cast<int>(size));
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(found.growth[i], static_cast<int>(i));
  }
}

TEST(Pencil, IsFoundInAnyUnits) {
  // The pendulum in its index-2 form, linearized, with the units of variables and equations changed by up to 1e6.
  const std::vector<double> a{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  const std::vector<double> b{0, 0,   -1, 0,   0, 0, 0,   0,   -1,  0,   0.3, 0, 0,
                              0, 0.6, 0,  0.3, 0, 0, 0.8, 0.1, 0.2, 0.6, 0.8, 0};
  const double units[] = {1e3, 1e-6, 1.0, 1e6, 1e-3};
  for (const double time : {1e-6, 1.0, 1e6}) {
    std::vector<double> scaled_a = a, scaled_b = b;
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        scaled_a[i * 5 + j] *= time * units[j] / units[(i + 2) % 5];
        scaled_b[i * 5 + j] *= units[j] / units[(i + 2) % 5];
      }
    const PencilIndex found = index_of(5, scaled_a, scaled_b);
    EXPECT_EQ(found.index, 2) << "time unit " << time;
    EXPECT_EQ(found.growth[4], 1);
  }
}

TEST(Pencil, NamesWhatARedundantRowLeavesFree) {
  // x' = -x, 0 = x + y + z - 1, 0 = 2 (x + y + z - 1).
  const PencilIndex found = index_of(3, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 1, 1, 1, 2, 2, 2});
  EXPECT_EQ(found.null.count, 1);
  EXPECT_TRUE(found.null.constant);
  EXPECT_EQ(found.null.rows, (std::vector<char>{0, 1, 1}));
  EXPECT_EQ(found.null.columns, (std::vector<char>{0, 1, 1}));
  EXPECT_EQ(found.index, 1) << "with y - z fixed";
}

} // namespace
