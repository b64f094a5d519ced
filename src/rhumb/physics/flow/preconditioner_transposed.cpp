#include <rhumb/physics/flow/preconditioner.hpp>

#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>

/// The transpose of the preconditioner, for sweeps back over the steps of a run. With M for A^-1 as applied,
///   d = L^-T (A_p^T p - C^T u),   r_p = -d,   r_u = M^T (u + (C^T)^T d).

namespace rhumb::flow {

using core::check;
using core::Readable;
using core::Writable;

/// What solves with the momentum block, transposed.
BlockPreconditioner::Method BlockPreconditioner::prepare_transposed() {
  if (method_ == Method::stream) return Method::stream;
  if (method_ == Method::coupled) {
    if (StreamSolver::fits_transposed(equations_)) {
      set_up_stream();
      return Method::stream;
    }
    sweeps_ = false;
    set_up_factors();
  }
  return Method::blocks;
}

/// Into u_ and p_: what is taken from the result, the mean of the pressure last.
void BlockPreconditioner::split_transposed(Vec z) {
  {
    const Readable given(z), volume(volumes_);
    const Writable u(u_), p(p_);
    for (std::size_t i = 0; i < transported_.size(); ++i) u[i] = given[transported_[i]];
    for (std::size_t i = 0; i < pressures_.size(); ++i) p[i] = volume[i] > 0.0 ? given[pressures_[i]] : 0.0;
  }
  poisson_->centre_transposed(p_);
}

void BlockPreconditioner::apply_transposed(Vec z, Vec r) {
  if (!method_transposed_) method_transposed_ = prepare_transposed();
  split_transposed(z);
  if (*method_transposed_ == Method::stream) {
    stream_->solve_transposed(u_, p_, ru_, d_);
  } else {
    project_transposed();
    if (sweeps_)
      sweep_->apply_transposed(u_, ru_);
    else
      check(PCApplyTranspose(momentum_factors_, u_, ru_));
  }
  join_transposed(z, r);
}

/// `project` backwards: u_ and p_ to u_ and d_ (r_p).
void BlockPreconditioner::project_transposed() {
  check(MatMultTranspose(gradient_, u_, d_));
  check(VecScale(d_, -1.0));
  check(MatMultTransposeAdd(convection_, p_, d_, d_));
  check(VecAXPY(d_, alpha_, p_));
  poisson_->solve_transposed(d_, phi_);
  check(VecAXPY(phi_, -equations_.medium().nu, p_));
  check(MatMultTransposeAdd(divergence_, phi_, u_, u_));
  check(VecCopy(phi_, d_));
  check(VecScale(d_, -1.0));
}

void BlockPreconditioner::join_transposed(Vec z, Vec r) {
  const double constraint_scale = equations_.constraint_scale(alpha_);
  const Readable given(z), ru(ru_), rp(d_), volume(volumes_);
  const Writable out(r);
  for (std::size_t i = 0; i < transported_.size(); ++i) out[transported_[i]] = ru[i];
  for (std::size_t i = 0; i < pressures_.size(); ++i)
    out[pressures_[i]] = volume[i] > 0.0 ? rp[i] / constraint_scale : given[pressures_[i]];
}

} // namespace rhumb::flow
