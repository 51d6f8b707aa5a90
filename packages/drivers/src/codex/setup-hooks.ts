/**
 * Codex runs a hook only after its user has trusted it, and stores the hash of the trusted hook in `config.toml`. The
 * hash is computed as Codex does (measured with `hooks/list` of 0.166). Pure.
 */
import { createHash } from 'node:crypto';
import { type Fields, fieldsOf, textOf } from '../kit/setup/forms.ts';
import { at, parseJsonc } from '../kit/setup/json-edit.ts';
import type { SwitchedItem, SwitchFile } from '../kit/setup/setup.ts';
import { parseToml, removeTomlTable, setTomlKeys } from '../kit/setup/toml-edit.ts';

const TIMEOUT_S = 600;
const END_TIMEOUT_S = 1;
/** Codex ignores the matcher of these. */
const WITHOUT_MATCHER: readonly string[] = ['user_prompt_submit', 'stop'];

export const hookTrust: SwitchFile = {
  path: '.codex/config.toml',
  variable: { name: 'CODEX_HOME', path: 'config.toml' },
  isOn(text, item) {
    const { key, hash } = identify(item);
    const state = fieldsOf(at(parseToml(text), ['hooks', 'state', key]));
    return state.trusted_hash === hash && state.enabled !== false;
  },
  switch(text, item, on) {
    const { key, hash } = identify(item);
    const path = ['hooks', 'state', key];
    return on
      ? setTomlKeys(text, path, { trusted_hash: hash, enabled: undefined })
      : removeTomlTable(text, path);
  },
};

function identify({ key, file, text }: SwitchedItem): { key: string; hash: string } {
  const [event = '', groupAt = 0, hookAt = 0] = JSON.parse(key) as [string, number, number];
  const name = event.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  const group = fieldsOf(at(parseJsonc(text), ['hooks', event, groupAt]));
  const hook = fieldsOf(at(group, ['hooks', hookAt]));
  if (textOf(hook.command) === undefined) throw new SyntaxError("this hook isn't in the file");
  const matcher = WITHOUT_MATCHER.includes(name) ? undefined : textOf(group.matcher);
  // Keys in alphabetical order.
  const identity = {
    event_name: name,
    hooks: [handler(hook, name)],
    ...(matcher === undefined ? {} : { matcher }),
  };
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return { key: `${file}:${name}:${groupAt}:${hookAt}`, hash: `sha256:${hash}` };
}

function handler({ async, command, statusMessage, timeout }: Fields, event: string): Fields {
  const message = textOf(statusMessage);
  return {
    async: async === true,
    command,
    ...(message === undefined ? {} : { statusMessage: message }),
    timeout: typeof timeout === 'number' ? timeout : event === 'session_end' ? END_TIMEOUT_S : TIMEOUT_S,
    type: 'command',
  };
}
