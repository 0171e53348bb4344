# SPDX-License-Identifier: MIT
# Completion of gpreempt for fish. The command says itself what may follow: gpreempt complete.

function __gpreempt_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] complete $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$word"
            case ':commands'
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end

complete -c gpreempt -f -a '(__gpreempt_complete)'
