# cmake --install and the Debian package (cpack -G DEB).
include(GNUInstallDirs)

install(TARGETS skinlint RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(SKINLINT_HAVE_ASSIMP)
  # Started by the tool, which looks in ../libexec/skinlint of its own folder.
  install(TARGETS skinlint-assimp RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/skinlint)
endif()

# Debian wants manual pages compressed, and the same bytes each time (-n: no time stamp).
set(man_page ${CMAKE_SOURCE_DIR}/docs/skinlint.1)
find_program(GZIP_COMMAND gzip)
mark_as_advanced(GZIP_COMMAND)
if(GZIP_COMMAND)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${man_page})
  execute_process(COMMAND ${GZIP_COMMAND} -9nc ${man_page} OUTPUT_FILE ${CMAKE_BINARY_DIR}/skinlint.1.gz
                  COMMAND_ERROR_IS_FATAL ANY)
  set(man_page ${CMAKE_BINARY_DIR}/skinlint.1.gz)
endif()
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

install(FILES completions/skinlint.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME skinlint)
install(FILES completions/skinlint.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# Debian's zsh looks in vendor-completions below /usr, and in site-functions below /usr/local.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"(^|/)usr$\")
    set(folder vendor-completions)
  endif()
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${folder}\" TYPE FILE
       RENAME _skinlint FILES \"${CMAKE_SOURCE_DIR}/completions/skinlint.zsh\")")

# Documents keep their places to each other, so that their links hold.
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS PATTERN skinlint.1 EXCLUDE)
install(FILES docs/config.schema.json docs/report.schema.json docs/inspect.schema.json docs/trace.schema.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/skinlint)

set(CPACK_PACKAGE_NAME skinlint)
set(CPACK_PACKAGE_VENDOR skinlint)
set(CPACK_PACKAGE_CONTACT "skinlint authors <skinlint@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Checks skinned characters in glTF, GLB, VRM and FBX files: joints, inverse bind matrices, bind poses, weights and
the transforms around them. Names the joint, matrix or vertices that are wrong, measures how far the mesh is torn from
where it was bound, and says what to do about it in Maya, 3ds Max and Blender.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
find_program(DPKG_SHLIBDEPS_COMMAND dpkg-shlibdeps)
find_program(FILE_COMMAND file)
mark_as_advanced(DPKG_SHLIBDEPS_COMMAND FILE_COMMAND)
if(DPKG_SHLIBDEPS_COMMAND AND FILE_COMMAND)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
