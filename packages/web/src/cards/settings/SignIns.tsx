/** Signed-in browsers and paired devices (X1, N54): when each was last used, and the way to revoke it at once. */
import type { Settings } from '@tugdeck/protocol/settings/settings-messages';
import { useClient } from '../../kit/client-context.tsx';
import { ago } from '../../kit/format.ts';
import { signOut } from '../../kit/page-cache.ts';
import { useNow } from '../../kit/use-now.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import type { ChangeProps } from './AgentSettings.tsx';
import { browserName } from './browser-name.ts';

type SignIn = Settings['exposure']['signIns'][number];

const dateOf = (at: number) => new Date(at).toLocaleDateString();

export function SignIns({ settings, act }: ChangeProps) {
  const { signIns, isLoopback } = settings.exposure;
  const leave = useSignOut();
  return (
    <ul className="settings-sign-ins" aria-label="Signed in">
      {signIns.map((one) => (
        <li key={one.id}>
          <span title={visibleText(one.agent)}>
            {one.name ? visibleText(one.name) : browserName(one.agent)}
            {one.isThis ? ' (this browser)' : ''}
          </span>
          <SignInFacts one={one} isLoopback={isLoopback} />
          {one.isThis ? (
            <Button look="quiet" onClick={leave}>
              Sign out
            </Button>
          ) : (
            <Button look="quiet" onClick={() => void act((area) => area.call('revoke', { signIn: one.id }))}>
              Revoke
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function SignInFacts({ one, isLoopback }: { one: SignIn; isLoopback: boolean }) {
  const now = useNow('half-minute');
  const from = isLoopback
    ? ''
    : ` by ${one.way === 'password' ? 'password' : 'link'} from ${visibleText(one.address)}`;
  return (
    <span className="settings-quiet">
      {one.name ? `${browserName(one.agent)}, signed in` : 'Signed in'} {dateOf(one.createdAt)}
      {from}
      {one.usedAt ? `, last used ${agoText(one.usedAt, now)}` : ''}, expires {dateOf(one.expiresAt)}
      {one.isLimited ? <strong className="settings-limited">Read and answer</strong> : null}
    </span>
  );
}

function agoText(at: number, now: number): string {
  const text = ago(at, now);
  return text === 'now' ? 'just now' : `${text} ago`;
}

/** Only the way out, for a device that may not change settings. */
export function SignOutHere() {
  const leave = useSignOut();
  return (
    <>
      <p>This device may only read conversations, answer requests and stop turns.</p>
      <Button onClick={leave}>Sign out</Button>
    </>
  );
}

function useSignOut(): () => void {
  const client = useClient();
  return () => void signOut().finally(() => client.reconnect());
}
