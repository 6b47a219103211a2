/// Entry of every test executable. SystemC calls `sc_main`, which runs Catch2.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

#include "modules/base/sysc/logging.h"

int sc_main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }

int main(int argc, char* argv[]) {
  tributary::silence_systemc_banner();
  return sc_core::sc_elab_and_sim(argc, argv);
}
