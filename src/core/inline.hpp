#pragma once
/// For the few functions that a vectorised loop must not call: without them inlined it is not vectorised at all.

#if defined(__GNUC__)
#define RHUMB_INLINE [[gnu::always_inline]]
#define RHUMB_INLINE_LAMBDA __attribute__((always_inline)) // stands between a lambda's parameters and its body
#else
#define RHUMB_INLINE
#define RHUMB_INLINE_LAMBDA
#endif
