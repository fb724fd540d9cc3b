# fish completion for skinlint

function __skinlint_rules
    skinlint rules 2>/dev/null | string replace -rf '^([a-z0-9]+-[a-z0-9-]+)\s+\S+\s+(.*)' '$1\t$2'
end

function __skinlint_rule_names
    skinlint rules 2>/dev/null | string replace -rf '^([a-z0-9]+-[a-z0-9-]+)\s.*' '$1'
end

function __skinlint_params
    set -l typed (string split -m 1 . -- (commandline -ct))
    if test (count $typed) -gt 1
        set -l rule $typed[1]
        skinlint explain $rule 2>/dev/null | string replace -rf '^  ([a-z0-9_]+) = .*' "$rule.\$1="
    else
        printf '%s.\n' (__skinlint_rule_names)
    end
end

function __skinlint_levels
    for rule in (__skinlint_rule_names)
        printf "$rule=%s\n" error warning note off
    end
end

complete -c skinlint -s h -l help -d 'Print help'
complete -c skinlint -n __fish_use_subcommand -l version -d 'Print versions'
complete -c skinlint -n __fish_use_subcommand -f -a check -d 'Check files, folders and patterns'
complete -c skinlint -n __fish_use_subcommand -f -a inspect -d 'Show what a file holds'
complete -c skinlint -n __fish_use_subcommand -f -a trace -d 'How one vertex is skinned'
complete -c skinlint -n __fish_use_subcommand -f -a rules -d 'List the rules'
complete -c skinlint -n __fish_use_subcommand -f -a explain -d 'What a rule means'
complete -c skinlint -n __fish_use_subcommand -f -a config -d 'The effective configuration'
complete -c skinlint -n __fish_use_subcommand -f -a merge -d 'Join JSON reports'
complete -c skinlint -n __fish_use_subcommand -f -a pose -d 'Bend every joint'

set -l judging '__fish_seen_subcommand_from check config'
complete -c skinlint -n $judging -l config -r -d 'This configuration file for every file'
complete -c skinlint -n $judging -l profile -x -a 'default gltf unity unreal godot web film' -d 'Severities and limits for a target'
complete -c skinlint -n $judging -l select -x -a '(__fish_complete_list , __skinlint_rule_names)' -d 'Only these rules'
complete -c skinlint -n $judging -l ignore -x -a '(__fish_complete_list , __skinlint_rule_names)' -d 'All but these rules'
complete -c skinlint -n $judging -l set -x -a '(__skinlint_params)' -d 'Another limit'
complete -c skinlint -n $judging -l severity -x -a '(__skinlint_levels)' -d 'Report a rule as this level'
complete -c skinlint -n $judging -l fail-on -x -a 'error warning note never' -d 'Lowest level that makes the exit status 1'
complete -c skinlint -n $judging -l zero-weight -x -a 'reject fallback:' -d 'Vertices without weight'

set -l check '__fish_seen_subcommand_from check'
complete -c skinlint -n $check -l report -x -a 'text json= sarif= junit= github gitlab= html=' -d 'Report format and file'
complete -c skinlint -n $check -l reference -r -d 'A file whose skeleton all files must share'
complete -c skinlint -n $check -l baseline -r -d 'Known findings'
complete -c skinlint -n $check -l write-baseline -r -d 'Write the baseline of later runs'
complete -c skinlint -n $check -l jobs -x -d 'Files checked at once'
complete -c skinlint -n $check -l isolate -x -a 'auto always never' -d 'Check in worker processes'
complete -c skinlint -n $check -l timeout -x -d 'Seconds that one file may take'
complete -c skinlint -n $check -l memory-limit -x -d 'MiB that one worker may take'
complete -c skinlint -n $check -l cache -x -a '(__fish_complete_directories)' -d 'Folder for results'
complete -c skinlint -n $check -l shard -x -d 'Only the I-th of N parts of the files'
complete -c skinlint -n $check -l max-samples -x -d 'How many of the worst places are named'
complete -c skinlint -n $check -l second-opinion -d 'Compare with what Assimp sees'
complete -c skinlint -n $check -l allow-outside -d 'Follow references out of the folder'
complete -c skinlint -n $check -l allow-empty -d 'Nothing to check is no error'
complete -c skinlint -n $check -l quiet -d 'Findings alone'
complete -c skinlint -n $check -l no-progress -d 'No progress on standard error'
complete -c skinlint -n $check -l stats -d 'Files, bytes, time and rate on standard error'
complete -c skinlint -n $check -l color -x -a 'auto always never' -d 'Colours in the text report'

set -l inspect '__fish_seen_subcommand_from inspect'
complete -c skinlint -n $inspect -l json -d 'For programs'
complete -c skinlint -n $inspect -l space -x -a 'canonical file' -d 'Space of matrices and positions'
complete -c skinlint -n $inspect -l skin -x -d 'Only bindings of this skin'
complete -c skinlint -n $inspect -l joint -x -d 'Only joints of this name'
complete -c skinlint -n $inspect -l vertices -d 'Positions and weights as well'
complete -c skinlint -n $inspect -l convention -x -a 'column row unity' -d 'How matrices are printed'

set -l trace '__fish_seen_subcommand_from trace'
complete -c skinlint -n $trace -l vertex -x -a 'worst' -d 'Number of the vertex'
complete -c skinlint -n $trace -l near -x -d 'The vertex nearest to a place'
complete -c skinlint -n $trace -l binding -x -d 'Mesh node, skin or mesh'
complete -c skinlint -n $trace -l pose -x -a 'rest bind' -d 'Rest, bind or CLIP@SECONDS'
complete -c skinlint -n $trace -l camera -r -d 'Camera of the file, or a JSON file'
complete -c skinlint -n $trace -l zero-weight -x -a 'reject fallback:' -d 'Vertices without weight'
complete -c skinlint -n $trace -l json -d 'For programs'

set -l rules '__fish_seen_subcommand_from rules'
complete -c skinlint -n $rules -f
complete -c skinlint -n $rules -l json -d 'For programs'
complete -c skinlint -n $rules -l markdown -d 'The page of rules'
complete -c skinlint -n $rules -l profiles -d 'The page of profiles'

complete -c skinlint -n '__fish_seen_subcommand_from explain' -f -a '(__skinlint_rules)'

set -l config '__fish_seen_subcommand_from config'
complete -c skinlint -n $config -l default -d 'A configuration with every default'
complete -c skinlint -n $config -l schema -d 'JSON Schema of the configuration'

complete -c skinlint -n '__fish_seen_subcommand_from merge' -s o -l output -r -d 'Where the joined report goes'

set -l pose '__fish_seen_subcommand_from pose'
complete -c skinlint -n $pose -l json -d 'For programs'
complete -c skinlint -n $pose -l clips -d 'Keys of all clips as well'
complete -c skinlint -n $pose -l poses -r -d 'Poses from a JSON file'
complete -c skinlint -n $pose -l pose -x -a 'bind rest' -d 'Only this pose'
complete -c skinlint -n $pose -l binding -x -d 'Only this skinned mesh'
complete -c skinlint -n $pose -l method -x -a 'file linear dual-quaternion' -d 'How joints blend'
complete -c skinlint -n $pose -l positions -d 'Posed vertices as well'
complete -c skinlint -n $pose -l solve -r -d 'Find the pose that gives the vertices of this OBJ'
complete -c skinlint -n $pose -l tolerance -x -d 'Residual that counts as reached'
complete -c skinlint -n $pose -l ridge -x -d 'Least regularisation'
complete -c skinlint -n $pose -l bake -r -d 'Write the posed mesh'
complete -c skinlint -n $pose -l fail-on -x -a 'weight fault never' -d 'Which faults make the exit status 1'
