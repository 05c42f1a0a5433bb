# loom_shell_files(tools...): completions for bash, zsh and fish and a page of the manual for each
# tool, written by the tool itself into share/ of the build folder and installed from there.
function(loom_shell_files)
  set(outputs "")
  foreach(tool IN LISTS ARGN)
    set(bash share/bash-completion/completions/${tool})
    set(zsh share/zsh/site-functions/_${tool})
    set(fish share/fish/vendor_completions.d/${tool}.fish)
    set(man share/man/man1/${tool}.1)
    foreach(form bash zsh fish man)
      set(output ${PROJECT_BINARY_DIR}/${${form}})
      get_filename_component(folder ${output} DIRECTORY)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(OUTPUT ${output}
        COMMAND ${tool} --print-flags=${form} > ${output}.new
        COMMAND ${CMAKE_COMMAND} -E rename ${output}.new ${output}
        DEPENDS ${tool} VERBATIM)
      list(APPEND outputs ${output})
      get_filename_component(destination ${${form}} DIRECTORY)
      install(FILES ${output} DESTINATION ${destination})
    endforeach()
  endforeach()
  add_custom_target(shell-files ALL DEPENDS ${outputs})
endfunction()
