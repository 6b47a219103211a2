# Files that ship inside the command line, as texts of a library.

# tributary_embedded(library header pattern...)
# Adds the files of the folder `data` that match the patterns; `header` declares embedded_files().
function(tributary_embedded library header)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/data)
  set(table)
  foreach(pattern IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/${pattern})
    foreach(name IN LISTS found)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name})
      file(READ ${folder}/${name} text)
      string(APPEND table "      {\"${name}\", R\"~file~(${text})~file~\"},\n")
    endforeach()
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${library}_files.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// Written by the build from the files of a folder `data`.
#include "@header@"

namespace tributary::training {

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> files{
@table@  };
  return files;
}

}  // namespace tributary::training
]])
  target_sources(${library} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O0)
endfunction()

# tributary_page_scripts(library)
# Adds the scripts of HTML pages. uPlot must be the published file, or the build ends.
function(tributary_page_scripts library)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  file(SHA256 ${folder}/uplot/uPlot.iife.min.js hash)
  if(NOT hash STREQUAL "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f")
    message(FATAL_ERROR "${folder}/uplot/uPlot.iife.min.js differs from the file that uPlot 1.6.32 publishes")
  endif()
  foreach(file uplot/uPlot.iife.min.js uplot/uPlot.min.css script/sweep.js script/curves.js script/explore_values.js script/explore.js script/explore.css)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
  endforeach()
  file(READ ${folder}/uplot/uPlot.iife.min.js uplot_script)
  file(READ ${folder}/uplot/uPlot.min.css uplot_style)
  file(READ ${folder}/script/sweep.js sweep_script)
  file(READ ${folder}/script/curves.js curves_script)
  file(READ ${folder}/script/explore_values.js explore_values_script)
  file(READ ${folder}/script/explore.js explore_script)
  file(READ ${folder}/script/explore.css explore_style)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${library}_scripts.cpp)
  set(text "// Written by the build from files of testbench/report/html.\n#include \"testbench/report/html/embedded_script.h\"\n\nnamespace tributary::html {\n")
  foreach(name uplot_script uplot_style sweep_script curves_script explore_values_script explore_script explore_style)
    string(APPEND text "\nconst char* const ${name} = R\"~file~(${${name}})~file~\";\n")
  endforeach()
  string(APPEND text "\n}  // namespace tributary::html\n")
  file(GENERATE OUTPUT ${source} CONTENT "${text}")
  target_sources(${library} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES GENERATED ON SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O0)
endfunction()
