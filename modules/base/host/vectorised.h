#pragma once
/// Loops over data in the widest vectors of the host.

/// A free function so marked exists for AVX-512, for AVX2 and for every x86-64, with all it calls inlined; the dynamic
/// linker takes the one for the machine it runs on. All give the same bits (-ffp-contract=off). Not for members: link-time
/// optimisation takes their forms for breaches of the one-definition rule. Sanitizers do not bear such functions.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TRIBUTARY_VECTORISED [[gnu::flatten, gnu::target_clones("arch=x86-64-v4", "avx2", "default")]]
#else
#define TRIBUTARY_VECTORISED
#endif
