# SPDX-License-Identifier: MIT
# Completion of gpreempt for bash. The command says itself what may follow: gpreempt complete.

_gpreempt()
{
	local words=("${COMP_WORDS[@]:0:COMP_CWORD+1}") word=${COMP_WORDS[COMP_CWORD]} line

	# bash parts words at ':' and '=': "gpu:1" and "prio=5" are one.
	if declare -F _get_comp_words_by_ref >/dev/null; then
		local cword
		_get_comp_words_by_ref -n := -w words -i cword -c word
		words=("${words[@]:0:cword+1}")
	fi
	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files) compopt -o default; COMPREPLY+=($(compgen -f -- "$word")) ;;
		:commands) COMPREPLY+=($(compgen -c -- "$word")) ;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$word"
}

complete -F _gpreempt gpreempt
