import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import type { ChangeProps } from './AgentSettings.tsx';

/** The configuration file itself, for settings without a field: servers, directories, projects, times. */
export function ConfigurationFile({ settings, act }: ChangeProps) {
  const [draft, setDraft] = useState<{ text: string; was: string }>();
  const isStale = draft !== undefined && draft.was !== settings.text;
  const save = async () => {
    if (draft && (await act((area) => area.call('write', draft)))) setDraft(undefined);
  };
  return (
    <>
      <p>
        <code>{settings.file}</code>
        {settings.stronger.length > 0 ? (
          <span className="settings-quiet">
            {' '}
            Set by the command line or environment: {settings.stronger.join(', ')}
          </span>
        ) : null}
      </p>
      {settings.problem ? (
        <p className="fault" role="alert">
          {settings.problem}
        </p>
      ) : null}
      <textarea
        className="field mono settings-file"
        aria-label="Configuration"
        rows={Math.min(20, Math.max(6, (draft?.text ?? settings.text).split('\n').length + 1))}
        spellCheck={false}
        value={draft?.text ?? settings.text}
        onChange={(event) => setDraft({ text: event.target.value, was: draft?.was ?? settings.text })}
      />
      {isStale ? (
        <p className="fault" role="alert">
          The file changed on disk. Copy what you need, then discard your edits to reload it.
        </p>
      ) : null}
      {draft ? (
        <div className="dialog-actions">
          <Button onClick={() => setDraft(undefined)}>Discard</Button>
          <Button look="primary" disabled={isStale} onClick={() => void save()}>
            Save
          </Button>
        </div>
      ) : null}
    </>
  );
}
