# Installs BUILD to TO by way of another folder and looks for paths of BUILD and SOURCE in the package.
file(REMOVE_RECURSE ${TO} ${TO}.first)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${TO}.first
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${TO}.first ${TO})

file(GLOB_RECURSE texts ${TO}/*.cmake ${TO}/*.h)
if(NOT texts)
  message(FATAL_ERROR "nothing was installed to ${TO}")
endif()
foreach(file IN LISTS texts)
  file(READ ${file} text)
  foreach(path ${BUILD} ${SOURCE} ${TO}.first)
    string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" pattern ${path})
    # A path begins here: a clone in /sluice must not be seen in "include/sluice".
    if(text MATCHES "(^|[^A-Za-z0-9_.}/-])${pattern}(/|[^A-Za-z0-9_.-]|$)")
      message(SEND_ERROR "${file} names ${path}")
    endif()
  endforeach()
endforeach()
