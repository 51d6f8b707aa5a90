/** `tugdeck [COMMAND] --help`: prints the command-line table with defaults and variables (L3). */
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
    ...OPTIONS.flatMap((option) => describe(option)),
    '',
    'Run tugdeck COMMAND --help for help on one command.',
    'Exit codes: 0 success, 1 failed or not found, 2 usage error. send has more: tugdeck send --help.',
    '',
    'Precedence: option, then environment variable, then config.json in the data directory.',
    'In config.json, "agents" overrides an agent\'s command, args, env, model or mode,',
    '"maxTurns" limits how many agents work at once (16), "maxLiveHosts" how many run, and "timings" changes timeouts.',
    'All settings: docs/configuration.md.',
  ].join('\n');
}

export function commandHelp(command: CommandName): string {
  const { usage, text } = COMMANDS[command];
  return [
    `Usage: ${usage}`,
    '',
    `${text}.`,
    '',
    'Options:',
    ...optionsOf(command).flatMap((option) => describe(option, command)),
  ].join('\n');
}

function describe(option: Option, command?: CommandName): string[] {
  const { name, value, short, variable, setting, fallback } = option;
  const text = (command && option.texts?.[command]) ?? option.text;
  const spelling = `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
  const also = [
    fallback === undefined ? undefined : `default: ${fallback}`,
    variable === undefined ? undefined : `environment: ${variable}`,
    setting === undefined ? undefined : `config.json: "${setting}"`,
  ].filter((part) => part !== undefined);
  const first = `${spelling.padEnd(WIDTH)} ${text}`;
  const isRequired = command !== undefined && option.requiredBy === command;
  return also.length === 0 || isRequired ? [first] : [first, `${' '.repeat(WIDTH)} ${also.join('; ')}`];
}
