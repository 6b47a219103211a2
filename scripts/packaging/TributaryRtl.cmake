# tributary_rtl_block(NAME block SOURCES file... [TARGET target] [MODULE module] [PARAMETERS NAME=NUMBER...] [TYPES type...]
#                     [OPS operation...] [PLACES glob] [VERILATOR_ARGS argument...] [UNSAVED] [COVERAGE] [TRACE])
# tributary_rtl_block(NAME block SC SOURCES file... | HEADER file [LATENCY clocks] ...)
# Defines a plug-in for `tributary run --plugin` from a block in SystemVerilog: the shared library libTARGET.so. Its ports have the names of
# `tributary export pins BLOCK`, whose port list is in the include path of Verilator as BLOCK_ports.svh.
#   NAME            block: a name of `tributary list pins`
#   SOURCES         sources of SystemVerilog
#   TARGET          target of the library; default: rtl_NAME
#   MODULE          top module; default: NAME
#   PARAMETERS      parameters of the top module. Some set widths of pins
#   TYPES, OPS      element types and operations that the block computes (`i32 f32`, `sum`); others end the run. Default: all
#   PLACES          hierarchical names of the instances in RTL, for an arbiter or a reduction table; the others are the model's
#   VERILATOR_ARGS  further arguments of Verilator
#   COVERAGE        each instance writes its coverage of lines to coverage/TARGET-PROCESS-NUMBER.dat, for verilator_coverage;
#                   as UNSAVED
#   TRACE           `tributary run --trace-rtl GLOB` writes all signals of instances
#   UNSAVED         the model cannot save its state: requests are sent one at a time
#   SC              the block is a SystemC module that follows the kernel's clock, from `verilator --sc` or written by hand
#   HEADER          with SC, in place of SOURCES: header in C++ that defines the sc_module MODULE
#   LATENCY         with SC: clocks from the first beat of a request to the first beat of its answer; default: it depends on data
include(${CMAKE_CURRENT_LIST_DIR}/TributaryVerilate.cmake)

# Stops with the legal names unless each of `names` is among them.
function(tributary_require_names names what)
  foreach(name ${names})
    if(NOT name IN_LIST ARGN)
      list(JOIN ARGN ", " legal)
      message(FATAL_ERROR "tributary_rtl_block: there is no ${what} ${name} (legal: ${legal})")
    endif()
  endforeach()
endfunction()

function(tributary_rtl_block)
  cmake_parse_arguments(arg "UNSAVED;COVERAGE;SC;TRACE" "NAME;TARGET;MODULE;PLACES;HEADER;LATENCY" "SOURCES;PARAMETERS;TYPES;OPS;VERILATOR_ARGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT (arg_SOURCES OR arg_HEADER))
    message(FATAL_ERROR "tributary_rtl_block needs NAME and SOURCES (unknown: ${arg_UNPARSED_ARGUMENTS})")
  endif()
  if((arg_LATENCY OR arg_HEADER) AND NOT arg_SC)
    message(FATAL_ERROR "tributary_rtl_block: LATENCY and HEADER need SC")
  endif()
  if(arg_TRACE AND arg_SC)
    message(FATAL_ERROR "tributary_rtl_block: TRACE is for blocks without SC")
  endif()
  if(NOT EXISTS ${TRIBUTARY_RTL_FOLDER}/${arg_NAME}_pins.h)
    file(GLOB known RELATIVE ${TRIBUTARY_RTL_FOLDER} ${TRIBUTARY_RTL_FOLDER}/*_pins.h)
    list(TRANSFORM known REPLACE "_pins.h$" "")
    list(JOIN known ", " known)
    message(FATAL_ERROR "tributary_rtl_block: there is no block ${arg_NAME} (legal: ${known})")
  endif()
  tributary_require_names("${arg_TYPES}" "type" f32 f16 i32 bf16 f64 i8 i16 i64)
  tributary_require_names("${arg_OPS}" "operation" sum min max)
  if(NOT arg_TARGET)
    set(arg_TARGET rtl_${arg_NAME})
  endif()
  if(NOT arg_PLACES)
    set(arg_PLACES "*")
  endif()
  if(NOT arg_MODULE)
    set(arg_MODULE ${arg_NAME})
  endif()

  set(TRIBUTARY_RTL_BLOCK ${arg_NAME})
  if(NOT arg_LATENCY)
    set(arg_LATENCY 0)
  endif()
  set(TRIBUTARY_RTL_LATENCY ${arg_LATENCY})
  if(arg_HEADER)
    set(TRIBUTARY_RTL_MODEL ${arg_MODULE})
    get_filename_component(TRIBUTARY_RTL_HEADER ${arg_HEADER} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(template sc_plugin.cpp.in)
  else()
    tributary_rtl_model()
  endif()

  set(source ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}.cpp)
  configure_file(${TRIBUTARY_RTL_FOLDER}/${template} ${source} @ONLY)
  add_library(${arg_TARGET} MODULE ${source})
  set_target_properties(${arg_TARGET} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  target_include_directories(${arg_TARGET} SYSTEM PRIVATE ${generated} ${TRIBUTARY_RTL_FOLDER})
  list(JOIN arg_PARAMETERS " " parameters)
  list(JOIN arg_TYPES " " types)
  list(JOIN arg_OPS " " ops)
  target_compile_definitions(${arg_TARGET} PRIVATE TRIBUTARY_RTL_PARAMETERS="${parameters}" TRIBUTARY_RTL_TYPES="${types}"
                             TRIBUTARY_RTL_OPS="${ops}" TRIBUTARY_RTL_PLACES="${arg_PLACES}" ${definitions})
  target_link_libraries(${arg_TARGET} PRIVATE ${model} Tributary::rtl_platform)
endfunction()

# Verilates the block of a call of tributary_rtl_block() into a static library, whose generated code is compiled without warnings.
macro(tributary_rtl_model)
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(values ${arg_PARAMETERS})
  list(TRANSFORM values PREPEND -G)
  set(TRIBUTARY_RTL_MODEL V${arg_MODULE})
  set(TRIBUTARY_RTL_HEADER V${arg_MODULE}.h)
  set(model ${arg_TARGET}_model)
  set(form)
  set(options)
  if(arg_SC)
    set(template sc_plugin.cpp.in)
    set(form SC)
    set(options --timescale-override /1ps)  # the resolution of Tributary
    set(definitions VM_SC=1)
  else()
    set(template rtl_plugin.cpp.in)
    set(definitions VL_TIME_CONTEXT)
    # Verilator cannot save the state of a model that counts coverage.
    if(arg_COVERAGE)
      set(options --coverage-line)
      list(APPEND definitions TRIBUTARY_RTL_COVERAGE="${arg_TARGET}")
    elseif(NOT arg_UNSAVED)
      set(options --savable)
      list(APPEND definitions TRIBUTARY_RTL_SAVABLE)
    endif()
    if(arg_TRACE)
      list(APPEND options --trace --timescale-override 1ps/1ps)
      list(APPEND definitions TRIBUTARY_RTL_TRACE)
    endif()
    list(APPEND options --x-initial unique --x-assign unique)  # `replay --x-seeds`
  endif()
  add_library(${model} STATIC)
  set_target_properties(${model} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON)
  target_compile_options(${model} PRIVATE -w -O3)
  tributary_verilate(${model} ${form} PREFIX V${arg_MODULE} MODULE ${arg_MODULE} SOURCES ${arg_SOURCES}
                     ARGUMENTS -y ${TRIBUTARY_RTL_FOLDER} ${options} ${values} ${arg_VERILATOR_ARGS})
  get_target_property(generated ${model} INTERFACE_INCLUDE_DIRECTORIES)
endmacro()
