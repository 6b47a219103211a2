#pragma once
/// Chakra traces as JSON: the sequence of messages that mlcommons/chakra writes (protobuf's JSON names; the names of the
/// schema are read, too), or one object with the list `nodes`, whose nodes have their attributes as keys, as
/// astra-sim/symbolic_tensor_graph writes.
///
///     {"version": "0.0.4"}{"id": "7", "name": "sum", "type": "COMM_COLL_NODE", "dataDeps": ["3"],
///      "attr": [{"name": "comm_size", "int64Val": "4096"}, ...]}...
///     {"nodes": [{"id": 7, "name": "sum", "node_type": "coll_comm_node", "data_deps": [3], "comm_size": 4096, ...}, ...]}

#include <functional>
#include <istream>
#include <string>

#include "testbench/workload/training/read/chakra_file.h"

namespace tributary::training {

/// True for the begin of such a trace. Traces of PyTorch are JSON objects, too, without these types of nodes.
bool begins_chakra_json(const std::string& begin);

/// Reads the nodes in file order. `begin` is the begin of the file. Throws InputError: `path: byte N: what`.
void read_chakra_json(std::istream& file, const std::string& path, const std::string& begin,
                      const std::function<void(ChakraNode&&)>& take);

}  // namespace tributary::training
