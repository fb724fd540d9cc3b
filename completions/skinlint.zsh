#compdef skinlint
# zsh completion for skinlint

_skinlint_rules() {
  local -a rules
  rules=(${(f)"$(_call_program rules skinlint rules 2>/dev/null | sed -n 's/^\([a-z0-9]*-[a-z0-9-]*\) .*/\1/p')"})
  compadd "$@" -a rules
}

_skinlint_rule_list() {
  _sequence _skinlint_rules
}

_skinlint_levels() {
  if compset -P '*='; then
    compadd error warning note off
  else
    _skinlint_rules -S =
  fi
}

_skinlint_params() {
  local -a params
  local rule
  if compset -P '*='; then
    _message 'value'
  elif [[ $PREFIX == *.* ]]; then
    rule=${PREFIX%%.*}
    compset -P '*.'
    params=(${(f)"$(_call_program params skinlint explain $rule 2>/dev/null | sed -n 's/^  \([a-z0-9_]*\) = .*/\1/p')"})
    compadd -S = -a params
  else
    _skinlint_rules -S .
  fi
}

_skinlint_reports() {
  if compset -P '*='; then
    _files
  else
    compadd -S '' text json sarif junit github gitlab html
  fi
}

_skinlint() {
  local curcontext=$curcontext state line
  local -a judging
  judging=(
    '--config[this configuration file for every file]:file:_files'
    '--profile[severities and limits for a target]:profile:(default gltf unity unreal godot web film)'
    '*--select[only these rules]:rules:_skinlint_rule_list'
    '*--ignore[all but these rules]:rules:_skinlint_rule_list'
    '*--set[another limit]:RULE.PARAM=VALUE:_skinlint_params'
    '*--severity[report a rule as this level]:RULE=LEVEL:_skinlint_levels'
    '--fail-on[lowest level that makes the exit status 1]:level:(error warning note never)'
    '--zero-weight[vertices without weight]:policy:(reject fallback\:)'
  )
  _arguments -C \
    '(- *)'{-h,--help}'[print help]' \
    '(- *)--version[print versions]' \
    '1:command:((check\:"check files, folders and patterns" inspect\:"show what a file holds" trace\:"how one vertex is skinned" rules\:"list the rules" explain\:"what a rule means" config\:"the effective configuration" merge\:"join JSON reports" pose\:"bend every joint"))' \
    '*::argument:->arguments'
  [[ $state == arguments ]] || return
  case $line[1] in
    check)
      _arguments '(- *)'{-h,--help}'[print help]' $judging \
        '*--report[report format and file]:FORMAT[=FILE]:_skinlint_reports' \
        '--reference[a file whose skeleton all files must share]:file:_files' \
        '--baseline[known findings]:file:_files' \
        '--write-baseline[write the baseline of later runs]:file:_files' \
        '--jobs[files checked at once]:number:' \
        '--isolate[check in worker processes]:when:(auto always never)' \
        '--timeout[seconds that one file may take]:seconds:' \
        '--memory-limit[MiB that one worker may take]:MiB:' \
        '--cache[folder for results]:folder:_files -/' \
        '--shard[only one part of the files]:I/N:' \
        '--max-samples[how many of the worst places are named]:number:' \
        '--second-opinion[compare with what Assimp sees]' \
        '--allow-outside[follow references out of the folder]' \
        '--allow-empty[nothing to check is no error]' \
        '--quiet[findings alone]' \
        '--no-progress[no progress on standard error]' \
        '--stats[files, bytes, time and rate on standard error]' \
        '--color[colours in the text report]:when:(auto always never)' \
        '*:file:_files' ;;
    inspect)
      _arguments '(- *)'{-h,--help}'[print help]' \
        '--json[for programs]' \
        '--space[space of matrices and positions]:space:(canonical file)' \
        '--skin[only bindings of this skin]:name:' \
        '--joint[only joints of this name]:name:' \
        '--vertices[positions and weights as well]' \
        '--convention[how matrices are printed]:convention:(column row unity)' \
        '1:file:_files' ;;
    trace)
      _arguments '(- *)'{-h,--help}'[print help]' \
        '(--near)--vertex[number of the vertex]:vertex:(worst)' \
        '(--vertex)--near[the vertex nearest to a place]:X,Y,Z:' \
        '--binding[mesh node, skin or mesh]:name:' \
        '--pose[rest, bind or CLIP@SECONDS]:pose:(rest bind)' \
        '--camera[camera of the file, or a JSON file]:camera:_files' \
        '--zero-weight[vertices without weight]:policy:(reject fallback\:)' \
        '--json[for programs]' \
        '1:file:_files' ;;
    rules)
      _arguments '(- *)'{-h,--help}'[print help]' \
        '(--markdown --profiles)--json[for programs]' \
        '(--json --profiles)--markdown[the page of rules]' \
        '(--json --markdown)--profiles[the page of profiles]' ;;
    explain) _arguments '(- *)'{-h,--help}'[print help]' '1:rule:_skinlint_rules' ;;
    config)
      _arguments '(- *)'{-h,--help}'[print help]' $judging \
        '(--schema)--default[a configuration with every default]' \
        '(--default)--schema[JSON Schema of the configuration]' \
        '1:path:_files' ;;
    merge)
      _arguments '(- *)'{-h,--help}'[print help]' \
        '(-o --output)'{-o,--output}'[where the joined report goes]:file:_files' \
        '*:report:_files' ;;
    pose)
      _arguments '(- *)'{-h,--help}'[print help]' \
        '--json[for programs]' \
        '--clips[the keys of all clips as well]' \
        '--poses[poses from a JSON file]:file:_files' \
        '*--pose[only this pose]:pose:(bind rest)' \
        '--binding[only this skinned mesh]:name:' \
        '--method[how joints blend]:method:(file linear dual-quaternion)' \
        '--positions[posed vertices as well]' \
        '--solve[find the pose that gives the vertices of this OBJ]:file:_files' \
        '--tolerance[residual that counts as reached]:number:' \
        '--ridge[least regularisation]:number:' \
        '--bake[write the posed mesh]:file:_files' \
        '--fail-on[which faults make the exit status 1]:level:(weight fault never)' \
        '1:file:_files' ;;
  esac
}

if [[ $funcstack[1] == _skinlint ]]; then
  _skinlint "$@"
else
  compdef _skinlint skinlint
fi
