import { accounts } from '@tugdeck/protocol/areas/accounts';
import type { settings } from '@tugdeck/protocol/areas/settings';
import type { Settings } from '@tugdeck/protocol/settings/settings-messages';
import type { AgentChoice } from '@tugdeck/protocol/wire/deck';
import { type FormEvent, useState } from 'react';
import { z } from 'zod';
import { useClient } from '../../kit/client-context.tsx';
import { machineOf } from '../../kit/machines.ts';
import { type UsedArea, useArea } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { AccountLine } from './AccountLine.tsx';

export interface ChangeProps {
  settings: Settings;
  act: UsedArea<typeof settings>['act'];
}

interface AgentSettingsProps extends ChangeProps {
  project: string | undefined;
  /** Another machine. */
  machine: string | undefined;
}

export function AgentSettings({ settings, act, project, machine }: AgentSettingsProps) {
  const deck = useReadable(useClient().deck);
  const [open, setOpen] = useState<string>();
  const accountsArea = useArea(accounts, { machine });
  if (!deck) return null;
  const { agents, defaultAgent } = machineOf(deck, { machine }) ?? deck;
  const own = deck.projects.filter((one) => machineOf(deck, one)?.id === machine);
  const isFixed = settings.stronger.includes('agent');
  return (
    <ul className="settings-agents">
      {agents.map((agent) => (
        <li key={agent.name}>
          <div className="settings-agent">
            <label className="settings-check">
              <input
                type="radio"
                name="default-agent"
                disabled={isFixed || !agent.installed}
                checked={defaultAgent === agent.name}
                onChange={() => void act((area) => area.call('set', { path: ['agent'], value: agent.name }))}
              />
              <span>{visibleText(agent.label)}</span>
            </label>
            <span className="settings-quiet truncate" title={agent.detail}>
              {visibleText(agent.detail)}
            </span>
            <Button
              look="quiet"
              aria-expanded={open === agent.name}
              onClick={() => setOpen(open === agent.name ? undefined : agent.name)}
            >
              Change
            </Button>
          </div>
          <AccountLine
            account={accountsArea.state?.accounts.find((one) => one.agent === agent.name)}
            project={own.find(({ id }) => id === project)?.id ?? own[0]?.id}
            act={accountsArea.act}
          />
          {open === agent.name ? (
            <AgentForm agent={agent} settings={settings} act={act} onDone={() => setOpen(undefined)} />
          ) : null}
        </li>
      ))}
      {accountsArea.fault ? (
        <li className="fault" role="alert">
          {accountsArea.fault}
        </li>
      ) : null}
      {isFixed ? (
        <li className="settings-quiet">The default agent was set when Tugdeck was started</li>
      ) : null}
    </ul>
  );
}

function AgentForm({
  agent,
  settings,
  act,
  onDone,
}: ChangeProps & { agent: AgentChoice; onDone: () => void }) {
  const values = agentValues(settings.values, agent.name);
  const [problem, setProblem] = useState<string>();
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const env = parseVariables(text('env'));
    if (!env) {
      setProblem('Use one NAME=value per line');
      return;
    }
    const entries = { command: text('command'), model: text('model'), mode: text('mode') };
    const kept = agentsOf(settings)[agent.name] ?? {};
    const next: Record<string, unknown> = { ...kept, env: Object.keys(env).length > 0 ? env : undefined };
    for (const [name, value] of Object.entries(entries)) next[name] = value === '' ? undefined : value;
    const isEmpty = Object.values(next).every((value) => value === undefined);
    const value = isEmpty ? null : next;
    if (await act((area) => area.call('set', { path: ['agents', agent.name], value }))) onDone();
  };
  return (
    <form className="settings-form" onSubmit={save}>
      <Field label="Command" name="command" value={values.command} hint="Leave empty to find it on PATH" />
      <Field label="Default model" name="model" value={values.model} hint="The agent’s default" />
      <Field label="Default mode" name="mode" value={values.mode} hint="The agent’s default" />
      <label className="field-label">
        <span>Environment</span>
        <textarea
          className="field mono"
          name="env"
          rows={3}
          defaultValue={writeVariables(values.env)}
          placeholder="NAME=value"
          spellCheck={false}
        />
      </label>
      {problem ? (
        <p className="fault" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="dialog-actions">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary">
          Save
        </Button>
      </div>
    </form>
  );
}

function agentsOf({ values }: Settings): Record<string, Record<string, unknown>> {
  return (values?.agents ?? {}) as Record<string, Record<string, unknown>>;
}

interface FieldProps {
  label: string;
  name: string;
  value: string | undefined;
  hint: string;
}

function Field({ label, name, value, hint }: FieldProps) {
  return (
    <label className="field-label">
      <span>{label}</span>
      <input
        className="field mono"
        name={name}
        defaultValue={value ?? ''}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
      />
    </label>
  );
}

const agentValuesSchema = z.object({
  command: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
type AgentValues = z.infer<typeof agentValuesSchema>;

/** The editable values of an agent in the configuration file. */
function agentValues(values: Readonly<Record<string, unknown>> | undefined, name: string): AgentValues {
  const agents = z.record(z.string(), z.unknown()).safeParse(values?.agents).data ?? {};
  return agentValuesSchema.safeParse(agents[name]).data ?? {};
}

/** One `NAME=value` per line; a line without `=` is invalid. */
function parseVariables(text: string): Record<string, string> | undefined {
  const pairs = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

function writeVariables(env: AgentValues['env']): string {
  return Object.entries(env ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}
