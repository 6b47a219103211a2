# Test executables: one process per TEST_CASE (SystemC elaborates once per process), labels pure, block, system.
include(Catch)

# Tests are compiled less optimised, what they test is not: it lies in the libraries.
set(test_optimisation $<$<CONFIG:Release>:-O1>)
tributary_precompiled(tributary_test_headers HEADERS <catch2/catch.hpp> <systemc> <tlm> LINK tributary_systemc Catch2::Catch2)
target_compile_options(tributary_test_headers PRIVATE ${test_optimisation})
add_library(tributary_test_main OBJECT testbench/test/harness/test_main.cpp)
target_link_libraries(tributary_test_main PRIVATE tributary_options tributary_base_sysc Catch2::Catch2)
target_compile_options(tributary_test_main PRIVATE -O0)  # the largest source of all

file(GLOB harness CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/harness/*.cpp)
list(FILTER harness EXCLUDE REGEX "/test_main\\.cpp$")

# Settings of all code that uses Catch2.
function(tributary_test_code name)
  target_link_libraries(${name} PRIVATE tributary_options tributary_testbench tributary_harness Catch2::Catch2)
  target_compile_definitions(${name} PRIVATE TRIBUTARY_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${test_optimisation})
  target_precompile_headers(${name} REUSE_FROM tributary_test_headers)
endfunction()

# Compiled once, for all executables.
add_library(tributary_test_harness OBJECT ${harness})
tributary_test_code(tributary_test_harness)

# Where tests write, and what the sanitizers need (docs/testing.md).
set(TRIBUTARY_TEST_ENVIRONMENT "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1")
if(TRIBUTARY_SANITIZE)
  list(APPEND TRIBUTARY_TEST_ENVIRONMENT "ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1"
       "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()

# tributary_tests(name folders label spec...): discovers the cases of folders, once for each (label, Catch2 test spec).
function(tributary_tests name folders)
  set(sources)
  foreach(one IN LISTS folders)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${one}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources} $<TARGET_OBJECTS:tributary_test_harness> $<TARGET_OBJECTS:tributary_test_main>)
  tributary_test_code(${name})
  set(specs ${ARGN})
  while(specs)
    list(POP_FRONT specs label spec)
    set(list ${name}_${label}_cases)
    # A name that CMake's lists would swallow (brackets, semicolons) matches no case: then the test fails, and is not skipped.
    catch_discover_tests(${name} TEST_SPEC ${spec} TEST_LIST ${list} EXTRA_ARGS --warn NoTests
                         PROPERTIES LABELS ${label} TIMEOUT 300)
    set(after ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake)
    file(CONFIGURE OUTPUT ${after} @ONLY CONTENT [[
if(@list@)
  set_tests_properties(${@list@} PROPERTIES ENVIRONMENT "@TRIBUTARY_TEST_ENVIRONMENT@")
endif()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${after})
  endwhile()
endfunction()

tributary_tests(tributary_unit_tests "testbench/test/modules;testbench/test/platforms;testbench/test/software" pure "~[.slow]")
tributary_tests(tributary_system_tests testbench/test/system block "[block]" system "~[block]")

# The real executable from outside, and the layers.
foreach(subject input scenarios machines schedules training)
  add_test(NAME bad_${subject} COMMAND ${Python3_EXECUTABLE} -B
                                       ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_bad_${subject}.py
                                       $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
foreach(group Run Information)
  add_test(NAME command_line.${group} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_command_line.py
                                              $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR} ${group})
endforeach()
foreach(group Width Help Stuck Log Errors Lists Examples)
  add_test(NAME screen.${group} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_screen.py
                                        $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR} ${group})
endforeach()
add_test(NAME schemas COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_schemas.py
                              $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME sweep_command COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_sweep_command.py
                                    $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME training COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_training.py
                               $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME cut_off_runs COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_cut_off_runs.py
                                   $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME fluid COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_fluid.py
                            $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME limits COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_limits.py
                             $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME msccl COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_msccl.py
                            $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME nccl_tests COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_nccl_tests.py
                                 $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME topology_files COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_topology_files.py
                                     $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME captures COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_captures.py
                               $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME drawings COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_drawings.py
                               $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(captures PROPERTIES SKIP_REGULAR_EXPRESSION "skipped=")
foreach(test shares slurm emit)
  add_test(NAME sweep_${test} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_sweep_${test}.py
                                      $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
set_tests_properties(sweep_slurm PROPERTIES SKIP_REGULAR_EXPRESSION "skipped=")
add_test(NAME docs_commands COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_docs_commands.py
                             $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME reproduction COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_reproduction.py
                                   $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME reproduction.blink COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_blink_claims.py
                                         $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME reproduction.training COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/system/test_training_claims.py
                                            $<TARGET_FILE:tributary> ${CMAKE_CURRENT_SOURCE_DIR})
if(NOT TRIBUTARY_SANITIZE)  # what is installed is not instrumented
  set(installed_tests)
  foreach(test installed plugins rtl_table packages)
    string(REPLACE "installed.installed" "installed" name installed.${test})
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/install/test_${test}.py
                                  ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND installed_tests ${name})
  endforeach()
  set_tests_properties(${installed_tests} PROPERTIES LABELS system TIMEOUT 900 ENVIRONMENT "${TRIBUTARY_TEST_ENVIRONMENT}")
  set_tests_properties(installed.rtl_table PROPERTIES SKIP_REGULAR_EXPRESSION "skipped=1")
endif()
if(NOT TRIBUTARY_SANITIZE)  # the limits are those of what ships
  add_test(NAME fuzz COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/scripts/fuzz --binary $<TARGET_FILE:tributary> --count 300)
  set_tests_properties(fuzz PROPERTIES LABELS system TIMEOUT 300 ENVIRONMENT "${TRIBUTARY_TEST_ENVIRONMENT}")
endif()
add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/fingerprint)
add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/echo_family)  # a family of its own, from the files of its folder alone
add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/oracle)
add_test(NAME fingerprints COMMAND tributary_fingerprints ${CMAKE_CURRENT_SOURCE_DIR}/testbench/test/fingerprint/runs.json)
add_test(NAME figures COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_figures $<TARGET_FILE:tributary>)
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_layers)
add_test(NAME layers.self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_layers --self-test)
foreach(check statics names quotes anchors words parameters scores)
  add_test(NAME ${check} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_${check})
  add_test(NAME ${check}.self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/check_${check} --self-test)
  set_tests_properties(${check} ${check}.self_test PROPERTIES LABELS pure)
endforeach()
set_tests_properties(bad_input bad_scenarios bad_machines bad_schedules bad_training training command_line.Run command_line.Information sweep_command schemas
                     screen.Width screen.Help screen.Stuck screen.Log screen.Errors screen.Lists screen.Examples
                     docs_commands captures drawings cut_off_runs sweep_shares sweep_slurm fluid msccl nccl_tests limits reproduction reproduction.blink
                     fingerprints
                     PROPERTIES LABELS system TIMEOUT 300 ENVIRONMENT "${TRIBUTARY_TEST_ENVIRONMENT}")
add_test(NAME bench.self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/scripts/bench --self-test)
set_tests_properties(bench.self_test layers layers.self_test PROPERTIES LABELS pure)
