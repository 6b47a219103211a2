#pragma once
/// TRIBUTARY_VECTORISED: compiles loops over data for the widest vectors of the host.

/// Marks a free function that is compiled for AVX-512, for AVX2 and for any x86-64, with all callees inlined; the dynamic
/// linker selects the version for the machine. All versions give the same bits (-ffp-contract=off). Not for member
/// functions: link-time optimisation reports their versions as violations of the one-definition rule. Sanitizers do not
/// support such functions: the dynamic linker would call instrumented code before the sanitizer's library is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TRIBUTARY_VECTORISED [[gnu::flatten, gnu::target_clones("arch=x86-64-v4", "avx2", "default")]]
#else
#define TRIBUTARY_VECTORISED
#endif
