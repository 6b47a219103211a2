#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tributary {

struct ReplayRequest {
  std::string folder;                       ///< folder of the record
  std::string plugin;                       ///< FILE or FILE:BLOCK of the block under test; empty: the model's own block
  std::string compare = "all";              ///< `all`, `data` or `late:N`
  std::string stall = "0";                  ///< percent of the clocks in which answers of a block in RTL wait
  std::string seed;                         ///< seed of the stalls; empty: 1
  std::string x_seeds = "0";                ///< seeds of random values in the registers of a block in RTL
  std::vector<std::string> traced;          ///< globs of blocks in RTL that write their signals
  std::optional<std::string> trace_folder;  ///< of these files
  std::string csv;                          ///< file of the histogram; empty: none
};

/// Replays a record into one block, and prints differences and times. Returns exit code 1 if the block differs. Throws
/// InputError.
int replay_command(const ReplayRequest& request);

}  // namespace tributary
