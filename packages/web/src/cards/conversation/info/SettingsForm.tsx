import { type FormEvent, useId, useState } from 'react';
import { visibleText } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import { settingValue } from './setting-value.ts';
import { useControlRequest } from './use-control-request.ts';

const SOURCES = [
  ['local', 'This project, only for you'],
  ['project', 'This project, shared'],
  ['user', 'All your projects'],
] as const;

/** Changes an agent setting in one of the agent's own files, and shows the effective settings. */
export function SettingsForm() {
  const id = useId();
  const { request, isPending, fault } = useControlRequest();
  const [source, setSource] = useState('local');
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [done, setDone] = useState<string>();
  const [effective, setEffective] = useState<string>();
  const change = async (event: FormEvent) => {
    event.preventDefault();
    setDone(undefined);
    const answer = await request('settings.change', {
      source,
      settings: { [name.trim()]: settingValue(value) },
    });
    if (!answer) return;
    setDone(answer.text);
    if (effective !== undefined) await show();
  };
  const show = async () => setEffective((await request('settings'))?.text);
  return (
    <section aria-label="Agent settings">
      <h3>Agent settings</h3>
      <form className="info-settings" onSubmit={(event) => void change(event)}>
        <label htmlFor={`${id}-name`}>Setting</label>
        <input
          className="field"
          id={`${id}-name`}
          required
          maxLength={200}
          placeholder="outputStyle"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <label htmlFor={`${id}-value`}>Value</label>
        <input
          className="field"
          id={`${id}-value`}
          required
          placeholder="Text or JSON"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <label htmlFor={`${id}-source`}>For</label>
        <select
          className="field"
          id={`${id}-source`}
          value={source}
          onChange={(event) => setSource(event.target.value)}
        >
          {SOURCES.map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
        <span className="info-row">
          <Button type="submit" disabled={isPending || name.trim() === ''}>
            Change
          </Button>
          <Button look="link" disabled={isPending} onClick={() => void show()}>
            Show settings in effect
          </Button>
        </span>
      </form>
      {done ? <p role="status">{visibleText(done)}</p> : null}
      {fault ? (
        <p className="fault" role="alert">
          {visibleText(fault)}
        </p>
      ) : null}
      {effective === undefined ? null : <pre className="info-raw">{visibleText(effective)}</pre>}
    </section>
  );
}
