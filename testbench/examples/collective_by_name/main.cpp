// All-reduces by name on a machine by name: `collective_by_name rack:6 netreduce 1MiB`. The first one has generated data,
// the second one data of the user; it begins when the first one has ended.
#include <iostream>

#include "testbench/by_name/post.h"

using namespace tributary;

int sc_main(int argc, char* argv[]) {
  try {
    SimulatedMachine machine(argc > 1 ? argv[1] : "dgx2");
    const std::string algorithm = argc > 2 ? argv[2] : "push";
    const Bytes message = parse_bytes(argc > 3 ? argv[3] : "1MiB");
    for (int i = 4; i < argc; ++i) machine.set(argv[i]);  // parameters: nvswitch.link.latency=30ns

    const Posted first = post_allreduce(machine, algorithm, message);
    PostOptions own;
    own.start = 1_ms;  // simulated time
    own.operands = [](int rank, std::byte* data, std::uint64_t bytes) {
      auto* const elements = reinterpret_cast<float*>(data);
      for (std::uint64_t i = 0; i < bytes / 4; ++i) elements[i] = static_cast<float>(rank) + 0.5F;
    };
    const Posted second = post_allreduce(machine, algorithm, message, own);
    sc_core::sc_start();

    for (const Posted& sum : {first, second})
      std::cout << "from " << sum.start() << " ps to " << sum.end() << " ps: " << sum.time()
                << " ps, element 7 of rank 1 is " << sum.result_as<float>(1).at(7) << ", " << sum.wrong() << " wrong\n";
    return first.wrong() + second.wrong() == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
