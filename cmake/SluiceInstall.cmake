# Installs the program, every module with its headers, and a package that find_package(sluice) finds.
# tests/package/ is a project that uses it.
option(SLUICE_INSTALL "Install the program and the libraries" ${PROJECT_IS_TOP_LEVEL})
if(NOT SLUICE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY SLUICE_MODULES)
list(REMOVE_ITEM modules app)  # nothing includes app
list(TRANSFORM modules PREPEND sluice_ OUTPUT_VARIABLE libraries)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)

install(TARGETS ${libraries} EXPORT sluice-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sluice-targets NAMESPACE sluice:: DESTINATION ${package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/sluice-config.cmake.in ${PROJECT_BINARY_DIR}/sluice-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/sluice-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluice-config.cmake ${PROJECT_BINARY_DIR}/sluice-config-version.cmake
  DESTINATION ${package_dir})

# libsluice.so with sluice.h, and beside it the Python package, which looks for the library in its parents.
if(TARGET sluice_capi)
  install(TARGETS sluice_capi EXPORT sluice-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/sluice DESTINATION ${CMAKE_INSTALL_LIBDIR}/sluice/python
    FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
endif()
if(TARGET sluice)
  install(TARGETS sluice RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET sluice-ui)
  install(TARGETS sluice-ui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/scenarios)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
