#include "testbench/workload/training/read/gzip_file.h"

#include <zlib.h>

#include "modules/base/input_file.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {

GzipBuffer::GzipBuffer(std::unique_ptr<std::ifstream> file, std::string path)
    : file_(std::move(file)), path_(std::move(path)), state_(std::make_unique<z_stream>()) {
  constexpr int gzip_of_any_window = 16 + MAX_WBITS;
  if (inflateInit2(state_.get(), gzip_of_any_window) != Z_OK) throw std::bad_alloc();
  begin();
}

GzipBuffer::~GzipBuffer() { inflateEnd(state_.get()); }

void GzipBuffer::begin() {
  file_->clear();
  file_->seekg(0);
  inflateReset(state_.get());
  state_->avail_in = 0;
  ended_ = false;
  setg(plain_.data(), plain_.data(), plain_.data());
}

/// Returns the number of bytes that were decompressed; 0 at the end of the file.
std::size_t GzipBuffer::inflate_part() {
  state_->next_out = reinterpret_cast<unsigned char*>(plain_.data());
  state_->avail_out = static_cast<unsigned>(part);
  while (state_->avail_out == part) {
    if (state_->avail_in == 0) {
      file_->read(compressed_.data(), static_cast<std::streamsize>(part));
      state_->next_in = reinterpret_cast<unsigned char*>(compressed_.data());
      state_->avail_in = static_cast<unsigned>(file_->gcount());
    }
    if (state_->avail_in == 0) {
      if (!ended_) throw InputError(path_ + ": the file ends within its compressed data (legal: a complete file of gzip)");
      return 0;
    }
    if (ended_) inflateReset(state_.get());  // a file may have several members, one after another
    const int result = inflate(state_.get(), Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END)
      throw InputError(path_ + ": damaged data of gzip (legal: a complete file of gzip)");
  }
  return part - state_->avail_out;
}

GzipBuffer::int_type GzipBuffer::underflow() {
  if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
  const std::size_t bytes = inflate_part();
  setg(plain_.data(), plain_.data(), plain_.data() + bytes);
  return bytes == 0 ? traits_type::eof() : traits_type::to_int_type(plain_[0]);
}

GzipBuffer::pos_type GzipBuffer::seekpos(pos_type place, std::ios_base::openmode) {
  if (place != pos_type(0)) return pos_type(off_type(-1));
  begin();
  return place;
}

GzipBuffer::pos_type GzipBuffer::seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode mode) {
  return offset == 0 && from == std::ios_base::beg ? seekpos(pos_type(0), mode) : pos_type(off_type(-1));
}

InputFile::InputFile(const std::string& path)
    : std::istream(nullptr), file_(std::make_unique<std::ifstream>(path, std::ios::binary)) {
  if (const std::string why = refusal_of_file(*file_, path); !why.empty()) throw InputError(path + ": " + why);
  std::array<char, 2> begin{};
  const bool pipe = file_->tellg() == std::ifstream::pos_type(-1);
  if (!pipe) {
    file_->read(begin.data(), begin.size());
    file_->clear();
    file_->seekg(0);
  }
  if (begin == std::array<char, 2>{'\x1f', '\x8b'}) {
    gzip_ = std::make_unique<GzipBuffer>(std::move(file_), path);
    rdbuf(gzip_.get());
  } else {
    rdbuf(file_->rdbuf());
  }
  clear();
  exceptions(std::ios::badbit);
}

}  // namespace tributary::training
