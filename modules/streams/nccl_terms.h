#pragma once
/// The releases, algorithms and protocols of NCCL that this project knows (docs/blocks/nccl_protocols.md).

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"

namespace tributary {
namespace nccl {

/// Releases whose tables differ. A release that is not listed has the tables of the one before it.
enum class Version : std::uint8_t { v2_4, v2_21, v2_27, v2_29 };
enum class Algorithm : std::uint8_t { ring, tree, nvls };
enum class Protocol : std::uint8_t {
  ll,      ///< lines of 16 B, one half of them flags
  ll128,   ///< lines of 128 B, 8 B of them a flag
  simple,  ///< plain data, and a counter that follows them
};

inline constexpr std::array all_algorithms{Algorithm::tree, Algorithm::ring, Algorithm::nvls};  ///< in NCCL's order
inline constexpr std::array all_protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

inline std::string name_of(Algorithm a) { return a == Algorithm::ring ? "ring" : a == Algorithm::tree ? "tree" : "nvls"; }
inline std::string name_of(Protocol p) { return p == Protocol::ll ? "ll" : p == Protocol::ll128 ? "ll128" : "simple"; }

}  // namespace nccl

template <>
struct EnumNames<nccl::Version> {
  static const std::vector<std::pair<nccl::Version, std::string>>& names() {
    static const std::vector<std::pair<nccl::Version, std::string>> n{{nccl::Version::v2_4, "2.4"},
                                                                      {nccl::Version::v2_21, "2.21"},
                                                                      {nccl::Version::v2_27, "2.27"},
                                                                      {nccl::Version::v2_29, "2.29"}};
    return n;
  }
};
template <>
struct EnumNames<nccl::Algorithm> {
  static const std::vector<std::pair<nccl::Algorithm, std::string>>& names() {
    static const std::vector<std::pair<nccl::Algorithm, std::string>> n{
        {nccl::Algorithm::ring, "ring"}, {nccl::Algorithm::tree, "tree"}, {nccl::Algorithm::nvls, "nvls"}};
    return n;
  }
};
template <>
struct EnumNames<nccl::Protocol> {
  static const std::vector<std::pair<nccl::Protocol, std::string>>& names() {
    static const std::vector<std::pair<nccl::Protocol, std::string>> n{
        {nccl::Protocol::ll, "ll"}, {nccl::Protocol::ll128, "ll128"}, {nccl::Protocol::simple, "simple"}};
    return n;
  }
};

}  // namespace tributary
