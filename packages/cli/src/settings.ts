/** Effective settings (L3): option, then environment variable, then config.json, then default. */
import { resolve } from 'node:path';
import {
  checkDataDirectory,
  type DataDirectory,
  dataDirectory,
  defaultDataDirectory,
} from '@tugdeck/local/data-directory';
import { type Configuration, configurationSchema, readConfiguration } from '@tugdeck/machine/configuration';
import { type CommandLine, OPTIONS, UsageError } from './command-line.ts';

export interface Settings {
  readonly data: DataDirectory;
  /** `config.json` merged with its overrides. */
  readonly configuration: Configuration;
}

export function readSettings(line: CommandLine, environment: NodeJS.ProcessEnv, from: string): Settings {
  const given = (name: string): string | undefined => {
    const variable = OPTIONS.find((option) => option.name === name)?.variable;
    return line.values[name] ?? ((variable && environment[variable]) || undefined);
  };
  const file = (path: string | undefined) => (path === undefined ? undefined : resolve(from, path));
  const typed = given('data-dir');
  const root = typed === undefined ? defaultDataDirectory(environment) : resolve(from, typed);
  const data = dataDirectory(root);
  checkDataDirectory(root);
  const stored = readConfiguration(data.config);
  const port = given('port');
  const overrides = {
    host: given('host'),
    name: given('name'),
    origin: given('origin'),
    tlsCert: file(given('tls-cert')),
    tlsKey: file(given('tls-key')),
    plainHttp: line.flags.has('plain-http') || isEnabled(environment.TUGDECK_PLAIN_HTTP) ? true : undefined,
    port: port === undefined ? undefined : parsePort(port),
    open: line.flags.has('no-open') || isEnabled(environment.TUGDECK_NO_OPEN) ? false : undefined,
    logLevel: given('log-level'),
    agent: given('agent'),
  };
  const chosen = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const parsed = configurationSchema.safeParse({ ...stored, ...Object.fromEntries(chosen) });
  if (parsed.success) return { data, configuration: parsed.data };
  const issue = parsed.error.issues[0];
  throw new UsageError(`${optionFor(String(issue?.path[0]))}: ${issue?.message ?? 'invalid value'}`);
}

function parsePort(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
}

function isEnabled(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

function optionFor(setting: string): string {
  const option = OPTIONS.find((one) => one.setting === setting);
  return option ? `--${option.name}` : setting;
}
