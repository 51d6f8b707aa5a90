/** Says before the first message that the session's agent isn't signed in, with its own way to sign in (A62). */
import { accounts } from '@tugdeck/protocol/areas/accounts';
import { openSignIn } from '../../features/accounts/open-sign-in.ts';
import { useClient } from '../../kit/client-context.tsx';
import { machineOfProject } from '../../kit/machines.ts';
import { useArea } from '../../kit/use-area.ts';
import { useSelected } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export function AccountNote({ agent, project }: { agent: string; project: string }) {
  const machine = useSelected(useClient().deck, (deck) => machineOfProject(deck, project)?.id);
  const { state, fault, act } = useArea(accounts, { isPassive: true, agent, machine });
  const account = state?.accounts.find((one) => one.agent === agent);
  if (account?.state !== 'out') return null;
  return (
    <div className="foreign-note" role="note">
      <span>{fault ?? `You aren’t signed in to ${visibleText(account.label)}.`}</span>
      <span className="banner-actions">
        <Button title={account.signIn} onClick={() => void openSignIn(act, agent, 'in', project)}>
          Sign in
        </Button>
        <Button look="quiet" onClick={() => void act((area) => area.call('check'))}>
          Check again
        </Button>
      </span>
    </div>
  );
}
