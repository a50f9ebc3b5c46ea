# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Completion of ibvet for fish. The words come from the program itself: "ibvet help
# --table" prints every option of every command, "ibvet list" the cases.

# Prints the case ids that begin with WORD, each cut after the next slash.
function __ibvet_ids -a ibvet device word
    set -l parent (string match -r '^.*(?=/)' -- $word)
    for id in ($ibvet list -d $device $parent 2>/dev/null)
        string match -r -- '^'(string escape --style=regex -- $word)'[^/]*/?' $id
    end | sort -u
end

# Prints the values of the argument NAME, such as PROFILE. Words of small letters,
# such as start in "start FILE", stand for themselves.
function __ibvet_values -a ibvet device word name
    string match -ra '(?<![\w\[])[a-z]+(?![\w.])' -- (string replace -ra '\[[^]]*\]' '' -- $name)
    for kind in (string match -ra '[A-Z]+' -- $name | sort -u)
        switch $kind
            case DEV
                echo model
                command ls /sys/class/infiniband 2>/dev/null
            case PROFILE
                printf '%s\n' quick full exhaustive
            case COMMAND
                $ibvet help --table 2>/dev/null | string match -r '^[^\t]+' | sort -u
            case ID
                __ibvet_ids $ibvet $device $word
            case DIR RUN
                __fish_complete_directories $word ''
            case FILE OUT
                __fish_complete_path $word
        end
    end
end

function __ibvet_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l ibvet $words[1]
    if test (count $words) = 1
        $ibvet help 2>/dev/null | string replace -rf '^  (\S+) +(.*)$' '$1\t$2'
        printf '%s\n' help --help --version
        return
    end
    if test "$words[2]" = help
        __ibvet_values $ibvet model $word COMMAND
        return
    end
    set -l device model
    if set -l at (contains -i -- -d $words); and set -q words[(math $at + 1)]
        set device $words[(math $at + 1)]
    end
    # "--profile=q" is one word, whose values have the option in front.
    set -l before $words[-1]
    set -l front ''
    if string match -q -- '--*=*' $word
        set before (string replace -r '=.*' '' -- $word)
        set front $before=
        set word (string replace -r '^[^=]*=' '' -- $word)
    end
    set -l name
    set -l arguments
    for row in ($ibvet help --table 2>/dev/null)
        set -l cell (string split \t -- $row)
        test "$cell[1]" = "$words[2]"; or continue
        if test -z "$cell[2]"
            set arguments $cell[4]
        else if contains -- $before $cell[2 3]
            set name $cell[4]
        end
        if test -n "$cell[2]"; and string match -q -- '-*' $word
            printf '%s\t%s\n' $cell[2] $cell[5]
            test -n "$cell[3]"; and printf '%s\t%s\n' $cell[3] $cell[5]
        end
    end
    test -n "$name"; or set name $arguments
    for value in (__ibvet_values $ibvet $device $word $name)
        echo $front$value
    end
end

complete -c ibvet -f -a '(__ibvet_complete)'
