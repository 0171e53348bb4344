# SPDX-License-Identifier: MIT
# Completion of gpreempt for bash. Options and commands come from --help, objects from lists.

_gpreempt_help()
{
	"$1" "${@:2}" --help 2>/dev/null
}

_gpreempt_options()
{
	_gpreempt_help "$@" | grep -oE '^ +(-[a-z], )?--[a-z-]+|^ +    --[a-z-]+' | grep -oE -- '--[a-z-]+'
}

_gpreempt_commands()
{
	_gpreempt_help "$@" | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p'
}

_gpreempt()
{
	local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local verb=() words= i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--socket) ((i++)) ;;
		-*) break ;;
		run) [[ ${#verb[@]} -eq 0 ]] && verb=(run) && break ;;
		*) verb+=("${COMP_WORDS[i]}") ;;
		esac
	done
	case $previous in
	--color) words="auto always never" ;;
	--socket | --shim | -o | --output) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")); return ;;
	--device) words=$("$command" list devices --no-header --fields id 2>/dev/null) ;;
	-p | --priority) words="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15" ;;
	-c | --class) words="realtime default besteffort" ;;
	--pid) words=$("$command" list --no-header --fields pid 2>/dev/null) ;;
	esac
	if [[ -z $words ]]; then
		case ${verb[0]} in
		"") words="$(_gpreempt_commands "$command") --socket --help --version" ;;
		sim | trace | bench)
			if [[ ${#verb[@]} -eq 1 && $word != -* ]]; then
				words=$(_gpreempt_commands "$command" "${verb[0]}")
			else
				words=$(_gpreempt_options "$command" "${verb[@]:0:2}")
				compopt -o default
			fi
			;;
		run)
			words=$(_gpreempt_options "$command" run)
			[[ $word == -* ]] || { COMPREPLY=($(compgen -c -- "$word")); return; }
			;;
		help) words=$(_gpreempt_commands "$command") ;;
		list) words="devices queues procs jobs" ;;
		policy) words="get list set on off $([[ ${verb[1]} == set ]] && "$command" policy list 2>/dev/null | cut -d " " -f 1)" ;;
		config) words="show check reload"; [[ ${verb[1]} == check ]] && compopt -o default ;;
		set | attach | detach) words=$("$command" list --no-header --fields pid 2>/dev/null) ;;
		show) words=$("$command" list --no-header --fields pid 2>/dev/null; "$command" list devices --no-header --fields id 2>/dev/null) ;;
		suspend | resume) words=$("$command" list --no-header --fields pid 2>/dev/null; "$command" list queues --no-header --fields id 2>/dev/null) ;;
		esac
		case ${verb[0]} in
		"" | sim | trace | bench) ;;
		*) [[ $word == -* ]] && words=$(_gpreempt_options "$command" "${verb[0]}") ;;
		esac
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	[[ $word == gpu:* || $word == gp* ]] && declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$word"
}

complete -F _gpreempt gpreempt
