# One function declares a module, one declares its tests. See docs/architecture.md.

# sluice_module(<name> HEADERS ... SOURCES ... DEPENDS <public targets> PRIVATE <private targets>)
# Makes the library sluice_<name> with the alias sluice::<name>. Public headers live in
# include/sluice/<name>/, everything else in src/.
function(sluice_module name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(sluice_${name} STATIC ${ARG_SOURCES})
  add_library(sluice::${name} ALIAS sluice_${name})
  set_target_properties(sluice_${name} PROPERTIES EXPORT_NAME ${name})
  target_sources(sluice_${name} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${ARG_HEADERS})
  target_include_directories(sluice_${name} PRIVATE src)
  target_link_libraries(sluice_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE})
  sluice_compile_options(sluice_${name})
  set_property(GLOBAL APPEND PROPERTY SLUICE_MODULES ${name})
  set_property(TARGET sluice_${name} PROPERTY VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
endfunction()

function(sluice_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    $<$<BOOL:${SLUICE_WERROR}>:-Werror> $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
  # libstdc++ 12 sorts stably with std::get_temporary_buffer, of which clang complains in C++23.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(SLUICE_SANITIZE)
    # g++ 12 sees ghosts in std::function and std::regex under a sanitizer.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_compile_options(${target} PUBLIC -fsanitize=${SLUICE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${SLUICE_SANITIZE})
  endif()
endfunction()

# sluice_test(<name> SOURCES ... DEPENDS ...): a GoogleTest program, one ctest entry per test,
# labelled with its folder.
function(sluice_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(SLUICE_SANITIZE)
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  sluice_compile_options(${name})
  # Tests compile in three quarters of the time so, and most of what is compiled is tests.
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS ${folder})
endfunction()
