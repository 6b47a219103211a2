#include "testbench/test/harness/vcd_reader.h"

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tributary {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : in_(text) {}

  VcdFile read() {
    while (in_ >> word_ && word_ != "$enddefinitions") declaration();
    require(scopes_.empty(), "scopes left open");
    skip_to_end();
    while (in_ >> word_) change();
    return std::move(file_);
  }

 private:
  static void require(bool good, const std::string& what) {
    if (!good) throw std::runtime_error("VCD: " + what);
  }
  void skip_to_end() {
    while (word_ != "$end") require(static_cast<bool>(in_ >> word_), "no $end");
  }
  std::string path() const {
    std::string p;
    for (const std::string& s : scopes_) p += s + ".";
    return p;
  }

  void declaration() {
    if (word_ == "$scope") {
      in_ >> word_ >> word_;
      scopes_.push_back(word_);
      require(seen_.insert(path()).second, "scope opened twice: " + path());
    } else if (word_ == "$upscope") {
      require(!scopes_.empty(), "$upscope without $scope");
      scopes_.pop_back();
    } else if (word_ == "$var") {
      variable();
    } else if (word_ == "$timescale") {
      while (in_ >> word_ && word_ != "$end") file_.timescale += word_;
    }
    skip_to_end();
  }

  void variable() {
    VcdFile::Variable v;
    std::string code, name;
    in_ >> v.type >> v.width >> code >> name;
    const std::string full = path() + name;
    require(file_.variables.emplace(full, v).second, "variable declared twice: " + full);
    require(by_code_.emplace(code, &file_.variables.at(full)).second, "code used twice: " + code);
  }

  void change() {
    if (word_[0] == '#') return stamp(std::stoull(word_.substr(1)));
    if (word_ == "$dumpvars") {
      dumping_ = true;
    } else if (word_ == "$end") {
      dumping_ = false;
    } else if (word_[0] == 'b' || word_[0] == 'r' || word_[0] == 's') {
      std::string code;
      in_ >> code;
      assign(code, word_.substr(1));
    } else {
      require(std::string("01x").find(word_[0]) != std::string::npos, "unknown line: " + word_);
      assign(word_.substr(1), word_.substr(0, 1));
    }
  }

  void stamp(std::uint64_t time) {
    require(!stamped_ || time > file_.end, "time does not advance at #" + std::to_string(time));
    stamped_ = true;
    file_.end = time;
  }

  void assign(const std::string& code, const std::string& value) {
    require(stamped_, "value before the first time");
    require(by_code_.count(code) == 1, "unknown code " + code);
    VcdFile::Variable& v = *by_code_[code];
    require(v.type == "string" || value.size() <= v.width, "value wider than its variable");
    if (dumping_) return void(v.initial = value);
    v.changes.push_back({file_.end, value});
  }

  std::istringstream in_;
  std::string word_;
  VcdFile file_;
  std::vector<std::string> scopes_;
  std::set<std::string> seen_;
  std::map<std::string, VcdFile::Variable*> by_code_;
  bool dumping_ = false, stamped_ = false;
};

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

VcdFile read_vcd(const std::string& file) { return Reader(read_text(file)).read(); }

}  // namespace tributary
