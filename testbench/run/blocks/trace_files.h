#pragma once
/// TraceFiles: files with the signals within blocks in RTL, `--trace-rtl` (docs/rtl.md#signals-within-the-rtl).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/base/rtl_traces.h"

namespace tributary {

class TraceFiles : public RtlTraces {
 public:
  struct Chosen {
    std::string glob;   ///< selects hierarchical names, as for a record
    std::string where;  ///< the option, for errors
  };
  /// `folder`: of the files. `admit` is called with each file before it is written, and may throw.
  TraceFiles(std::vector<Chosen> chosen, std::string folder, std::function<void(const std::string& file)> admit);

  std::string file_of(const std::string& name) override;
  /// Throws SetupError if a glob has chosen no instance.
  void check() const;

 private:
  std::vector<Chosen> chosen_;
  std::string folder_;
  std::function<void(const std::string&)> admit_;
  std::vector<bool> used_;                  // by glob
  std::map<std::string, unsigned> models_;  // that could be traced, by name
};

}  // namespace tributary
