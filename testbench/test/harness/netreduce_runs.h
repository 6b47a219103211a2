#pragma once
/// Runs of NetReduce with faults, each in a process of its own and in both modes.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/test/harness/forked_run.h"

namespace tributary {

/// Packets per message of these tests, and the bytes of the tensor in such a message.
constexpr unsigned short_message = 8;
constexpr std::uint64_t short_slice = short_message * 1024 - 16;

/// An all-reduce on all hosts of `platform` in `messages` messages of `message_packets` packets each, with exact data.
RunSpec messages_of(const std::string& platform, unsigned message_packets, std::uint64_t messages,
                    const std::vector<std::string>& faults = {}, const std::vector<std::string>& settings = {});
/// An all-reduce on all hosts of `platform` in `messages` messages of 8 packets, with exact data.
RunSpec short_messages(const std::string& platform, std::uint64_t messages, const std::vector<std::string>& faults = {},
                       const std::vector<std::string>& settings = {});

/// Runs in both modes, which must agree in everything simulated (CHECK).
ResultRow run_with_both(const RunSpec& spec);

std::uint64_t count_of(const ResultRow& row, const std::string& counter);

}  // namespace tributary
