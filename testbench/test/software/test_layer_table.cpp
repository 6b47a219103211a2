#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "testbench/test/harness/mutated_texts.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/layer_table.h"
#include "testbench/workload/training/compute/gemm.h"

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

TEST_CASE("layer table: titles of published tables are accepted", "[pure]") {
  const std::string row = "conv1,224,224,7,7,3,64,1,\n";
  for (const std::string other :
       {"\xEF\xBB\xBFLayer name,Ifmap height,ifmap width,filter height,filter width,channels,num filters,strides,\n",
        "Layer,H,W,Filter_Height,Filter_Width,Channel,Num_Filter,Stride\n"}) {
    const auto layers = read(other + row);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].shape == ConvolutionShape{224, 224, 7, 7, 3, 64, 1, 0});
  }
}

TEST_CASE("layer table: tabs, semicolons, and blanks of all kinds separate cells", "[pure]") {
  const auto with = [](const std::string& blank, const std::string& separator) {
    std::string text = header + ",,,,,,,,,\nconv1, 224, 224, 7, 7, 3, 64, 2,\n\t\n";
    for (const auto& [from, to] :
         {std::make_pair(std::string(", "), "," + blank), std::make_pair(std::string(","), separator)})
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return read(text);
  };
  for (const char* separator : {",", "\t", ";"})
    for (const char* blank : {"", "\xC2\xA0", "\xE2\x80\xAF", " \xEF\xBB\xBF"}) {
      const auto layers = with(blank, separator);
      REQUIRE(layers.size() == 1);
      CHECK(layers[0].name == "conv1");
      CHECK(layers[0].shape == ConvolutionShape{224, 224, 7, 7, 3, 64, 2, 0});
    }
}

TEST_CASE("layer table: other columns are ignored with a warning", "[pure]") {
  const auto warnings = [](const std::string& text) {
    std::istringstream input(text);
    std::vector<std::string> lines;
    CHECK(read_layer_table(input, "t.csv", &lines).size() == 1);
    return lines;
  };
  const std::string titles = header.substr(0, header.size() - 1);
  CHECK(warnings(header + "a, 56, 56, 3, 3, 64, 64, 1,\n").empty());
  CHECK(warnings(titles + " Sparsity,\na, 56, 56, 3, 3, 64, 64, 1, ,\n").empty());
  CHECK(warnings(titles + " Sparsity, Batch Size,\na, 56, 56, 3, 3, 64, 64, 1, 2:4, 8\n") ==
        std::vector<std::string>{"t.csv: ignored: columns 'Sparsity'"});
  CHECK(warnings(header + "a, 224, 224, 7, 7, 3, 64, 2,,,110,110,12100\n") ==
        std::vector<std::string>{"t.csv: ignored: cells without a title"});
  CHECK(warnings("Layer, M, N, K, Sparsity\na, 196, 192, 768, 2:4, 7\n") ==
        std::vector<std::string>{"t.csv: ignored: columns 'Sparsity', and cells without a title"});
}

TEST_CASE("layer table: a matrix product of M x K inputs and K x N weights is a layer", "[pure]") {
  for (const std::string text : {"Layer,M,N,K,\nL0,196,192,768,\n", "Name, K, M, N\nL0, 768, 196, 192"}) {
    const auto layers = read(text);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].name == "L0");
    CHECK(layers[0].weights == 192 * 768);
    const training::LayerGemms products = training::layer_gemms(layers[0].shape);
    CHECK(products.forward == training::Gemm{196, 192, 768});
    CHECK(products.input_gradient == training::Gemm{196, 768, 192});
    CHECK(products.weight_gradient == training::Gemm{768, 192, 196});
  }
}

TEST_CASE("layer table: the small tables of each form have the same two layers", "[pure]") {
  const std::string folder = TRIBUTARY_SOURCE_DIR "/testbench/workload/data/traces/scalesim_";
  const auto table = [&](const std::string& form, std::vector<std::string>* warnings) {
    std::ifstream file(folder + form + ".csv", std::ios::binary);
    return read_layer_table(file, form, warnings);
  };
  for (const std::string form : {"num_filters", "nbsp", "tabs", "sparsity", "extra_cells", "blank_row"}) {
    INFO(form);
    std::vector<std::string> warnings;
    const auto layers = table(form, &warnings);
    REQUIRE(layers.size() == 2);
    const std::uint64_t images = form == "sparsity" ? 4 : 1;
    CHECK(layers[0].name == "conv1");
    CHECK(layers[0].weights == 7 * 7 * 3 * 64);
    CHECK(layers[0].shape == ConvolutionShape{224, 224, 7, 7, 3, 64, 2, 0, images});
    CHECK(layers[1].name == "conv2");
    CHECK(layers[1].weights == 3 * 3 * 64 * 64);
    CHECK(layers[1].shape == ConvolutionShape{56, 56, 3, 3, 64, 64, 1, 0, images});
    CHECK(warnings.size() == (form == "sparsity" || form == "extra_cells" ? 1 : 0));
  }
  const auto products = table("gemm_mnk", nullptr);
  REQUIRE(products.size() == 2);
  CHECK(training::layer_gemms(products[0].shape).forward == training::Gemm{128, 768, 768});
  CHECK(training::layer_gemms(products[1].shape).forward == training::Gemm{128, 3072, 768});
  CHECK(products[1].weights == 3072 * 768);
}

TEST_CASE("layer table: mutated tables are read or rejected quickly", "[pure]") {
  const std::string rows = "conv1, 224, 224, 7, 7, 3, 64, 2,\nfc, 1, 1, 1, 1, 2048, 1000, 1,\n",
                    products = "Layer,M,N,K,\nL0,196,192,768,\n";
  const auto read_text = [](const std::string& text) {
    std::istringstream input(text);
    read_layer_table(input, "t.csv");
  };
  CHECK(fuzzed<InputError>({{header + rows, products, "\xEF\xBB\xBF" + header + rows},
                            {",,", "\t", ";", "\xC2\xA0", "\r\n", "Batch Size", "Sparsity", "2:4", "Num Filter", "0", "-1"}},
                           45, mutations(20'000), "t.csv:", read_text, 400) == "");
}

TEST_CASE("layer table: a text with the titles of a table is one", "[pure]") {
  CHECK(begins_layer_table(header));
  CHECK(begins_layer_table("Layer,M,N,K,\nL0,1,2,3,\n"));
  CHECK(begins_layer_table("\xEF\xBB\xBFLayer\tIfmap height\tw\tfilter height\tfilter width\tchannel\tnum filters\tstride"));
  for (const char* text : {"", "training_graph: 1\n", "DATA\n1\n", "{\"nodes\": []}", "a,b,c,d\n", "M,N,K\n"})
    CHECK_FALSE(begins_layer_table(text));
}

TEST_CASE("layer table: columns are found by their titles", "[pure]") {
  const auto layers = read(
      "Layer, Num Filter, Channels, Strides, Filter Width, Filter Height, IFMAP Width, IFMAP Height, Notes\n"
      "a, 64, 3, 2, 5, 7, 112, 224, x\n");
  CHECK(layers.at(0).shape == ConvolutionShape{224, 112, 7, 5, 3, 64, 2, 0});
  CHECK(layers.at(0).weights == 7 * 5 * 3 * 64);
  // Without a title of the height its place has another column.
  CHECK_THROWS_WITH(
      read("Layer, Channels, H, Filter Height, Filter Width, W, Num Filter, Strides\na, 3, 9, 1, 1, 9, 4, 1\n"),
      Contains("no header with 'IFMAP Height', and column 2 is 'Channels'"));
}

TEST_CASE("layer table: the batch of a row multiplies outputs, not weights", "[pure]") {
  const std::string titles = header.substr(0, header.size() - 1);
  const auto shape = [](const std::string& text) { return read(text).at(0).shape; };
  const ConvolutionShape batch = shape(titles + " Batch Size,\na, 9, 7, 3, 3, 64, 32, 1, 8\n");
  const training::LayerGemms products = training::layer_gemms(batch);
  CHECK(products.forward == training::Gemm{8 * 7 * 5, 32, 9 * 64});
  CHECK(products.input_gradient == training::Gemm{8 * 9 * 7, 64, 9 * 32});
  CHECK(products.weight_gradient == training::Gemm{9 * 64, 32, 8 * 7 * 5});
  CHECK(training::layer_gemms(shape("Layer, M, N, K, Batch\na, 5, 6, 7, 3\n")).forward == training::Gemm{15, 6, 7});
  CHECK(shape(titles + " Batch Size,\na, 9, 7, 3, 3, 64, 32, 1,\n").images == 1);
  CHECK_THROWS_WITH(read(titles + " Batch Size,\na, 9, 7, 3, 3, 64, 32, 1, no\n"), Contains("Batch Size is 'no'"));
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
  CHECK_THROWS_WITH(read("Layer, M, N, K,\nL0, 196, 192,\n"), Contains(place(2)) && Contains("3 cells; a layer needs 4"));
  CHECK_THROWS_WITH(read("Layer, M, N, K,\nL0, 196, 0, 768,\n"), Contains(place(2)) && Contains("N is '0'"));
  CHECK_THROWS_WITH(read("Layer, M, N,\nL0, 196, 192,\n"), Contains(place(1)) && Contains("or Layer, M, N, K"));
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
