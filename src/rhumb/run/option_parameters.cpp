#include <rhumb/run/option_parameters.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/dae/direct_solve.hpp>
#include <rhumb/dae/figure_gradients.hpp>
#include <rhumb/dae/tolerance_rule.hpp>
#include <rhumb/run/changes.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <list>

namespace rhumb::run {

namespace {

/// Of a parameter's size: whether the problem can be made with such a change.
constexpr double trial_shift = 1e-6;
/// Problems that are kept for each parameter that is moved: two for the sides of a figure, two for each of two
/// increments; and the one for what was set.
constexpr std::size_t kept_problems = 7;

bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return std::ranges::any_of(wanted, [&](const std::string& pattern) { return matches(pattern, name); });
}

/// An option that can be moved.
struct MovableOption {
  dae::Parameter parameter;
  core::Declared option;
  bool by_factor = false; ///< the parameter is a factor in front of the option

  std::string text(double value) const {
    if (!by_factor) return fmt::format("{}", value);
    if (option.shape == core::OptionType::string) return fmt::format("({})*{}", option.value, value);
    std::vector<double> entries;
    for (const auto& entry : core::split_at_commas(option.value))
      entries.push_back(value * core::parse_real(entry).value_or(0.0));
    return fmt::format("{}", fmt::join(entries, ","));
  }
};

/// A problem whose numbers among the options can be moved. Everything is done by the problem made for the present
/// values; where matrices are made and preconditioned is the first's.
class Movable : public dae::Problem, public dae::FigureGradients, public dae::ToleranceRule, public dae::DirectSolve {
public:
  using Assignments = std::vector<std::pair<std::string, std::string>>;
  using Remake = std::function<std::unique_ptr<dae::Problem>(const Assignments& options)>;
  Movable(std::unique_ptr<dae::Problem> first, std::vector<MovableOption> options, Remake remake)
      : first_(std::move(first)), present_(first_.get()), named_(first_->parameters().size()),
        options_(std::move(options)), remake_(std::move(remake)) {
    for (const auto& option : options_) present_values_.push_back(option.parameter.value);
    first_values_ = present_values_;
    set_objection(first_->objection());
  }

  /// Finds the range of the wanted parameters as far as differences need it.
  void check_moves(const std::vector<std::string>& wanted) {
    for (std::size_t i = 0; i < options_.size(); ++i)
      if (is_wanted(wanted, options_[i].parameter.name)) {
        most_kept_ += kept_problems;
        check_moves(i);
      }
  }

  std::vector<dae::Parameter> parameters() const override {
    auto all = first_->parameters();
    for (std::size_t i = 0; i < options_.size(); ++i) {
      all.push_back(options_[i].parameter);
      all.back().value = present_values_[i];
    }
    return all;
  }
  void set_parameter(std::size_t index, double value) override {
    if (index < named_) return first_->set_parameter(index, value);
    const std::size_t option = index - named_;
    auto values = present_values_;
    values[option] = value;
    const auto memory = present_->saved_state();
    present_ = values == first_values_ ? first_.get() : &made_for(values);
    present_values_ = std::move(values);
    if (!memory.empty()) present_->restore_state(memory);
  }
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override {
    return index < named_ && first_->parameter_derivative(t, y, ydot, index, out);
  }

  std::vector<dae::Field> fields() const override { return first_->fields(); }
  core::VecHandle create_vector() const override { return first_->create_vector(); }
  core::MatHandle create_matrix() const override { return first_->create_matrix(); }
  void configure(PC pc, Mat matrix) const override { first_->configure(pc, matrix); }
  dae::Offers offers() const override { return first_->offers(); }
  int field_of(PetscInt local) const override { return first_->field_of(local); }
  std::string location(PetscInt local) const override { return first_->location(local); }
  core::VecHandle volumes() const override { return first_->volumes(); }
  std::optional<double> next_break(double t) const override { return present_->next_break(t); }
  dae::Kind variable_kind(PetscInt local) const override { return first_->variable_kind(local); }
  dae::Kind equation_kind(PetscInt local) const override { return first_->equation_kind(local); }

  void initial_values(double t, Vec y, Vec ydot) override { present_->initial_values(t, y, ydot); }
  void residual(double t, Vec y, Vec ydot, Vec out) override { present_->residual(t, y, ydot, out); }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat out) override {
    present_->jacobian(t, y, ydot, alpha, out);
  }
  void product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec out) override {
    present_->product(t, y, ydot, alpha, v, out);
  }
  void mass_product(double t, Vec y, Vec ydot, Vec v, Vec out) override { present_->mass_product(t, y, ydot, v, out); }
  void hidden_constraint(double t, Vec y, Vec ydot, Vec out) override { present_->hidden_constraint(t, y, ydot, out); }
  void exact(double t, Vec y) const override { present_->exact(t, y); }
  std::vector<dae::Event> events() const override { return first_->events(); }
  void event_values(double t, Vec y, Vec ydot, std::span<double> values) override {
    present_->event_values(t, y, ydot, values);
  }
  dae::AfterEvent on_event(double t, std::span<const int> which, Vec y, Vec ydot) override {
    return present_->on_event(t, which, y, ydot);
  }
  std::vector<double> saved_state() const override { return present_->saved_state(); }
  void restore_state(std::span<const double> memory) override { present_->restore_state(memory); }

  std::string name() const override { return first_->name(); }
  double t_start() const override { return first_->t_start(); }
  double t_end() const override { return first_->t_end(); }
  dae::Tolerances default_tolerances() const override { return first_->default_tolerances(); }
  dae::Tolerances tolerances(double rtol) const override { return dae::tolerances_at(*first_, rtol); }
  void set_tolerances(const dae::Tolerances& of_run) override {
    tolerances_ = of_run;
    tell_all();
  }
  void set_direct_solve(bool direct) override {
    direct_ = direct;
    tell_all();
  }
  dae::Preferences preferences() const override { return first_->preferences(); }
  std::vector<std::string> options_free_to_change() const override { return first_->options_free_to_change(); }
  std::vector<double> watch_times() const override { return first_->watch_times(); }
  void watch(double t, Vec y, Vec ydot) override { present_->watch(t, y, ydot); }
  void after_step(double t, Vec y, Vec ydot) override { present_->after_step(t, y, ydot); }
  std::vector<std::string> remarks() const override {
    auto all = first_->remarks();
    for (const auto& option : options_)
      if (option.by_factor)
        all.push_back(fmt::format("-{0} is {1}: derivatives by {0} are those by a factor in front of it",
                                  option.parameter.name,
                                  option.option.shape == core::OptionType::string ? "a formula" : "a list"));
    return all;
  }
  dae::Figures report(double t, Vec y, Vec ydot) override { return present_->report(t, y, ydot); }
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override {
    return present_->series(t, y, ydot);
  }
  bool figure_gradient(const std::string& figure, double t, Vec y, Vec by_y) override {
    auto* known = dynamic_cast<dae::FigureGradients*>(present_);
    return known && known->figure_gradient(figure, t, y, by_y);
  }

protected:
  dae::Problem& present() const { return *present_; }

private:
  void tell(dae::Problem& problem) const {
    if (auto* rule = dynamic_cast<dae::ToleranceRule*>(&problem); rule && tolerances_)
      rule->set_tolerances(*tolerances_);
    if (auto* form = dynamic_cast<dae::DirectSolve*>(&problem); form) form->set_direct_solve(direct_);
  }
  void tell_all() const {
    tell(*first_);
    for (const auto& made : made_) tell(*made.problem);
  }

  void check_moves(std::size_t which) {
    dae::Parameter& p = options_[which].parameter;
    const double shift = trial_shift * (p.value != 0.0 ? std::abs(p.value) : 1.0);
    std::string refusal;
    const auto fits = [&](double value) {
      try {
        auto values = first_values_;
        values[which] = value;
        made_for(values);
        return true;
      } catch (const core::BadInput& rejected) {
        refusal = rejected.what();
        return false;
      }
    };
    const bool above = fits(p.value + shift), below = fits(p.value - shift);
    if (!above && !below)
      throw core::BadInput(
          fmt::format("option -sensitivity {}: this option cannot be moved a little: {}", p.name, refusal));
    if (!above) p.upper = p.value;
    if (!below) p.lower = p.value;
  }

  dae::Problem& made_for(const std::vector<double>& values) {
    const auto known = std::ranges::find(made_, values, &Made::values);
    if (known != made_.end()) {
      made_.splice(made_.begin(), made_, known);
    } else {
      Assignments changed;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != first_values_[i]) changed.emplace_back(options_[i].option.name, options_[i].text(values[i]));
      made_.push_front({values, remake_(changed)});
      tell(*made_.front().problem);
    }
    if (made_.size() > most_kept_) made_.pop_back();
    return *made_.front().problem;
  }

  std::unique_ptr<dae::Problem> first_;
  dae::Problem* present_;
  std::optional<dae::Tolerances> tolerances_; ///< of the run, once it begins
  bool direct_ = false;                       ///< its matrix is factored
  std::size_t named_;                         ///< parameters that the problem names itself
  std::vector<MovableOption> options_;
  Remake remake_;
  std::vector<double> first_values_, present_values_; ///< of the options
  struct Made {
    std::vector<double> values;
    std::unique_ptr<dae::Problem> problem;
  };
  std::list<Made> made_; ///< last used first
  std::size_t most_kept_ = kept_problems;
};

class MovableInSpace final : public Movable, public grid::Geometry {
public:
  using Movable::fields;
  using Movable::Movable;
  std::string signature() const override { return geometry().signature(); }
  grid::Mesh mesh(double t, Vec y) override { return geometry().mesh(t, y); }
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override { return geometry().fields(t, y, ydot); }
  std::vector<PetscInt> natural_indices() const override { return geometry().natural_indices(); }

private:
  grid::Geometry& geometry() const { return dynamic_cast<grid::Geometry&>(present()); }
};

std::vector<MovableOption> movable_among(const core::Options& options, const dae::Problem& problem,
                                         const std::vector<std::string>& wanted) {
  const auto named = problem.parameters();
  std::vector<MovableOption> out;
  for (const auto& option : options_of_problem(options.declared(), problem)) {
    if (std::ranges::find(named, option.name, &dae::Parameter::name) != named.end()) continue;
    if (option.shape == core::OptionType::flag || option.value.empty()) continue;
    if (const auto value = core::parse_real(option.value); value && option.shape != core::OptionType::reals)
      out.push_back({{option.name, option.about.unit, option.about.text, *value}, option});
    else if (is_wanted(wanted, option.name))
      out.push_back({{option.name, "", "a factor in front of -" + option.name, 1.0}, option, true});
  }
  return out;
}

} // namespace

bool matches(const std::string& pattern, const std::string& name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::unique_ptr<dae::Problem> with_option_parameters(MPI_Comm comm, const Make& make, const core::Options& options,
                                                     std::unique_ptr<dae::Problem> problem,
                                                     const WantedParameters& wanted) {
  const auto named = problem->parameters();
  auto all = wanted.moved;
  all.insert(all.end(), wanted.set.begin(), wanted.set.end());
  const bool enough = std::ranges::all_of(all, [&](const std::string& pattern) {
    return std::ranges::any_of(named, [&](const auto& parameter) { return matches(pattern, parameter.name); });
  });
  if (enough) return problem;
  auto movable = movable_among(options, *problem, all);
  const core::Options given = options;
  const auto remake = [=](const Movable::Assignments& changed) {
    core::Options other = given;
    for (const auto& [name, value] : changed) other = other.with(name, value);
    return make(comm, other);
  };
  std::unique_ptr<Movable> out;
  if (dynamic_cast<grid::Geometry*>(problem.get()))
    out = std::make_unique<MovableInSpace>(std::move(problem), std::move(movable), remake);
  else
    out = std::make_unique<Movable>(std::move(problem), std::move(movable), remake);
  out->check_moves(wanted.moved);
  return out;
}

} // namespace rhumb::run
