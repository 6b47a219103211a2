#pragma once
/// PlatformDescription: a platform as a user names it, with the contents of the files in its name.

#include <memory>
#include <string>

namespace tributary::topology {

struct Anynet;
struct Server;

/// Reads and parses the files of a name when it is made; copies share the contents. So a program that passes a description
/// on, not its name, reads each file once.
class PlatformDescription {
 public:
  /// A name without files is not checked. Throws std::invalid_argument (one line) as the readers of the files do.
  PlatformDescription(const std::string& name);
  PlatformDescription(const char* name) : PlatformDescription(std::string(name)) {}

  const std::string& name() const { return name_; }
  /// True for `file:FILE`.
  bool is_file() const;
  /// Returns the path in `file:FILE`, without the options that complete missing data.
  std::string path() const;

  /// Returns the server that a file describes, also for `servers:NxFILE`; null for other platforms.
  const Server* file_server() const { return server_.get(); }
  /// Returns the network of routers that a file describes; null for other platforms.
  const Anynet* file_network() const { return network_.get(); }

 private:
  void read(const std::string& file);

  std::string name_;
  std::shared_ptr<const Server> server_;
  std::shared_ptr<const Anynet> network_;
};

}  // namespace tributary::topology
