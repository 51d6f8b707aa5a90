import { askTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { usableAgent } from '../../kit/projects.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visiblePath, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

const STATES = { yes: 'Trusted', no: 'Not trusted' } as const;

/** Projects and whether their agent configuration is trusted (X6). The dialog shows it before the user decides. */
export function TrustedProjects() {
  const deck = useReadable(useClient().deck);
  if (!deck || deck.projects.length === 0) return null;
  const { projects, defaultAgent } = deck;
  return (
    <ul className="settings-sign-ins" aria-label="Project trust">
      {projects.map(({ id, name, path, trust }) => (
        <li key={id}>
          <b>{visibleText(name)}</b>
          <span className="settings-quiet truncate" title={visiblePath(path)}>
            {trust ? STATES[trust] : 'Not asked yet'} · {visiblePath(path)}
          </span>
          <Button look="quiet" onClick={() => void askTrust(id, usableAgent(deck, id) ?? defaultAgent)}>
            Change<span className="visually-hidden"> trust of {visibleText(name)}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}
