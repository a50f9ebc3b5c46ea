# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Writes OUT, a C file with the files PARTS as arrays: NAME_style, NAME_body, and
# NAME_script with all scripts in the order of PARTS. HEADER declares them.
set(names style body script)
set(style "")
set(body "")
set(script "")
foreach(part IN LISTS PARTS)
	file(READ ${part} bytes HEX)
	if(part MATCHES "\\.css$")
		string(APPEND style ${bytes})
	elseif(part MATCHES "\\.html$")
		string(APPEND body ${bytes})
	else()
		string(APPEND script ${bytes})
	endif()
endforeach()
set(text "/* Made by the build from the files of a page. */\n#include \"${HEADER}\"\n")
foreach(name IN LISTS names)
	string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${${name}}")
	string(APPEND text "const char ${NAME}_${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
