#include <rhumb/dae/guarded_system.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rhumb::dae {

using core::check;
using core::check_mpi;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// NaN into the local entries only, without the bookkeeping of VecSet, which all ranks would have to call.
void fill_with_nan(Vec v) {
  PetscInt size = 0;
  PetscScalar* values = nullptr;
  check(VecGetLocalSize(v, &size));
  check(VecGetArray(v, &values));
  std::fill_n(values, size, not_a_number);
  check(VecRestoreArray(v, &values));
}
} // namespace

GuardedSystem::GuardedSystem(System& system) : system_(system), offers_(system.offers()) {
  const auto model = system.create_vector();
  check(PetscCommDuplicate(PetscObjectComm(reinterpret_cast<PetscObject>(model.get())), &comm_, nullptr));
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm_, &ranks));
  alone_ = ranks == 1;
}

GuardedSystem::~GuardedSystem() {
  PetscCommDestroy(&comm_);
}

template <class Call>
void GuardedSystem::guarded(Vec out, Call&& call) {
  try {
    call();
    return;
  } catch (const core::Recoverable& failure) {
    complaint_ = failure.what();
    pending_ = std::max(pending_, Pending::recoverable);
  } catch (...) {
    if (pending_ != Pending::fatal) fatal_ = std::current_exception();
    pending_ = Pending::fatal;
  }
  if (out) fill_with_nan(out);
}

void GuardedSystem::residual(double t, Vec y, Vec ydot, Vec out) {
  ++counts.residual;
  guarded(out, [&] { system_.residual(t, y, ydot, out); });
}

void GuardedSystem::jacobian(double t, Vec y, Vec ydot, double alpha, Mat out) {
  guarded(nullptr, [&] { system_.jacobian(t, y, ydot, alpha, out); });
}

void GuardedSystem::product(double t, Vec y, Vec ydot, double alpha, Vec v, Vec out) {
  guarded(out, [&] { system_.product(t, y, ydot, alpha, v, out); });
}

void GuardedSystem::mass_product(double t, Vec y, Vec ydot, Vec v, Vec out) {
  ++counts.mass_product;
  guarded(out, [&] { system_.mass_product(t, y, ydot, v, out); });
}

void GuardedSystem::hidden_constraint(double t, Vec y, Vec ydot, Vec out) {
  guarded(out, [&] { system_.hidden_constraint(t, y, ydot, out); });
}

void GuardedSystem::set_parameter(std::size_t index, double value, std::span<const double> memory) {
  guarded(nullptr, [&] {
    system_.set_parameter(index, value);
    if (!memory.empty()) system_.restore_state(memory);
  });
}

std::vector<double> GuardedSystem::Moved::memory_at(double moved) const {
  std::vector<double> out(memory.begin(), memory.end());
  for (std::size_t i = 0; i < memory_rate.size(); ++i)
    if (memory_rate[i] != 0.0) out[i] += (moved - value) * memory_rate[i];
  return out;
}

void GuardedSystem::parameter_derivative(double t, Vec y, Vec ydot, const Moved& parameter, std::array<Vec, 2> work,
                                         Vec out) {
  bool known = false;
  guarded(out, [&] { known = system_.parameter_derivative(t, y, ydot, parameter.index, out); });
  if (known && parameter.memory.empty()) return;
  // Where dF/dp is known, only what the system remembers is moved.
  const auto evaluate = [&](double value, Vec at) {
    set_parameter(parameter.index, known ? parameter.value : value, parameter.memory_at(value));
    ++counts.sensitivity;
    guarded(at, [&] { system_.residual(t, y, ydot, at); });
  };
  const auto [above, below] = work;
  evaluate(parameter.above(), above);
  evaluate(parameter.below(), below);
  set_parameter(parameter.index, parameter.value, parameter.memory);
  if (!known) check(VecSet(out, 0.0));
  check(VecAXPY(above, -1.0, below));
  check(VecAXPY(out, 1.0 / (parameter.above() - parameter.below()), above));
}

/// No step can be cut to mend what an event cannot do: any exception is fatal, on all ranks at once.
template <class Call>
void GuardedSystem::all_or_none(Call&& call) {
  try {
    call();
  } catch (...) {
    if (pending_ != Pending::fatal) fatal_ = std::current_exception();
    pending_ = Pending::fatal;
  }
  all_well();
}

void GuardedSystem::event_values(double t, Vec y, Vec ydot, std::span<double> values) {
  all_or_none([&] { system_.event_values(t, y, ydot, values); });
}

AfterEvent GuardedSystem::on_event(double t, std::span<const int> which, Vec y, Vec ydot) {
  AfterEvent after = AfterEvent::go_on;
  all_or_none([&] { after = system_.on_event(t, which, y, ydot); });
  return after;
}

void GuardedSystem::reduce(std::span<double> sums, MPI_Op operation) {
  std::array<double, max_sums + 2> message{};
  const auto end = std::copy(sums.begin(), sums.end(), message.begin());
  *end = pending_ == Pending::recoverable ? 1.0 : 0.0;
  *(end + 1) = pending_ == Pending::fatal ? 1.0 : 0.0;
  const std::size_t length = sums.size() + 2;
  if (!alone_)
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, message.data(), static_cast<int>(length), MPI_DOUBLE, operation, comm_));
  ++counts.reductions;
  pending_ = Pending::none;
  if (message[length - 1] > 0.0) {
    if (auto local_failure = std::exchange(fatal_, nullptr)) std::rethrow_exception(local_failure);
    throw core::FailedElsewhere("the system failed on another rank");
  }
  const bool failed = message[length - 2] > 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = failed ? not_a_number : message[i];
}

std::string GuardedSystem::last_complaint() const {
  int self = 0, ranks = 0;
  check_mpi(MPI_Comm_rank(comm_, &self));
  check_mpi(MPI_Comm_size(comm_, &ranks));
  int speaker = complaint_.empty() ? ranks : self;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, comm_));
  if (speaker == ranks) return {};
  std::string text = complaint_;
  auto length = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, speaker, comm_));
  text.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, speaker, comm_));
  return text;
}

bool GuardedSystem::all_well() {
  std::array<double, 1> probe{0.0};
  reduce(probe);
  return probe[0] == 0.0;
}

bool GuardedSystem::has_value(Vec v) {
  const core::Readable values(v);
  std::array<double, 1> undefined{0.0};
  for (const double value : values) undefined[0] += std::isfinite(value) ? 0.0 : 1.0;
  reduce(undefined);
  return undefined[0] == 0.0;
}

} // namespace rhumb::dae
