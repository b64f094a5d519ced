#pragma once
/// For the few functions that a vectorised loop must not call, and the few references that it must know to be apart:
/// without these words it is not vectorised at all.

#if defined(__GNUC__)
#define RHUMB_INLINE [[gnu::always_inline]]
#define RHUMB_INLINE_LAMBDA __attribute__((always_inline)) // stands between a lambda's parameters and its body
#define RHUMB_RESTRICT __restrict__                        // what it refers to is reached in no other way
#else
#define RHUMB_INLINE
#define RHUMB_RESTRICT
#define RHUMB_INLINE_LAMBDA
#endif
