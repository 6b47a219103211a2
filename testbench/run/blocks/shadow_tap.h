#pragma once
/// ShadowTap: compares the blocks of a plugin with those of the model in a run (docs/block_checks.md#shadow).

#include <memory>
#include <string>
#include <vector>

#include "modules/blockcheck/core/block_shadow.h"
#include "platforms/block_factories.h"

namespace tributary {

class ShadowTap : public BlockTap {
 public:
  /// `text`: FILE[:BLOCK][@PLACE]. Loads the plugin. `folder`: for the files of a first difference. `traces`: null without
  /// traces of blocks in RTL. Throws std::invalid_argument, one line.
  ShadowTap(const std::string& text, const CompareRule& rule, std::string folder = ".",
            std::shared_ptr<RtlTraces> traces = nullptr);
  /// Returns FILE[:BLOCK] of the text.
  static std::string plugin_of(const std::string& text);

  bool wants(const std::string& block) const override;
  std::shared_ptr<BlockObserver> attach(const BlockPlace& place, const MakeDriver& make) override;

  const std::string& file() const { return file_; }
  std::vector<std::string> blocks() const { return factories_.names(); }
  const std::vector<std::shared_ptr<BlockShadow>>& shadows() const { return shadows_; }
  /// Returns the files of a first difference of a block, `NAME_first.jsonl` and `.vcd` in the folder.
  std::string last_requests_file(const std::string& block) const;
  std::string waveform_file(const std::string& block) const;
  /// Throws SetupError if no instance of a block is compared.
  void check() const;
  bool differs() const;

 private:
  std::string file_, glob_;
  CompareRule rule_;
  BlockFactories factories_;
  std::vector<std::string> places_;  // all instances
  std::vector<std::shared_ptr<BlockShadow>> shadows_;
  std::string folder_;
};

using ShadowTaps = std::vector<std::shared_ptr<ShadowTap>>;

/// True if any block differs.
bool any_differs(const ShadowTaps& taps);

}  // namespace tributary
