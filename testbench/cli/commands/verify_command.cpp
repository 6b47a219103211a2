#include "testbench/cli/commands/verify_command.h"

#include <algorithm>
#include <iostream>

#include "modules/base/text_format.h"
#include "testbench/cli/exit_code.h"
#include "testbench/interchange/msccl/collective_rules.h"
#include "testbench/interchange/msccl/proof.h"
#include "testbench/interchange/msccl/reader.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

void print_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i)
    std::cerr << "tributary: warning: " << one_line(warnings[i]) << "\n";
  if (warnings.size() > most) std::cerr << "tributary: warning: " << warnings.size() - most << " more warnings\n";
}

std::string line(const std::string& what, const std::string& text) { return left(what, 18) + text + "\n"; }

std::string head_lines(const msccl::Algorithm& a) {
  const msccl::Size size = msccl::size_of(a);
  const std::string places = a.inplace && a.out_of_place ? "in place and out of place"
                             : a.inplace                 ? "in place"
                                                         : "out of place";
  return line("algorithm", one_line(a.name) + ", " + a.collective + " of " + std::to_string(a.ranks()) + " GPUs, " +
                               std::to_string(a.chunks_per_loop) + " chunks, " + places) +
         line("thread blocks", std::to_string(size.thread_blocks)) + line("steps", std::to_string(size.steps)) +
         line("messages", std::to_string(size.messages) + " of " + std::to_string(size.chunk_hops) + " chunks");
}

}  // namespace

int verify_command(const VerifyRequest& request) {
  if (request.file.empty()) throw InputError("FILE is missing (legal: the path of an MSCCL XML file; see --help)");
  const msccl::ReadAlgorithm read = msccl::read_algorithm_file(request.file);
  if (request.strict && !read.warnings.empty()) throw InputError(read.warnings.front() + " (--strict)");
  msccl::Proof proof;
  try {
    proof = msccl::prove(read.algorithm);
  } catch (const InputError& error) {
    throw InputError(request.file + ": " + error.what());
  }
  print_warnings(read.warnings);
  std::cout << head_lines(read.algorithm);
  if (proof.longest_chain > 0) std::cout << line("longest chain", std::to_string(proof.longest_chain) + " steps");
  if (proof.proved && msccl::rule_of_file(read.algorithm.collective)->rooted)
    std::cout << line("root", "gpu " + std::to_string(proof.root));
  std::cout << line("verdict", proof.proved ? "proved" : "not proved") << (proof.proved ? "" : proof.reason + "\n")
            << std::flush;
  return proof.proved ? exit_done : exit_wrong;
}

}  // namespace tributary
