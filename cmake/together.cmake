# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# IBVET_TOGETHER: compile_together(TARGET) has the compiler read several files at
# once, as together.py groups them. An edit can change the groups, so cmake
# runs again after it.
function(compile_together target)
	if(NOT IBVET_TOGETHER)
		return()
	endif()
	get_target_property(sources ${target} SOURCES)
	list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/")
	list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
	list(JOIN sources "\n" lines)
	set(list ${PROJECT_BINARY_DIR}/together-${target})
	file(WRITE ${list} "${lines}\n")
	execute_process(COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/cmake/together.py ${list}
		OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE
		COMMAND_ERROR_IS_FATAL ANY)
	string(REPLACE "\n" ";" lines "${lines}")
	foreach(line IN LISTS lines)
		string(REGEX MATCH "^(.*) ([^ ]+)$" _ "${line}")
		set_source_files_properties(${CMAKE_MATCH_1} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_2})
	endforeach()
	set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
		${sources} ${PROJECT_SOURCE_DIR}/cmake/together.py)
endfunction()
