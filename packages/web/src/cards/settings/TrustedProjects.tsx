import { useClient } from '../../kit/client-context.tsx';
import { tryRequest } from '../../kit/try-request.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

const STATES = { yes: 'Trusted', no: 'Not trusted' } as const;

/** Which projects may bring configuration for agents (X6). Trust is given where the configuration is shown: in a session. */
export function TrustedProjects() {
  const client = useClient();
  const projects = useReadable(client.deck)?.projects ?? [];
  if (projects.length === 0) return null;
  return (
    <ul className="settings-sign-ins" aria-label="Project trust">
      {projects.map(({ id, name, path, trust }) => (
        <li key={id}>
          <b>{visibleText(name)}</b>
          <span className="settings-quiet truncate" title={visiblePath(path)}>
            {trust ? STATES[trust] : 'Not asked yet'} · {visiblePath(path)}
          </span>
          {trust === 'yes' ? (
            <Button
              look="quiet"
              onClick={() => void tryRequest(client, { type: 'project.trust', project: id, trust: 'no' })}
            >
              Stop trusting<span className="visually-hidden"> {visibleText(name)}</span>
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
