#pragma once
/// RecordReader: reads the record of a block (docs/block_records.md).

#include <cstdint>
#include <istream>
#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"

namespace tributary {

/// The file record.json.
struct RecordHeader {
  BlockPlace place;
  std::string platform;
  std::uint64_t transactions = 0;
  bool complete = true;
};

/// Throws InputError, one line with the file and the key.
RecordHeader parse_record_header(const std::string& text, const std::string& file);

class RecordReader {
 public:
  enum class Line : std::uint8_t { access, reset, end };

  /// `file`: name in errors.
  RecordReader(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  /// Reads the next line. Throws InputError, one line with file, line and key.
  Line next(BlockAccess& access);
  /// Returns `DIR/transactions.jsonl:17`, the position of the last line.
  std::string position() const { return file_ + ":" + std::to_string(line_); }
  std::uint64_t transactions() const { return transactions_; }

 private:
  std::istream& in_;
  std::string file_, text_;
  std::uint64_t line_ = 0, transactions_ = 0;
};

}  // namespace tributary
