#pragma once
/// BlockBeats: the transactions of a block as beats on its pins in RTL, in lines of text (docs/block_records.md#beats).

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

class BlockBeats {
 public:
  struct Column {
    std::string name;
    std::uint64_t bits;
  };
  /// A channel of the block's pins. Lines have these columns after the edge.
  struct Channel {
    std::string name;
    bool to_block;
    std::vector<Column> columns;
  };
  /// Receives the lines of a channel, with their line feeds. Several units are several instances of the RTL.
  class Lines {
   public:
    virtual void add(unsigned unit, unsigned channel, const std::string& line) = 0;

   protected:
    ~Lines() = default;
  };

  virtual ~BlockBeats() = default;
  /// Adds the beats of a transaction. Throws std::invalid_argument, one line, if the pins cannot express it.
  virtual void accessed(const BlockAccess& access, Lines& lines) = 0;
  /// Adds the beats that wait for a parameter. Throws as accessed() does.
  virtual void finish(Lines& lines) = 0;

  /// Returns the name of the block in `list pins`.
  virtual std::string block() const = 0;
  /// Parameters of the RTL that the widths depend on, and the channels; both are known after finish().
  virtual const std::map<std::string, std::uint64_t>& parameters() const = 0;
  virtual std::vector<Channel> channels() const = 0;
  /// Time of edge 0, ps.
  virtual Tick origin() const = 0;
};

}  // namespace tributary
