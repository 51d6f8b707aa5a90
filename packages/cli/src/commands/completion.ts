/**
 * `tugdeck completion bash|zsh|fish`: shell completion scripts, generated from the command-line table. Session ids
 * are looked up when needed.
 */
import { KNOWN_AGENTS } from '@tugdeck/agents/catalog';
import { LOG_LEVELS } from '@tugdeck/local/log';
import {
  COMMANDS,
  type CommandName,
  type CommandSpec,
  type Option,
  optionsOf,
  UsageError,
} from '../command-line.ts';
import type { Command } from './context.ts';

export const completion: Command = async ({ line, print }) => {
  const [shell] = line.arguments;
  const script = shell === undefined ? undefined : SHELLS[shell];
  if (!script) throw new UsageError('completion needs a shell: bash, zsh or fish');
  print(script());
  return 0;
};

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

const NAMES = Object.keys(COMMANDS) as CommandName[];
/** `start` is implicit. */
const WORDS = NAMES.filter((name) => name !== 'start');
const AGENTS = KNOWN_AGENTS.map(({ name }) => name);
/** Verbs after which a session id is completed. */
const SESSION_VERBS = 'show|export';

type ValueKind = 'directory' | 'file' | 'session' | 'nothing' | readonly string[];

/** What can follow an option that takes a value. */
function valueKind({ name }: Option): ValueKind {
  switch (name) {
    case 'agent':
      return AGENTS;
    case 'log-level':
      return LOG_LEVELS;
    case 'session':
      return 'session';
    case 'dir':
    case 'data-dir':
      return 'directory';
    case 'output':
    case 'tls-cert':
    case 'tls-key':
      return 'file';
    default:
      return 'nothing';
  }
}

function verbsOf(command: CommandName): readonly string[] {
  const words: CommandSpec = COMMANDS[command];
  return words.verbs ?? [];
}

function allOptions(): Option[] {
  return [
    ...new Map(NAMES.flatMap((name) => optionsOf(name)).map((option) => [option.name, option])).values(),
  ];
}

const IDS = "tugdeck sessions list 2>/dev/null | awk '$1 ~ /^[0-9a-f]+$/ {print $1}'";

function bash(): string {
  const values = allOptions()
    .filter(({ value }) => value !== undefined)
    .map((option) => `      --${option.name}) ${bashValues(valueKind(option))}; return;;`);
  const flags = NAMES.map(
    (name) =>
      `      ${name}) flags='${optionsOf(name)
        .map((option) => `--${option.name}`)
        .join(' ')}';;`,
  );
  const verbs = WORDS.filter((name) => verbsOf(name).length > 0).map(
    (name) => `      ${name}) COMPREPLY=($(compgen -W '${verbsOf(name).join(' ')}' -- "$word")); return;;`,
  );
  return `# Bash completion. For this shell only: source <(tugdeck completion bash)
# For all shells: tugdeck completion bash > ~/.local/share/bash-completion/completions/tugdeck
_tugdeck() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local command=start verb= flags= at skip=
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ -n $skip ]]; then skip=; continue; fi
    case "\${COMP_WORDS[at]}" in
      ${allOptions()
        .filter(({ value }) => value !== undefined)
        .map(({ name }) => `--${name}`)
        .join('|')}) skip=1;;
      -*) ;;
      ${WORDS.join('|')}) if [[ $command == start ]]; then command="\${COMP_WORDS[at]}"; else verb="\${COMP_WORDS[at]}"; fi;;
      *) verb="\${COMP_WORDS[at]}";;
    esac
  done
  COMPREPLY=()
  case "$before" in
${values.join('\n')}
  esac
  if [[ $word == -* ]]; then
    case "$command" in
${flags.join('\n')}
    esac
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
    return
  fi
  if [[ -z $verb ]]; then
    case "$command" in
      start) COMPREPLY=($(compgen -W '${WORDS.join(' ')}' -- "$word") $(compgen -d -- "$word")); compopt -o filenames 2>/dev/null; return;;
      replay) ${bashValues('file')}; return;;
${verbs.join('\n')}
    esac
  elif [[ $command == sessions && $verb =~ ^(${SESSION_VERBS})$ ]]; then
    ${bashValues('session')}
  fi
}
complete -F _tugdeck tugdeck`;
}

function bashValues(kind: ValueKind): string {
  if (kind === 'directory') return 'COMPREPLY=($(compgen -d -- "$word")); compopt -o filenames 2>/dev/null';
  if (kind === 'file') return 'COMPREPLY=($(compgen -f -- "$word")); compopt -o filenames 2>/dev/null';
  if (kind === 'session') return `COMPREPLY=($(compgen -W "$(${IDS})" -- "$word"))`;
  return kind === 'nothing' ? ':' : `COMPREPLY=($(compgen -W '${kind.join(' ')}' -- "$word"))`;
}

function zsh(): string {
  const perCommand = NAMES.map((name) => {
    const specs = optionsOf(name).map(zshOption);
    return `    ${name}) _arguments -s ${[...specs, ...zshPositionals(name)].join(' ')};;`;
  });
  return `#compdef tugdeck
# Zsh completion. For this shell only: source <(tugdeck completion zsh)
# For all shells: tugdeck completion zsh > _tugdeck, in a folder of your fpath
_tugdeck_sessions() {
  local -a ids
  ids=(\${(f)"$(${IDS})"})
  _describe session ids
}
_tugdeck() {
  local -a commands
  commands=(
${WORDS.map((name) => `    ${quoted(`${name}:${COMMANDS[name].text}`)}`).join('\n')}
  )
  local command=start at
  for at in {2..$((CURRENT - 1))}; do
    if (( at < CURRENT )) && [[ -n $words[at] ]] && (( \${+_tugdeck_words[$words[at]]} )); then command=$words[at]; break; fi
  done
  if [[ $command != start ]]; then words=("\${(@)words[at,-1]}"); (( CURRENT -= at - 1 )); fi
  case $command in
${perCommand.join('\n')}
  esac
}
_tugdeck_first() { _describe command commands; _files -/ }
typeset -gA _tugdeck_words
_tugdeck_words=(${WORDS.map((name) => `${name} 1`).join(' ')})
if [[ $funcstack[1] == _tugdeck ]]; then _tugdeck "$@"; else compdef _tugdeck tugdeck; fi`;
}

function zshOption(option: Option): string {
  const { name, value, text } = option;
  const about = `--${name}[${text.replaceAll(/[[\]]/g, '').replaceAll(':', '\\:')}]`;
  if (value === undefined) return quoted(about);
  return quoted(`${about}:${value.toLowerCase()}:${zshValues(valueKind(option))}`);
}

function zshValues(kind: ValueKind): string {
  if (kind === 'directory') return '_files -/';
  if (kind === 'file') return '_files';
  if (kind === 'session') return '_tugdeck_sessions';
  return kind === 'nothing' ? ' ' : `(${kind.join(' ')})`;
}

function zshPositionals(name: CommandName): string[] {
  const verbs = verbsOf(name);
  if (name === 'start') return [quoted('1:command:_tugdeck_first')];
  if (name === 'replay') return [quoted('1:file:_files')];
  if (verbs.length === 0) return [];
  const first = quoted(`1:what:(${verbs.join(' ')})`);
  return name === 'sessions' ? [first, quoted('2:session:_tugdeck_sessions')] : [first];
}

function fish(): string {
  const lines = [
    '# Fish completion. For this shell only: tugdeck completion fish | source',
    '# For all shells: tugdeck completion fish > ~/.config/fish/completions/tugdeck.fish',
    `set -l words ${WORDS.join(' ')}`,
    'complete -c tugdeck -n "not __fish_seen_subcommand_from $words" -f -a \'(__fish_complete_directories)\'',
    ...WORDS.map(
      (name) =>
        `complete -c tugdeck -n "not __fish_seen_subcommand_from $words" -f -a ${name} -d ${quoted(COMMANDS[name].text)}`,
    ),
    ...WORDS.flatMap((name) => [
      ...optionsOf(name).map((option) => fishOption(option, `__fish_seen_subcommand_from ${name}`)),
      ...verbsOf(name).map(
        (verb) =>
          `complete -c tugdeck -n "__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${verbsOf(name).join(' ')}" -f -a ${verb}`,
      ),
    ]),
    ...optionsOf('start').map((option) => fishOption(option, 'not __fish_seen_subcommand_from $words')),
    `complete -c tugdeck -n "__fish_seen_subcommand_from ${SESSION_VERBS.replace('|', ' ')}" -f -a ${quoted(`(${fishIds()})`)}`,
  ];
  return lines.join('\n');
}

function fishOption(option: Option, when: string): string {
  const { name, value, short, text } = option;
  const head = `complete -c tugdeck -n "${when}" -l ${name}${short ? ` -s ${short}` : ''} -d ${quoted(text)}`;
  if (value === undefined) return `${head} -f`;
  const kind = valueKind(option);
  if (kind === 'file') return `${head} -r -F`;
  if (kind === 'directory') return `${head} -x -a '(__fish_complete_directories)'`;
  if (kind === 'session') return `${head} -x -a ${quoted(`(${fishIds()})`)}`;
  return kind === 'nothing' ? `${head} -x` : `${head} -x -a ${quoted(kind.join(' '))}`;
}

function fishIds(): string {
  return 'tugdeck sessions list 2>/dev/null | string match -r "^[0-9a-f]+"';
}

/** Quoting for all three shells: inside single quotes only the closing quote is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
