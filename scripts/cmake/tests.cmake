# Functions that define tests. Labels: pure, block and system by what they need; nightly: only `scripts/test.sh --nightly` runs them.
include(Catch)

set(TRIBUTARY_TEST_ENVIRONMENT "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1")
if(TRIBUTARY_SANITIZERS)
  # SystemC switches stacks by itself (docs/testing.md).
  list(APPEND TRIBUTARY_TEST_ENVIRONMENT "ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1"
       "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1" "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
endif()

# tributary_test_code(name LEVEL library...)
# Gives a target the settings of all code that uses Catch2. LEVEL: optimisation of release builds, as the code under test lies in libraries.
function(tributary_test_code name level)
  target_link_libraries(${name} PRIVATE tributary_options Catch2::Catch2 ${ARGN} tributary_base_sysc)
  target_compile_definitions(${name} PRIVATE TRIBUTARY_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
  target_precompile_headers(${name} REUSE_FROM tributary_test_headers_${level})
  if(TRIBUTARY_UNITY)
    # Sources are in namespaces of their own, so any of them can share a translation unit.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# Seconds that a test may need; programs with sanitizers are about ten times slower.
if(TRIBUTARY_SANITIZERS)
  set(TRIBUTARY_TEST_SECONDS 3600)
else()
  set(TRIBUTARY_TEST_SECONDS 300)
endif()

# tributary_test_program(name [LEVEL flag] [CASES label spec...] LINK library...)
# Defines a test program of all sources in this folder, and a test for each TEST_CASE: SystemC elaborates once per process.
# CASES: pairs of a label and a Catch2 test specification; all cases are `pure` where it is missing.
function(tributary_test_program name)
  cmake_parse_arguments(arg "" "LEVEL" "CASES;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  add_executable(${name} ${sources} $<TARGET_OBJECTS:tributary_test_main>)
  if(NOT arg_LEVEL)
    set(arg_LEVEL -O0)
  endif()
  if(NOT arg_CASES)
    set(arg_CASES pure "~[.]")
  endif()
  tributary_targets(arg_LINK)
  tributary_test_code(${name} ${arg_LEVEL} ${arg_LINK})
  while(arg_CASES)
    list(POP_FRONT arg_CASES label spec)
    set(list ${name}_${label}_cases)
    # CMake's lists swallow a name with brackets or semicolons. Such a name matches no case, so the test fails and is not skipped.
    catch_discover_tests(${name} TEST_SPEC ${spec} TEST_LIST ${list} EXTRA_ARGS --warn NoTests PROPERTIES LABELS ${label} TIMEOUT ${TRIBUTARY_TEST_SECONDS})
    set(after ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake)
    file(CONFIGURE OUTPUT ${after} @ONLY CONTENT [[
if(@list@)
  set_tests_properties(${@list@} PROPERTIES ENVIRONMENT "@TRIBUTARY_TEST_ENVIRONMENT@")
endif()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${after})
  endwhile()
endfunction()

# tributary_python_test(name script [LABELS label...] [TIMEOUT seconds] [ARGUMENTS argument...])
# Runs a Python test with the executable, the source folder and the arguments. The line `OK (skipped=N)` marks it as skipped: a test that also fails has none.
function(tributary_python_test name script)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  if(NOT arg_TIMEOUT OR arg_TIMEOUT LESS TRIBUTARY_TEST_SECONDS)
    set(arg_TIMEOUT ${TRIBUTARY_TEST_SECONDS})
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS system)
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} $<TARGET_FILE:tributary> ${PROJECT_SOURCE_DIR} ${arg_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${TRIBUTARY_TEST_ENVIRONMENT}"
                       SKIP_REGULAR_EXPRESSION "OK \\(skipped=")
endfunction()

# tributary_check(name [ARGUMENTS argument...])
# Runs scripts/check_NAME over the sources, and its self-test. A check whose tool is missing says `skipped` in one line.
function(tributary_check name)
  cmake_parse_arguments(arg "" "" "ARGUMENTS" ${ARGN})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/check_${name} ${arg_ARGUMENTS})
  add_test(NAME ${name}.self_test COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/check_${name} --self-test)
  set_tests_properties(${name} ${name}.self_test PROPERTIES LABELS pure TIMEOUT 600 SKIP_REGULAR_EXPRESSION "check_${name}: skipped")
endfunction()
