# Warnings and sanitizers, as interface targets that every target of ours links.
add_library(skinlint_warnings INTERFACE)
add_library(skinlint_flags INTERFACE)
target_link_libraries(skinlint_flags INTERFACE skinlint_warnings)
target_compile_options(skinlint_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wdouble-promotion -Wswitch-enum)
if(SKINLINT_WARNINGS_AS_ERRORS)
  target_compile_options(skinlint_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees these in inlined code of Eigen and std::string where nothing is wrong.
  target_compile_options(skinlint_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
endif()
if(SKINLINT_SANITIZE)
  target_compile_options(skinlint_flags INTERFACE -fsanitize=${SKINLINT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(skinlint_flags INTERFACE -fsanitize=${SKINLINT_SANITIZE})
endif()
