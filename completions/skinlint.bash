# bash completion for skinlint

_skinlint_rules() {
  skinlint rules 2>/dev/null | sed -n 's/^\([a-z0-9]*-[a-z0-9-]*\) .*/\1/p'
}

_skinlint_params() { # RULE
  skinlint explain "$1" 2>/dev/null | sed -n 's/^  \([a-z0-9_]*\) = .*/\1/p'
}

# What the options of `check` take; their names alone are further down.
_skinlint_value() { # OPTION, what is typed of its value, with = in it or not
  local cur=$2 words=() head=
  case $1 in
    --report)
      case $cur in
        *=*) head=${cur%%=*}= && compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -f -- "${cur#*=}") ;;
        *) words=(text json sarif junit github gitlab html) ;;
      esac ;;
    --profile) words=(default gltf unity unreal godot web film) ;;
    --select | --ignore)
      case $cur in *,*) head=${cur%,*}, ;; esac
      mapfile -t words < <(_skinlint_rules) ;;
    --set)
      case $cur in
        *=*) ;;
        *.*) head=${cur%%.*}. && compopt -o nospace 2>/dev/null
          mapfile -t words < <(_skinlint_params "${cur%%.*}")
          words=("${words[@]/%/=}") ;;
        *) compopt -o nospace 2>/dev/null
          mapfile -t words < <(_skinlint_rules)
          words=("${words[@]/%/.}") ;;
      esac ;;
    --severity)
      case $cur in
        *=*) head=${cur%%=*}= words=(error warning note off) ;;
        *) compopt -o nospace 2>/dev/null
          mapfile -t words < <(_skinlint_rules)
          words=("${words[@]/%/=}") ;;
      esac ;;
    --fail-on)
      words=(error warning note never)
      [[ ${COMP_WORDS[1]} == pose ]] && words=(weight fault never) ;;
    --method) words=(file linear dual-quaternion) ;;
    --pose) words=(bind rest) ;;
    --zero-weight) words=(reject fallback:) ;;
    --isolate | --color) words=(auto always never) ;;
    --space) words=(canonical file) ;;
    --convention) words=(column row unity) ;;
    --config | --reference | --baseline | --write-baseline | --output | -o | --poses | --solve | --bake)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return 0 ;;
    --cache)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      return 0 ;;
    --vertex) words=(worst) ;;
    --camera)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return 0 ;;
    --jobs | --timeout | --memory-limit | --shard | --max-samples | --skin | --joint | --near | --binding | \
      --tolerance | --ridge) return 0 ;;
    *) return 1 ;;
  esac
  if ((${#words[@]})); then
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "${cur#"$head"}")
  fi
  # Readline replaces what stands after the last "=" when that divides words, all of it otherwise.
  [[ $head == *= && $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$head}")
  return 0
}

_skinlint() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "check inspect trace rules explain config merge pose --help --version" -- "$cur")
    return
  fi
  # "json=out" comes as three words, because "=" divides words.
  if [[ $cur == = ]]; then
    _skinlint_value "${COMP_WORDS[COMP_CWORD - 2]}" "$prev=" && return
  elif [[ $prev == = ]] && ((COMP_CWORD > 3)); then
    _skinlint_value "${COMP_WORDS[COMP_CWORD - 3]}" "${COMP_WORDS[COMP_CWORD - 2]}=$cur" && return
  fi
  _skinlint_value "$prev" "$cur" && return

  local options=
  local judging="--config --profile --select --ignore --set --severity --fail-on --zero-weight"
  case $command in
    check)
      options="--help --report $judging --reference --baseline --write-baseline --jobs --isolate --timeout
        --memory-limit --cache --shard --max-samples --second-opinion --allow-outside --allow-empty --quiet --no-progress --stats
        --color" ;;
    inspect) options="--help --json --space --skin --joint --vertices --convention" ;;
    trace) options="--help --vertex --near --binding --pose --camera --zero-weight --json" ;;
    rules) options="--help --json --markdown --profiles" ;;
    explain) options="--help" ;;
    config) options="--help $judging --default --schema" ;;
    merge) options="--help --output" ;;
    pose)
      options="--help --json --clips --poses --pose --binding --method --positions --solve --tolerance --ridge --bake
        --fail-on" ;;
  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $command == explain ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_skinlint_rules)" -- "$cur")
  elif [[ $command != rules ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}

complete -F _skinlint skinlint
