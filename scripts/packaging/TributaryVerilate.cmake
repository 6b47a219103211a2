# tributary_verilate(TARGET [SC] PREFIX prefix MODULE module [SOURCES file...] [ARGUMENTS argument...])
# Adds a class that Verilator makes of a module to a static library. Verilator runs when the library is built, not when CMake is run: an error in
# SystemVerilog stops this library alone.
#   SC         the class is an sc_module with ports (`--sc`)
#   PREFIX     name of the class
#   MODULE     top module
#   SOURCES    sources, with absolute paths; those in C++ are compiled into the library
#   ARGUMENTS  further arguments of Verilator
#
# The second half of the file is the last step of the build: cmake -DFOLDER=... -DPREFIX=... -P TributaryVerilate.cmake includes the generated
# sources in PREFIX__all.cpp, whose dependences are those of the sources.

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB sources RELATIVE ${FOLDER} ${FOLDER}/*.cpp)
  list(SORT sources)
  set(text "// Sources that Verilator has made.\n#define VL_INCLUDE_OPT include\n")
  foreach(source ${sources})
    string(APPEND text "#include \"${source}\"\n")
  endforeach()
  file(READ ${FOLDER}/${PREFIX}__ver.d dependences)
  string(REGEX REPLACE "^[^:]*:" "${FOLDER}/${PREFIX}__all.cpp:" dependences "${dependences}")
  file(WRITE ${FOLDER}/${PREFIX}.d "${dependences}")
  file(WRITE ${FOLDER}/${PREFIX}__all.cpp "${text}")
  return()
endif()

set(TRIBUTARY_VERILATE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(tributary_verilate target)
  cmake_parse_arguments(arg "SC" "PREFIX;MODULE" "SOURCES;ARGUMENTS" ${ARGN})
  find_package(verilator QUIET HINTS /usr/share/verilator /usr/local/share/verilator $ENV{VERILATOR_ROOT})
  if(NOT verilator_FOUND)
    message(FATAL_ERROR "tributary_rtl_block: verilator was not found. On Debian: apt-get install verilator")
  endif()
  foreach(source ${arg_SOURCES})
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "tributary_rtl_block: there is no source ${source}")
    endif()
  endforeach()
  set(compiled ${arg_SOURCES})
  list(FILTER compiled INCLUDE REGEX "\\.(c|cc|cpp|cxx)$")
  list(FILTER arg_SOURCES EXCLUDE REGEX "\\.(c|cc|cpp|cxx)$")

  set(form --cc)
  if(arg_SC)
    set(form --sc)
    target_link_libraries(${target} PUBLIC Tributary::systemc)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.verilated)
  set(all ${folder}/${arg_PREFIX}__all.cpp)
  set(arguments ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.arguments)
  list(JOIN arg_ARGUMENTS "\n" lines)
  list(JOIN arg_SOURCES "\n" files)
  file(CONFIGURE OUTPUT ${arguments} CONTENT "${form}\n--Mdir ${folder}\n--prefix ${arg_PREFIX}\n--top-module ${arg_MODULE}\n${lines}\n${files}\n" @ONLY)
  add_custom_command(
    OUTPUT ${all} BYPRODUCTS ${folder}/${arg_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${VERILATOR_BIN} -f ${arguments}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DPREFIX=${arg_PREFIX} -P ${TRIBUTARY_VERILATE_SCRIPT}
    DEPENDS ${arg_SOURCES} ${arguments} DEPFILE ${folder}/${arg_PREFIX}.d
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "Verilating ${arg_MODULE}" VERBATIM)
  target_sources(${target} PRIVATE ${all} ${compiled})
  target_include_directories(${target} PUBLIC ${folder} ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)

  # The runtime of Verilator is compiled once for all blocks of a project, but for blocks with coverage, traces or --sc.
  set(runtime verilated.cpp verilated_threads.cpp verilated_save.cpp)
  set(usual VM_COVERAGE=0 VM_SC=0 VM_TRACE=0 VM_TRACE_VCD=0 VM_TRACE_FST=0)
  set(definitions ${usual})
  set(options "${arg_ARGUMENTS}")
  if(arg_SC)
    list(TRANSFORM definitions REPLACE "VM_SC=0" "VM_SC=1")
  endif()
  if(options MATCHES "--coverage")
    list(APPEND runtime verilated_cov.cpp)
    list(TRANSFORM definitions REPLACE "VM_COVERAGE=0" "VM_COVERAGE=1")
  endif()
  if(options MATCHES "--trace-fst")
    list(APPEND runtime verilated_fst_c.cpp)
    list(TRANSFORM definitions REPLACE "(VM_TRACE|VM_TRACE_FST)=0" "\\1=1")
    target_link_libraries(${target} PUBLIC z)
  elseif(options MATCHES "--trace")
    list(APPEND runtime verilated_vcd_c.cpp)
    list(TRANSFORM definitions REPLACE "(VM_TRACE|VM_TRACE_VCD)=0" "\\1=1")
  endif()
  list(TRANSFORM runtime PREPEND ${VERILATOR_ROOT}/include/)
  target_compile_definitions(${target} PRIVATE ${definitions})
  if(NOT definitions STREQUAL usual)
    target_sources(${target} PRIVATE ${runtime})
    return()
  endif()
  if(NOT TARGET tributary_verilated)
    add_library(tributary_verilated STATIC ${runtime})
    set_target_properties(tributary_verilated PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
    target_compile_options(tributary_verilated PRIVATE -w -O3)
    target_include_directories(tributary_verilated PRIVATE ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
    target_compile_definitions(tributary_verilated PRIVATE ${usual})
  endif()
  target_link_libraries(${target} PUBLIC tributary_verilated)
endfunction()
