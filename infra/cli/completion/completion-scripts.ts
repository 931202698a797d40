/**
 * Scripts that complete commands, options and their values. Names of resources come from a file of the sign-in and organization that the
 * line is about. If it is older than a minute, a process in the background writes it again. The shell waits 0.2 s for that; then it
 * takes the old file, unless that is older than ten minutes.
 */
import type { TreeNode, TreeOption } from './command-tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export const completionScript = (shell: Shell, tree: readonly TreeNode[]): string =>
  ({ bash: bashScript, zsh: zshScript, fish: fishScript })[shell](tree);

const wordsOf = ({ commands, options, values }: TreeNode): readonly string[] => [
  ...commands.map(({ name }) => name),
  ...values,
  ...options.flatMap(({ flags }) => flags),
];

/** `case` arms that turn a word, or its alias, into the canonical path. */
const stepArms = (tree: readonly TreeNode[]): readonly string[] =>
  tree.flatMap(({ path, commands }) =>
    commands.map(({ name, aliases }) => {
      const prefix = path === '' ? '' : `${path} `;
      return `      ${[name, ...aliases].map((word) => `'${prefix}${word}'`).join('|')}) at='${prefix}${name}' ;;`;
    }),
  );

const choiceArms = (tree: readonly TreeNode[], print: (choices: readonly string[]) => string): readonly string[] =>
  tree.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flags, choices }) => `    ${flags.map((flag) => `'${path} ${flag}'`).join('|')}) ${print(choices)}; return ;;`),
  );

const valueFlags = (tree: readonly TreeNode[]): readonly string[] => [
  ...new Set(tree.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags))),
];

/** `case` arms for options that name a resource. */
const kindArms = (tree: readonly TreeNode[], print: (kind: string) => string): readonly string[] =>
  tree.flatMap(({ path, options }) =>
    options.flatMap(({ flags, kind }) =>
      kind === undefined ? [] : [`    ${flags.map((flag) => `'${path} ${flag}'`).join('|')}) ${print(kind)}; return ;;`],
    ),
  );

/** For bash and zsh alike. Kind, and the words of the line before the current one. */
const valuesFunction = `_bms_values() {
  local kind="$1" word name='' file n
  local -a scope
  scope=()
  shift
  for word in "$@"; do
    [ "$word" = '=' ] && continue
    if [ -n "$name" ]; then scope+=("$name=$word"); name=''; continue; fi
    case "$word" in
      --profile|--url|--organization) name="$word" ;;
      --profile=*|--url=*|--organization=*) scope+=("$word") ;;
    esac
  done
  file="$(printf '%s\\n' "\${scope[@]}" "$BMS_PROFILE" "$BMS_URL" "$BMS_ORGANIZATION" "$BMS_API_KEY" "$BMS_TOKEN" | cksum)"
  file="\${XDG_CACHE_HOME:-$HOME/.cache}/bms/values/$kind.\${file%% *}"
  if [ -z "$(find "$file" -mmin -1 2>/dev/null)" ]; then
    ( bms __complete "$kind" "\${file##*/}" "\${scope[@]}" </dev/null >/dev/null 2>&1 & )
    for n in 1 2 3 4; do
      sleep 0.05
      [ -n "$(find "$file" -mmin -1 2>/dev/null)" ] && break
    done
    [ -n "$(find "$file" -mmin -10 2>/dev/null)" ] || return 0
  fi
  cat "$file" 2>/dev/null
}`;

const bashScript = (tree: readonly TreeNode[]): string => `# bash completion of bms: source <(bms completion bash)
${valuesFunction}
_bms() {
  local at='' word words='' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
${stepArms(tree).join('\n')}
    esac
  done
  COMPREPLY=()
  case "$at $previous" in
${choiceArms(tree, (choices) => `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current"))`).join('\n')}
${kindArms(tree, (kind) => `COMPREPLY=($(compgen -W "$(_bms_values ${kind} "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "$current"))`).join('\n')}
  esac
  case "$previous" in
    ${valueFlags(tree).join('|')}) return ;;
  esac
  case "$at" in
${tree.map((node) => `    '${node.path}') words='${wordsOf(node).join(' ')}'${node.kind ? `; [[ $current == -* ]] || words="$(_bms_values ${node.kind} "\${COMP_WORDS[@]:1:COMP_CWORD-1}")"` : ''} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _bms bms
`;

const zshScript = (tree: readonly TreeNode[]): string => `#compdef bms
# zsh completion of bms: source <(bms completion zsh)
${valuesFunction}
_bms() {
  local at='' word previous="\${words[CURRENT-1]}"
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
${stepArms(tree).join('\n')}
    esac
  done
  case "$at $previous" in
${choiceArms(tree, (choices) => `compadd -- ${choices.join(' ')}`).join('\n')}
${kindArms(tree, (kind) => `compadd -- \${(f)"$(_bms_values ${kind} "\${(@)words[2,CURRENT-1]}")"}`).join('\n')}
  esac
  case "$previous" in
    ${valueFlags(tree).join('|')}) _files; return ;;
  esac
  case "$at" in
${tree.map((node) => `    '${node.path}') found=(${described(node).join(' ')})${node.kind ? `; [[ "\${words[CURRENT]}" == -* ]] || { compadd -- \${(f)"$(_bms_values ${node.kind} "\${(@)words[2,CURRENT-1]}")"}; return }` : ''} ;;`).join('\n')}
  esac
  _describe 'bms' found
}
compdef _bms bms
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** \`word:summary\`; colons of a word are escaped. */
const described = ({ commands, options, values }: TreeNode): readonly string[] => [
  ...values.map(quoted),
  ...commands.map(({ name, summary }) => quoted(`${name}:${summary}`)),
  ...options.flatMap(({ flags, summary }) => flags.map((flag) => quoted(`${flag}:${summary}`))),
];

const fishScript = (tree: readonly TreeNode[]): string => `# fish completion of bms: bms completion fish | source
function __bms_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$at $word")
${stepArms(tree)
  .map((arm) =>
    arm
      .trim()
      .replace(
        /^(.*)\) at=(.*) ;;$/,
        (_, names: string, at: string) => `      case ${names.replaceAll('|', ' ')}\n        set at ${at}`,
      ),
  )
  .join('\n')}
    end
  end
  test "$at" = "$argv[1]"
end
function __bms_values
  set -l kind $argv[1]
  set -l name ''
  set -l scope
  for word in (commandline -opc)[2..-1]
    if test -n "$name"
      set -a scope "$name=$word"
      set name ''
      continue
    end
    switch $word
      case --profile --url --organization
        set name $word
      case '--profile=*' '--url=*' '--organization=*'
        set -a scope $word
    end
  end
  set -l cache "$XDG_CACHE_HOME"
  test -n "$cache"; or set cache "$HOME/.cache"
  set -l sum (printf '%s\\n' $scope "$BMS_PROFILE" "$BMS_URL" "$BMS_ORGANIZATION" "$BMS_API_KEY" "$BMS_TOKEN" | cksum | string split ' ')
  set -l file "$cache/bms/values/$kind.$sum[1]"
  if test -z "$(find $file -mmin -1 2>/dev/null)"
    command bms __complete $kind $kind.$sum[1] $scope </dev/null >/dev/null 2>&1 &
    disown 2>/dev/null
    for n in 1 2 3 4
      sleep 0.05
      test -n "$(find $file -mmin -1 2>/dev/null)"; and break
    end
    test -n "$(find $file -mmin -10 2>/dev/null)"; or return 0
  end
  cat $file 2>/dev/null
end
complete -c bms -f
${tree.flatMap(fishLines).join('\n')}
`;

const fishLines = ({ path, commands, options, values, kind }: TreeNode): readonly string[] => {
  const condition = `complete -c bms -n ${quoted(`__bms_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ name, summary }) => `${condition} -a ${name} -d ${quoted(summary)}`),
    ...values.map((value) => `${condition} -a ${value}`),
    ...(kind ? [`${condition} -a ${quoted(`(__bms_values ${kind})`)}`] : []),
    ...options.map((option) => `${condition} ${fishOption(option)}`),
  ];
};

const fishOption = ({ flags, summary, choices, takesValue, kind }: TreeOption): string =>
  [
    ...flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
    ...(takesValue ? ['-r'] : []),
    ...(choices.length > 0
      ? [`-a ${quoted(choices.join(' '))}`]
      : kind
        ? [`-a ${quoted(`(__bms_values ${kind})`)}`]
        : takesValue
          ? ['-F']
          : []),
    `-d ${quoted(summary)}`,
  ].join(' ');
