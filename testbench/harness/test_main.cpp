/// Entry of every test executable. SystemC owns `main`; Catch2 runs inside `sc_main`.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

int sc_main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
