# Rules of `cmake --install` and `cpack`: the command line with its manual (component tributary), and libraries and headers with their
# CMake and pkg-config files and the C++ examples (component libtributary-dev).
include(CMakePackageConfigHelpers)

# Archives hold machine code, so that any compiler and linker can use them.
if(CMAKE_INTERPROCEDURAL_OPTIMIZATION_RELEASE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(fat_objects -ffat-lto-objects)
endif()

# From the top down, as a linker needs them: the reverse of the order of their definition.
get_property(targets GLOBAL PROPERTY tributary_installed_libraries)
list(REVERSE targets)
set(TRIBUTARY_PC_LIBS)
set(archives)
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${fat_objects}>)
    string(APPEND TRIBUTARY_PC_LIBS " -l${target}")
    list(APPEND archives ${target})
  endif()
endforeach()
pkg_check_modules(SPDLOG QUIET spdlog)
foreach(library IN LISTS SPDLOG_LIBRARIES)
  string(APPEND TRIBUTARY_PC_LIBS " -l${library}")
endforeach()
set_target_properties(tributary_usage PROPERTIES EXPORT_NAME usage)
set_target_properties(tributary_systemc PROPERTIES EXPORT_NAME systemc)

set(dev COMPONENT libtributary-dev)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tributary)
install(TARGETS ${targets} tributary_usage tributary_systemc EXPORT TributaryTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${dev})
install(EXPORT TributaryTargets NAMESPACE Tributary:: DESTINATION ${package_folder} ${dev})
configure_package_config_file(scripts/packaging/TributaryConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/packaging/TributaryConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/packaging/TributaryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/packaging/TributaryConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/packaging/TributaryConfigVersion.cmake
        DESTINATION ${package_folder} ${dev})
file(RELATIVE_PATH TRIBUTARY_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(scripts/packaging/tributary.pc.in packaging/tributary.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/packaging/tributary.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${dev})
foreach(folder modules platforms testbench/observe testbench/harness)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tributary/${parent} ${dev} FILES_MATCHING PATTERN "*.h")
endforeach()
# The C++ examples: projects of their own that use the installed libraries.
install(DIRECTORY testbench/examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libtributary-dev/testbench ${dev}
        PATTERN scenarios EXCLUDE PATTERN sweeps EXCLUDE PATTERN README.md EXCLUDE)

if(NOT TRIBUTARY_COMMAND)
  return()
endif()

# The command line writes its man pages and completion from its table of options.
set(manual ${CMAKE_CURRENT_BINARY_DIR}/packaging/manual)
set(pages tributary.1)
foreach(command run sweep bottleneck train schedule verify import export estimate list netlist plot help completion)
  list(APPEND pages tributary-${command}.1)
endforeach()
set(made)
set(commands)
foreach(page IN LISTS pages)
  string(REGEX REPLACE "^tributary-?(.*)\\.1$" "\\1" command ${page})
  list(APPEND made ${manual}/${page})
  list(APPEND commands COMMAND tributary help --man ${command} > ${manual}/${page})
endforeach()
foreach(shell bash zsh fish)
  list(APPEND made ${manual}/completion.${shell})
  list(APPEND commands COMMAND tributary completion ${shell} > ${manual}/completion.${shell})
endforeach()
add_custom_command(OUTPUT ${made} COMMAND ${CMAKE_COMMAND} -E make_directory ${manual} ${commands} DEPENDS tributary VERBATIM
                   COMMENT "Manual pages and shell completion")
add_custom_target(tributary_manual ALL DEPENDS ${made})
# All that is installed: scripts/quickstart.sh builds it, so that `cmake --install` works after it.
add_custom_target(tributary_product DEPENDS tributary ${archives} tributary_manual)

set(user COMPONENT tributary)
set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/tributary)
install(TARGETS tributary RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${user})
list(TRANSFORM pages PREPEND ${manual}/ OUTPUT_VARIABLE page_files)
install(FILES ${page_files} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${user})
install(FILES ${manual}/completion.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME tributary ${user})
install(FILES ${manual}/completion.zsh DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions RENAME _tributary ${user})
install(FILES ${manual}/completion.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d RENAME tributary.fish ${user})
# The manual with the files that it names, in the folders of this repository: its links and commands work in ${doc}.
install(FILES README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CITATION.cff DESTINATION ${doc} ${user})
install(DIRECTORY docs DESTINATION ${doc} ${user})
install(FILES testbench/record/timeline.proto DESTINATION ${doc}/testbench/record ${user})
install(DIRECTORY testbench/workload/data DESTINATION ${doc}/testbench/workload ${user})
install(DIRECTORY testbench/examples/scenarios testbench/examples/sweeps DESTINATION ${doc}/testbench/examples ${user})
install(FILES testbench/examples/README.md DESTINATION ${doc}/testbench/examples ${user})
install(DIRECTORY docs/schema DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/tributary ${user} FILES_MATCHING PATTERN "*.json")
install(FILES scripts/packaging/copyright DESTINATION ${doc} ${user})
install(FILES scripts/packaging/copyright DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libtributary-dev ${dev})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tributary)
set(CPACK_PACKAGE_CONTACT "Tributary maintainers <maintainers@tributary.example.org>")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/scripts/packaging/debian.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tributary libtributary-dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TRIBUTARY_PACKAGE_NAME tributary)
set(CPACK_DEBIAN_TRIBUTARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TRIBUTARY_DESCRIPTION "Simulator of in-network reduction hardware: the command line
 Runs collectives on models of switches, links, GPUs and network
 interfaces that reduce data in the network.")
set(CPACK_DEBIAN_LIBTRIBUTARY-DEV_PACKAGE_NAME libtributary-dev)
set(CPACK_DEBIAN_LIBTRIBUTARY-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBTRIBUTARY-DEV_PACKAGE_DEPENDS "libsystemc-dev, libspdlog-dev, zlib1g-dev, libpugixml-dev, pkg-config")
set(CPACK_COMPONENT_LIBTRIBUTARY-DEV_DESCRIPTION "Simulator of in-network reduction hardware: libraries and headers
 SystemC modules of switches, links, GPUs and network interfaces, with
 packet sources, monitors and waveforms.")
include(CPack)
