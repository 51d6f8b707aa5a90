/** Whether an agent is signed in, with its own way to sign in and out, in a terminal (A62). */
import type { Account, accounts } from '@tugdeck/protocol/areas/accounts';
import { openSignIn } from '../../features/accounts/open-sign-in.ts';
import type { UsedArea } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

interface AccountLineProps {
  account: Account | undefined;
  /** Where the terminal is opened. */
  project: string | undefined;
  act: UsedArea<typeof accounts>['act'];
}

const STATES: Readonly<Record<Account['state'], string>> = {
  checking: 'Checking the account…',
  in: 'Signed in',
  out: 'Not signed in',
  unknown: 'Account unknown',
};

export function AccountLine({ account, project, act }: AccountLineProps) {
  if (!account) return null;
  const label = visibleText(account.label);
  const open = (way: 'in' | 'out') => {
    if (project !== undefined) void openSignIn(act, account.agent, way, project);
  };
  return (
    <div className="settings-account" data-state={account.state}>
      <span className="settings-quiet">{STATES[account.state]}</span>
      {account.state === 'in' || account.state === 'checking' ? null : (
        <Button
          look="quiet"
          disabled={project === undefined}
          title={account.signIn}
          aria-label={`Sign in to ${label}`}
          onClick={() => open('in')}
        >
          Sign in
        </Button>
      )}
      {account.state === 'in' && account.signOut !== undefined ? (
        <Button
          look="quiet"
          disabled={project === undefined}
          title={account.signOut}
          aria-label={`Sign out of ${label}`}
          onClick={() => open('out')}
        >
          Sign out
        </Button>
      ) : null}
      <Button
        look="quiet"
        aria-label={`Check ${label} again`}
        onClick={() => void act((area) => area.call('check'))}
      >
        Check again
      </Button>
    </div>
  );
}
