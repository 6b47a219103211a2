#include "testbench/observe/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace tributary {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  errno = 0;
  file_.reset(std::fopen(path_.c_str(), "wb"));
  if (!file_) fail();
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  buffer_.reserve(limit + 256);
}

void OutputFile::flush() {
  if (!file_ || buffer_.empty()) return;
  errno = 0;
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) fail();
  buffer_.clear();
}

void OutputFile::close() {
  if (!file_) return;
  flush();
  errno = 0;
  if (std::fclose(file_.release()) != 0) fail();
}

void OutputFile::fail() const {
  throw OutputError("cannot write '" + path_ + "': " + (errno ? std::strerror(errno) : "unknown error"));
}

}  // namespace tributary
