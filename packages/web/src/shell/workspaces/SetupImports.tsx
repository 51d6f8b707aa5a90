/** Setup files that the project has for other tools (B18): their commands are shown, then imported or dismissed. */
import type { SetupImport } from '@tugdeck/protocol/workspaces/setup-import';
import { useState } from 'react';
import type { WorkspacesArea } from '../../features/workspaces/used-area.ts';
import { useReply } from '../../kit/use-area.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export function SetupImports({ area }: { area: WorkspacesArea }) {
  const [chosen, setChosen] = useState(0);
  const { value } = useReply(area.channel, 'imports', {}, chosen);
  if (!value || value.imports.length === 0) return null;
  const choose = async ({ file, hash }: SetupImport, act: 'import' | 'dismiss') => {
    await area.act((channel) => channel.call('imports.choose', { file, hash, act }));
    // Also after a refusal: then the file has changed.
    setChosen((before) => before + 1);
  };
  return (
    <section aria-label="Setup of other tools" className="workspace-found">
      <h3>Setup of other tools</h3>
      <p className="dialog-note">
        Importing copies these commands into your configuration. Tugdeck doesn’t run them from the file.
      </p>
      <ul className="workspace-list">
        {value.imports.map((found) => (
          <li key={found.file} className="workspace">
            <div className="workspace-lines">
              <span className="workspace-name truncate">{visiblePath(found.file)}</span>
              <span className="workspace-detail">
                {found.isChanged ? `${found.tool}, changed since you last decided` : found.tool}
              </span>
            </div>
            <span className="workspace-actions">
              <Button
                title={`Dismiss ${visiblePath(found.file)}`}
                onClick={() => void choose(found, 'dismiss')}
              >
                Dismiss
              </Button>
              <Button
                title={`Import ${visiblePath(found.file)}`}
                onClick={() => void choose(found, 'import')}
              >
                Import
              </Button>
            </span>
            <dl className="setup-commands">
              {commandsOf(found).map(([name, text]) => (
                <div key={name}>
                  <dt>{visibleText(name)}</dt>
                  <dd>
                    <pre>{visibleText(text)}</pre>
                  </dd>
                </div>
              ))}
            </dl>
            {found.left === undefined ? null : (
              <p className="dialog-note">{`Can’t be imported: ${visibleText(found.left.join(', '))}`}</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function commandsOf({ setup, teardown, run = {}, copy, runOneAtATime }: SetupImport): [string, string][] {
  return [
    ...(setup === undefined ? [] : [['Setup', setup] as [string, string]]),
    ...Object.entries(run).map(([name, text]): [string, string] => [
      name === 'run' ? 'Run' : `Run: ${name}`,
      text,
    ]),
    ...(teardown === undefined ? [] : [['Teardown', teardown] as [string, string]]),
    ...(copy === undefined ? [] : [['Copied files', copy.join('\n')] as [string, string]]),
    ...(runOneAtATime === true ? [['Run commands', 'one workspace at a time'] as [string, string]] : []),
  ];
}
