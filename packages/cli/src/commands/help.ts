/** `tugdeck [COMMAND] --help`: everything the table of the command line knows, with defaults and variables (L3). */
import { COMMANDS, type CommandName, OPTIONS, type Option, optionsOf } from '../command-line.ts';

const WIDTH = 24;

export function helpText(): string {
  const commands = Object.values(COMMANDS).map(({ usage, text }) => `  ${usage}\n      ${text}`);
  return [
    'Tugdeck: a local workbench for coding agents.',
    '',
    'Usage:',
    ...commands,
    '',
    'Options:',
    ...OPTIONS.flatMap(describe),
    '',
    'tugdeck COMMAND --help tells of one command alone.',
    'Exit codes: 0 done, 1 could not or not found, 2 asked wrongly; send has more.',
    '',
    'An option is stronger than its environment variable, which is stronger than its line in config.json',
    'in the data directory. There, "agents" gives an agent another command, args, env, model or mode,',
    '"maxLiveHosts" says how many sessions may run at once (8), and "timings" holds every duration.',
  ].join('\n');
}

export function commandHelp(command: CommandName): string {
  const { usage, text } = COMMANDS[command];
  return [`Usage: ${usage}`, '', `${text}.`, '', 'Options:', ...optionsOf(command).flatMap(describe)].join(
    '\n',
  );
}

function describe(option: Option): string[] {
  const { name, value, short, variable, setting, fallback, text } = option;
  const spelling = `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
  const also = [
    fallback === undefined ? undefined : `default: ${fallback}`,
    variable === undefined ? undefined : `environment: ${variable}`,
    setting === undefined ? undefined : `config.json: "${setting}"`,
  ].filter((part) => part !== undefined);
  const first = `${spelling.padEnd(WIDTH)} ${text}`;
  return also.length === 0 ? [first] : [first, `${' '.repeat(WIDTH)} ${also.join('; ')}`];
}
