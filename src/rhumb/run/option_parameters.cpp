#include <rhumb/run/option_parameters.hpp>

#include <rhumb/run/changes.hpp>
#include <algorithm>
#include <list>

namespace rhumb::run {

namespace {

/// Problems that are kept for one parameter: two for the sides of a figure, two for each of two increments.
constexpr std::size_t kept_problems = 6;

/// A problem whose numbers among the options can be moved. Everything is done by the problem made for the present
/// values; matrices and preconditioners are those of the first.
class Movable : public dae::Problem {
public:
  using Remake = std::function<std::unique_ptr<dae::Problem>(const std::string& option, double value)>;
  Movable(std::unique_ptr<dae::Problem> first, std::vector<dae::Parameter> options, Remake remake)
      : first_(std::move(first)), present_(first_.get()), own_count_(first_->parameters().size()),
        options_(std::move(options)), remake_(std::move(remake)), made_(options_.size()) {
    set_objection(first_->objection());
  }

  std::vector<dae::Parameter> parameters() const override {
    auto all = first_->parameters();
    all.insert(all.end(), options_.begin(), options_.end());
    return all;
  }
  void set_parameter(std::size_t index, double value) override {
    if (index < own_count_) return first_->set_parameter(index, value);
    const std::size_t option = index - own_count_;
    const auto memory = present_->memory();
    present_ = value == options_[option].value ? first_.get() : &made_for(option, value);
    if (!memory.empty()) present_->set_memory(memory);
  }
  bool parameter_derivative(double t, Vec y, Vec ydot, std::size_t index, Vec out) override {
    return index < own_count_ && first_->parameter_derivative(t, y, ydot, index, out);
  }

  std::vector<dae::Field> fields() const override { return first_->fields(); }
  core::VecHandle create_vector() const override { return first_->create_vector(); }
  core::MatHandle create_matrix() const override { return first_->create_matrix(); }
  void configure(PC pc, Mat matrix) const override { first_->configure(pc, matrix); }
  dae::Offers offers() const override { return first_->offers(); }
  int field_of(PetscInt local) const override { return first_->field_of(local); }
  dae::Kind variable_kind(PetscInt local) const override { return first_->variable_kind(local); }
  dae::Kind equation_kind(PetscInt local) const override { return first_->equation_kind(local); }

  void initial_values(double t, Vec y, Vec ydot) override { present_->initial_values(t, y, ydot); }
  void residual(double t, Vec y, Vec ydot, Vec out) override { present_->residual(t, y, ydot, out); }
  void jacobian(double t, Vec y, Vec ydot, double alpha, Mat out) override { first_->jacobian(t, y, ydot, alpha, out); }
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
  std::vector<double> memory() const override { return present_->memory(); }
  void set_memory(std::span<const double> memory) override { present_->set_memory(memory); }

  std::string name() const override { return first_->name(); }
  double t_start() const override { return first_->t_start(); }
  double t_end() const override { return first_->t_end(); }
  dae::Tolerances default_tolerances() const override { return first_->default_tolerances(); }
  dae::Preferences preferences() const override { return first_->preferences(); }
  std::vector<std::string> options_free_to_change() const override { return first_->options_free_to_change(); }
  std::vector<double> watch_times() const override { return first_->watch_times(); }
  void watch(double t, Vec y, Vec ydot) override { present_->watch(t, y, ydot); }
  void after_step(double t, Vec y, Vec ydot) override { present_->after_step(t, y, ydot); }
  std::vector<std::string> remarks() const override { return first_->remarks(); }
  dae::Figures report(double t, Vec y, Vec ydot) override { return present_->report(t, y, ydot); }
  std::vector<std::pair<std::string, double>> series(double t, Vec y, Vec ydot) override {
    return present_->series(t, y, ydot);
  }

protected:
  dae::Problem& present() const { return *present_; }

private:
  dae::Problem& made_for(std::size_t option, double value) {
    auto& list = made_[option];
    const auto known = std::ranges::find(list, value, &std::pair<double, std::unique_ptr<dae::Problem>>::first);
    if (known != list.end())
      list.splice(list.begin(), list, known);
    else
      list.emplace_front(value, remake_(options_[option].name, value));
    if (list.size() > kept_problems) list.pop_back();
    return *list.front().second;
  }

  std::unique_ptr<dae::Problem> first_;
  dae::Problem* present_;
  std::size_t own_count_;
  std::vector<dae::Parameter> options_;
  Remake remake_;
  std::vector<std::list<std::pair<double, std::unique_ptr<dae::Problem>>>> made_; ///< last used first
};

class MovableInSpace final : public Movable, public grid::Geometry {
public:
  using Movable::fields;
  using Movable::Movable;
  std::string signature() const override { return geometry().signature(); }
  grid::Mesh mesh(double t, Vec y) override { return geometry().mesh(t, y); }
  std::vector<grid::FieldBlock> fields(double t, Vec y, Vec ydot) override { return geometry().fields(t, y, ydot); }
  std::vector<PetscInt> natural_numbers() const override { return geometry().natural_numbers(); }

private:
  grid::Geometry& geometry() const { return dynamic_cast<grid::Geometry&>(present()); }
};

std::vector<dae::Parameter> numbers_among(const core::Options& options, const dae::Problem& problem) {
  const auto named = problem.parameters();
  std::vector<dae::Parameter> out;
  for (const auto& option : options_of_problem(options.declared(), problem)) {
    const auto value = core::parse_real(option.value);
    const bool formula_or_number = option.shape == core::Shape::number || option.shape == core::Shape::word;
    if (value && formula_or_number && std::ranges::find(named, option.name, &dae::Parameter::name) == named.end())
      out.push_back({option.name, option.about.unit, option.about.text, *value});
  }
  return out;
}

} // namespace

std::unique_ptr<dae::Problem> with_option_parameters(MPI_Comm comm, const Make& make, const core::Options& options,
                                                     std::unique_ptr<dae::Problem> problem,
                                                     const std::vector<std::string>& wanted) {
  const auto named = problem->parameters();
  const bool enough = std::ranges::all_of(wanted, [&](const std::string& name) {
    return std::ranges::find(named, name, &dae::Parameter::name) != named.end();
  });
  if (enough) return problem;
  auto numbers = numbers_among(options, *problem);
  const core::Options given = options;
  const auto remake = [=](const std::string& name, double value) { return make(comm, given.with(name, value)); };
  if (dynamic_cast<grid::Geometry*>(problem.get()))
    return std::make_unique<MovableInSpace>(std::move(problem), std::move(numbers), remake);
  return std::make_unique<Movable>(std::move(problem), std::move(numbers), remake);
}

} // namespace rhumb::run
