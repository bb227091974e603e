#!/bin/sh
# What a real shell completes a command line to, one candidate per line.
# usage: complete.sh bash|zsh|fish SHARE LINE
set -eu
shell=$1 share=$2 line=$3
case $shell in
  bash)
    exec bash --norc -c '
      source "$1"/bash-completion/completions/sluice
      read -ra COMP_WORDS <<<"$2"
      case $2 in *" ") COMP_WORDS+=("") ;; esac
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _sluice
      printf "%s\n" "${COMPREPLY[@]}"' bash "$share" "$line"
    ;;
  fish)
    exec fish --no-config -c 'source $argv[1]/fish/vendor_completions.d/sluice.fish; complete -C $argv[2] | cut -f 1' \
      "$share" "$line"
    ;;
  zsh)
    # A terminal of its own: zsh completes nowhere else. The list is what it shows for a key.
    exec zsh -f -c '
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "PS1=; fpath=(${(q)1}/zsh/{site-functions,vendor-completions} \$fpath); autoload -U compinit; compinit -D -u; compdef _sluice sluice"
      zpty -w z "compadd() { builtin compadd -O found \"\$@\" 2>/dev/null; print -rl -- \$found; builtin compadd \"\$@\" }"
      zpty -w z "complete_and_stop() { zle complete-word; print; print END_OF_LIST; }; zle -N complete_and_stop; bindkey \"^X\" complete_and_stop"
      zpty -w z "print READY"
      while zpty -r z text; do [[ $text != READY* ]] || break; done
      zpty -n -w z "$2"$(printf "\030")
      while zpty -r z text; do
        text=${${text//$(printf "\r")/}%%$(printf "\n")}
        [[ $text != END_OF_LIST* ]] || break
        print -r -- $text
      done
      zpty -d z' zsh "$share" "$line"
    ;;
esac
