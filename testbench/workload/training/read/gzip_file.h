#pragma once
/// Input files that may be compressed by gzip, as the profiler's traces usually are.

#include <array>
#include <fstream>
#include <memory>
#include <streambuf>
#include <string>

struct z_stream_s;

namespace tributary::training {

/// Decompresses a file while it is read. It can be set back to its begin, and nowhere else.
class GzipBuffer : public std::streambuf {
 public:
  /// `path`: name in errors. Throws InputError while it is read: damaged data, or an end within them.
  GzipBuffer(std::unique_ptr<std::ifstream> file, std::string path);
  ~GzipBuffer() override;
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;

 protected:
  int_type underflow() override;
  pos_type seekpos(pos_type place, std::ios_base::openmode) override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode mode) override;

 private:
  std::size_t inflate_part();
  void begin();

  static constexpr std::size_t part = 1 << 16;
  std::unique_ptr<std::ifstream> file_;
  std::string path_;
  std::unique_ptr<z_stream_s> state_;
  std::array<char, part> compressed_;
  std::array<char, part> plain_;
  bool ended_ = false;  ///< at the end of a compressed member
};

/// An open file, decompressed if it begins as gzip does. Errors of the data leave each function of the stream.
class InputFile : public std::istream {
 public:
  /// Throws InputError: `path: why it cannot be read`.
  explicit InputFile(const std::string& path);

 private:
  std::unique_ptr<std::ifstream> file_;
  std::unique_ptr<GzipBuffer> gzip_;
};

}  // namespace tributary::training
