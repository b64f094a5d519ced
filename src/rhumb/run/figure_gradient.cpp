#include <rhumb/run/figure_gradient.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/dae/figure_gradients.hpp>
#include <rhumb/run/sensitivities.hpp>
#include <rhumb/run/summary.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rhumb::run {

using core::check;

namespace {
/// Of an entry, or of the largest one of its field: increments of differences.
constexpr double difference_part = 1e-6;
/// More evaluations of the figures take longer than a run.
constexpr long max_evaluations = 100000;
/// Shorter ranges are not divided to find what has no influence.
constexpr PetscInt short_range = 3;

const double* number_in(const dae::Figures& figures, const FigureName& wanted) {
  const auto found = std::ranges::find(figures, wanted.name, &dae::Figures::value_type::first);
  if (found == figures.end()) return nullptr;
  if (wanted.entry == 0) return std::get_if<double>(&found->second);
  const auto* list = std::get_if<std::vector<double>>(&found->second);
  return list && wanted.entry <= list->size() ? &(*list)[wanted.entry - 1] : nullptr;
}

[[noreturn]] void reject_name(const FigureName& wanted, const dae::Figures& figures, const std::string& problem) {
  std::vector<std::string> known;
  for (const auto& [name, figure] : figures) {
    if (std::holds_alternative<double>(figure)) known.push_back(name);
    if (const auto* list = std::get_if<std::vector<double>>(&figure))
      if (!list->empty()) known.push_back(name + "[1]");
  }
  const std::string near = core::nearest(wanted.text(), known);
  throw core::BadInput(fmt::format("option -gradient {}: {} reports no such number{}; its figures are {}",
                                   wanted.text(), problem, near.empty() ? "" : "; nearest: " + near,
                                   fmt::join(known, ", ")));
}

/// Differences of one figure at one state.
class FigureDifferences {
public:
  FigureDifferences(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot)
      : problem_(problem), figure_(figure), t_(t), saved_state_(problem.saved_state()) {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      given_[i] = i == 0 ? y : ydot;
      moved_[i] = core::same_layout(y);
      check(VecCopy(given_[i], moved_[i]));
      find_scales(i);
    }
    check(VecGetOwnershipRange(y, &first_, &last_));
    check(VecGetSize(y, &size_));
    base_ = evaluate();
  }

  /// By y (0) or y' (1).
  void find(std::size_t which, Vec out) {
    check(VecSet(out, 0.0));
    const core::Writable values(out);
    divide(which, 0, size_, values.span());
  }

private:
  /// The largest entry of each field.
  void find_scales(std::size_t which) {
    auto& scale = scales_[which];
    scale.assign(problem_.fields().size(), 0.0);
    const core::Readable values(given_[which]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& largest = scale[static_cast<std::size_t>(problem_.field_of(static_cast<PetscInt>(i)))];
      largest = std::max(largest, std::abs(values[i]));
    }
    core::check_mpi(MPI_Allreduce(MPI_IN_PLACE, scale.data(), static_cast<int>(scale.size()), MPI_DOUBLE, MPI_MAX,
                                  PetscObjectComm(reinterpret_cast<PetscObject>(given_[which]))));
    for (double& largest : scale)
      if (largest == 0.0) largest = 1.0;
  }

  double evaluate() {
    if (++evaluations_ > max_evaluations)
      throw core::BadInput(
          fmt::format("option -gradient {}: the figure depends on too many of {} unknowns for "
                      "differences, and the problem does not know its derivatives; nearest: -sensitivity",
                      figure_.text(), size_));
    const dae::Figures figures = figures_of(problem_, t_, moved_[0], moved_[1]);
    if (!saved_state_.empty()) problem_.restore_state(saved_state_);
    const double* value = number_in(figures, figure_);
    if (!value) reject_name(figure_, figures, problem_.name());
    return *value;
  }

  double increment(std::size_t which, PetscInt local) const {
    return difference_part * scales_[which][static_cast<std::size_t>(problem_.field_of(local))];
  }

  /// The figure with the entries from ... to moved by a part of their increments, not all of them by the same.
  double beside(std::size_t which, PetscInt from, PetscInt to, double part) {
    const auto move = [&](double by) {
      const core::Readable given(given_[which]);
      const core::Writable moved(moved_[which]);
      for (PetscInt i = std::max(from, first_); i < std::min(to, last_); ++i) {
        const auto local = static_cast<std::size_t>(i - first_);
        const double uneven = to - from == 1 ? 1.0 : 1.0 + 0.3 * std::cos(static_cast<double>(i));
        moved[local] = given[local] + by * uneven * increment(which, i - first_);
      }
    };
    move(part);
    const double value = evaluate();
    move(0.0);
    return value;
  }

  void divide(std::size_t which, PetscInt from, PetscInt to, std::span<double> out) {
    if (to - from > short_range) {
      if (beside(which, from, to, 1.0) == base_ && beside(which, from, to, -1.0) == base_) return;
      const PetscInt middle = from + (to - from) / 2;
      divide(which, from, middle, out);
      divide(which, middle, to, out);
      return;
    }
    for (PetscInt i = from; i < to; ++i) {
      const double difference = beside(which, i, i + 1, 1.0) - beside(which, i, i + 1, -1.0);
      if (i < first_ || i >= last_) continue;
      out[static_cast<std::size_t>(i - first_)] = difference / (2.0 * increment(which, i - first_));
    }
  }

  dae::Problem& problem_;
  const FigureName& figure_;
  double t_;
  std::vector<double> saved_state_;
  std::array<Vec, 2> given_{};
  std::array<core::VecHandle, 2> moved_;
  std::array<std::vector<double>, 2> scales_;
  PetscInt first_ = 0, last_ = 0, size_ = 0;
  double base_ = 0.0;
  long evaluations_ = 0;
};

/// A variable of a small system is a figure of its own: the derivative is 1 at its entry.
bool is_variable(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot, Vec by_y) {
  const auto state = small_state(problem, y);
  const auto found = std::ranges::find(state, figure.name, &std::pair<std::string, std::vector<double>>::first);
  if (figure.entry != 0 || found == state.end() || found->second.size() != 1) return false;
  const dae::Figures reported = problem.report(t, y, ydot);
  if (std::ranges::find(reported, figure.name, &dae::Figures::value_type::first) != reported.end()) return false;
  const auto fields = problem.fields();
  const core::Writable out(by_y);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] =
        fields[static_cast<std::size_t>(problem.field_of(static_cast<PetscInt>(i)))].name == figure.name ? 1.0 : 0.0;
  return true;
}
} // namespace

FigureName FigureName::parse(const std::string& text) {
  const auto open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return {text, 0};
  const auto entry = core::parse_integer(text.substr(open + 1, text.size() - open - 2));
  if (!entry || *entry < 1)
    throw core::BadInput(
        fmt::format("option -gradient {}: entries of a list are counted from 1, as in probes[1]", text));
  return {text.substr(0, open), static_cast<std::size_t>(*entry)};
}

std::string FigureName::text() const {
  return entry == 0 ? name : fmt::format("{}[{}]", name, entry);
}

double figure_value(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot) {
  const dae::Figures figures = figures_of(problem, t, y, ydot);
  const double* value = number_in(figures, figure);
  if (!value) reject_name(figure, figures, problem.name());
  return *value;
}

void differentiate_figure(dae::Problem& problem, const FigureName& figure, double t, Vec y, Vec ydot, Vec by_y,
                          Vec by_ydot) {
  check(VecSet(by_ydot, 0.0));
  if (is_variable(problem, figure, t, y, ydot, by_y)) return;
  auto* known = dynamic_cast<dae::FigureGradients*>(&problem);
  if (known && known->figure_gradient(figure.text(), t, y, by_y)) return;
  FigureDifferences differences(problem, figure, t, y, ydot);
  differences.find(0, by_y);
  differences.find(1, by_ydot);
}

} // namespace rhumb::run
