#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "testbench/workload/input_error.h"
#include "testbench/workload/layer_table.h"

namespace tributary::test_layer_table {

using namespace tributary::workload;
using Catch::Matchers::Contains;

namespace {

const std::string header =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n";

/// A file that exists during the test case.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("tributary_layers_" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::vector<Layer> read(const std::string& content) { return read_layer_table(TemporaryFile(content).path()); }

}  // namespace

TEST_CASE("layer table: the table of ResNet-50 has the published weights", "[pure]") {
  const auto layers = read_layer_table(TRIBUTARY_SOURCE_DIR "/testbench/workload/data/resnet50.csv");
  // One convolution, 16 bottlenecks of three, a projection in the first of each of four stages, and the classifier.
  CHECK(layers.size() == 1 + 16 * 3 + 4 + 1);
  // A bottleneck of width w on c channels has c w + 9 w w + 4 w w weights, its projection 4 c w:
  //   w =  64:    64 w + 13 w w + 4 x   64 w, then 2 x (256 w + 13 w w)  =   212 992
  //   w = 128:   256 w + 13 w w + 4 x  256 w, then 3 x (512 w + 13 w w)  = 1 212 416
  //   w = 256:   512 w + 13 w w + 4 x  512 w, then 5 x (1024 w + 13 w w) = 7 077 888
  //   w = 512:  1024 w + 13 w w + 4 x 1024 w, then 2 x (2048 w + 13 w w) = 14 942 208
  // and 7 x 7 x 3 x 64 = 9408 at the front, 2048 x 1000 at the end: 25.5 M.
  std::uint64_t total = 0;
  std::set<std::string> names;
  for (const Layer& l : layers) {
    total += l.weights;
    names.insert(l.name);
  }
  CHECK(total == 9408 + 212992 + 1212416 + 7077888 + 14942208 + 2048000);
  CHECK(names.size() == layers.size());
  CHECK(layers.front().name == "conv1");
  CHECK(layers.back().weights == 2048000);
  CHECK(layers.front().shape == ConvolutionShape{224, 224, 7, 7, 3, 64, 2, 0});
}

TEST_CASE("layer table: the quirks of published tables are accepted", "[pure]") {
  const auto layers =
      read("\xEF\xBB\xBF" +  // byte-order mark, capitals, another word for an unused column
           std::string("Layer, IFMAP Width, IFMAP Width, FILTER height, Filter Width, Channels, Num Filter, Strides,\r\n"
                       "\r\n"
                       "Encoder (first half),\r\n"  // a section title
                       "  Conv (stem) , 224,224 , 7,7,3 ,64, 2, \r\n"
                       "\t \r\n"
                       ",,,\n"
                       "Q x K', 1, 64, 1, 1, 1, 64, 1,,,  ,\n"
                       "Decoder\n"
                       "FC,1,1,1,1,138000,32,1"));  // no line end
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].name == "Conv (stem)");
  CHECK(layers[0].weights == 7 * 7 * 3 * 64);
  CHECK(layers[1].name == "Q x K'");
  CHECK(layers[1].weights == 64);
  CHECK(layers[2].weights == 138000 * 32);
}

TEST_CASE("layer table: errors name file, line, problem and legal values", "[pure]") {
  const auto place = [](int line) {
    return "tributary_layers_" + std::to_string(getpid()) + ".csv:" + std::to_string(line) + ": ";
  };
  const std::string good = "a, 1, 1, 3, 3, 2, 4, 1,\n";
  CHECK_THROWS_AS(read(good), InputError);
  CHECK_THROWS_WITH(read(good), Contains(place(1)) && Contains("no header") && Contains("Filter Height, Filter Width"));
  CHECK_THROWS_WITH(read(header + "\n" + good + "b, 1, 1, 3, 3, 2, 4,\n"),
                    Contains(place(4)) && Contains("7 cells; a layer needs 8"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, 3, 2, 4, 1, 9,\n"),
                    Contains(place(2)) && Contains("9 cells; a layer needs 8"));
  CHECK_THROWS_WITH(read(header + good + "b, 1, 1, 3, x, 2, 4, 1,\n"),
                    Contains(place(3)) && Contains("Filter Width is 'x'; legal: a whole number from 1"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, 3, -2, 4, 1,\n"), Contains("Channels is '-2'"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, 3, 2.5, 4, 1,\n"), Contains("Channels is '2.5'"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, 3, 2, 0, 1,\n"), Contains("Num Filter is '0'"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, , 2, 4, 1,\n"), Contains("Filter Width is ''"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 3, 3, 2, 4, one,\n"), Contains("Strides is 'one'"));
  CHECK_THROWS_WITH(read(header + ", 1, 1, 3, 3, 2, 4, 1,\n"), Contains("the layer's name, is empty"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 1, 1, 4294967296, 4294967296, 1,\n"), Contains("more than 2^64 weights"));
  CHECK_THROWS_WITH(read(header + "b, 1, 1, 1, 1, 99999999999999999999, 1, 1,\n"),
                    Contains("Channels is '99999999999999999999'"));
}

TEST_CASE("layer table: files without a table are rejected", "[pure]") {
  CHECK_THROWS_WITH(read(""), Contains(": no layers"));
  CHECK_THROWS_WITH(read(header + "Only a title,\n"), Contains(": no layers"));
  CHECK_THROWS_WITH(read_layer_table("/nowhere/table.csv"), Contains("/nowhere/table.csv: cannot be read: No such file"));
  CHECK_THROWS_WITH(read_layer_table("/"), Contains("/: is a directory"));
}

}  // namespace tributary::test_layer_table
