import type { FocusEvent } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { useReadable } from '../../kit/use-readable.ts';
import type { ChangeProps } from './AgentSettings.tsx';
import { SettingRow } from './SettingRow.tsx';

const LIMITS = [
  { name: 'maxTurns', limit: 'turns', label: 'Agents working at once', hint: 'Further messages are queued' },
  {
    name: 'maxLiveHosts',
    limit: 'agents',
    label: 'Agent processes',
    hint: 'About 250 MB each. The longest idle one ends first and resumes with the next message',
  },
] as const;

/** The two limits (D40, D41). An empty field means the default. */
export function SlotSettings({ settings, act }: ChangeProps) {
  const limits = useReadable(useClient().deck)?.limits;
  if (!limits) return null;
  return (
    <>
      {LIMITS.map(({ name, limit, label, hint }) => {
        const own = settings.values?.[name];
        const save = ({ target }: FocusEvent<HTMLInputElement>) => {
          if (!target.validity.valid || target.value === target.defaultValue) return;
          const value = target.value === '' ? null : Number(target.value);
          void act((area) => area.call('set', { path: [name], value }));
        };
        return (
          <SettingRow key={name} label={label} hint={hint}>
            <input
              className="field settings-number"
              aria-label={label}
              type="number"
              min={1}
              max={100}
              key={String(own)}
              defaultValue={typeof own === 'number' ? own : ''}
              placeholder={String(limits[limit])}
              disabled={settings.stronger.includes(name)}
              onBlur={save}
            />
          </SettingRow>
        );
      })}
    </>
  );
}
