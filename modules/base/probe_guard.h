#pragma once
/// ProbeGuard: keeps the exceptions of an observer out of the observed model.

#include <exception>
#include <string>

namespace tributary {

/// Runs the code of one observer. After its first exception the observer is not called again, and the model continues.
class ProbeGuard {
 public:
  template <class Call>
  void call(Call&& observer) {
    if (failed_) return;
    try {
      observer();
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("unknown exception");
    }
  }
  bool failed() const { return failed_; }
  /// Returns the text of the first exception; empty without one.
  const std::string& error() const { return error_; }

 private:
  void fail(const char* what) {
    failed_ = true;
    error_ = what;
  }

  bool failed_ = false;
  std::string error_;
};

}  // namespace tributary
