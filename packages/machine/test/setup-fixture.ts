// A home with a project, and the agent setup area opened on them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentSetupState, SetupChange, SetupPreview } from '@tugdeck/protocol/areas/agent-setup';
import { afterEach, beforeEach } from 'vitest';
import { serveSetup } from '../src/setup/setup-area.ts';

export let home: string;
export let project: string;
export let changed: unknown[];
let close: (() => void)[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tugdeck-setup-'));
  project = join(home, 'work', 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  changed = [];
  close = [];
});
afterEach(() => {
  for (const end of close) end();
  rmSync(home, { recursive: true, force: true });
});

export function put(path: string, content: string | Uint8Array): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}
export const inProject = (path: string, content: string) => put(join('work/project', path), content);
export const read = (path: string) => readFileSync(join(home, path), 'utf8');

export const NAMES = ['claude', 'codex', 'gemini', 'opencode'];

export function open(environment: Record<string, string> = {}, folder = project) {
  const states: AgentSetupState[] = [];
  const area = serveSetup({
    reading: () => ({
      agents: NAMES.map((name) => ({ name, label: name })),
      home,
      environment,
      project: folder,
      live: (agent) => (agent === 'claude' ? [{ name: 'notes', status: 'connected' }] : []),
    }),
    trust: () => 'no',
    changed: (...args) => changed.push(args),
  }).open(
    { project: 'p' },
    {
      push: (message) => states.push((message as { state: AgentSetupState }).state),
      bytes: () => undefined,
      signIn: 'x',
    },
  );
  close.push(() => area.close());
  const call = <T>(type: string, input: object = {}) => area.call({ type, ...input }) as Promise<T>;
  const apply = async (change: SetupChange) => {
    const preview = await call<SetupPreview>('preview', { change });
    await call('apply', { change, hash: preview.hash });
    return preview;
  };
  const items = async (agent: string, kind: string) => {
    const { agents } = await call<AgentSetupState>('read');
    return agents.find((one) => one.agent === agent)?.kinds.find((one) => one.kind === kind)?.items ?? [];
  };
  return { states, call, apply, items };
}

export const server = (command: string, ...args: string[]) => ({
  type: 'server' as const,
  command,
  args,
  variables: {},
});
export const set = (agent: string, place: string, more: object): SetupChange =>
  ({ type: 'set', agent, place, content: null, ...more }) as SetupChange;
