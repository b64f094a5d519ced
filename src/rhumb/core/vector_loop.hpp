#pragma once
/// Code that uses the vectors of the processor it runs on, in a program built for any x86-64: AVX2 where there is
/// some, else what the build allows. Without fused multiplications, so that the digits are the same on all of them.

#include <rhumb/core/inline.hpp>
#include <petscsystypes.h>

#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__)
#define RHUMB_CHOOSES_VECTORS
#endif

namespace rhumb::core {

namespace detail {

// Both work on a copy of the body that no store of theirs can be taken to change.
template <class Body>
void plain_loop(PetscInt length, const Body& body) {
  const Body copy = body;
#pragma GCC ivdep
  for (PetscInt i = 0; i < length; ++i) copy(i);
}

#ifdef RHUMB_CHOOSES_VECTORS
// Where GCC knows that a function which it calls leaves the upper halves of vectors alone, it leaves them in use, and
// every instruction of code without AVX waits for them from there on: calls are not to be known so well.
template <class Body>
[[gnu::target("avx2"), gnu::optimize("no-ipa-ra")]] void avx2_loop(PetscInt length, const Body& body) {
  const Body copy = body;
#pragma GCC ivdep
  for (PetscInt i = 0; i < length; ++i) copy(i);
}

template <class Work>
[[gnu::target("avx2"), gnu::optimize("no-ipa-ra"), gnu::flatten]] auto avx2_work(const Work& work) {
  return work();
}
#endif

} // namespace detail

/// body(i) for i = 0 .. length - 1, independent of each other. The body is a lambda marked RHUMB_INLINE_LAMBDA.
template <class Body>
void vector_loop(PetscInt length, const Body& body) {
#ifdef RHUMB_CHOOSES_VECTORS
  if (__builtin_cpu_supports("avx2")) {
    detail::avx2_loop(length, body);
    return;
  }
#endif
  detail::plain_loop(length, body);
}

/// work(), compiled for these vectors as far as the compiler inlines what it calls: GCC all that it can see.
template <class Work>
auto with_vectors(const Work& work) {
#ifdef RHUMB_CHOOSES_VECTORS
  if (__builtin_cpu_supports("avx2")) return detail::avx2_work(work);
#endif
  return work();
}

} // namespace rhumb::core
