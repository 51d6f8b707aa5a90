import { signOut } from '../../app/cache-page.ts';
import { useClient } from '../../app/client-context.tsx';
import { Button } from '../../ui/Button.tsx';
import type { ChangeProps } from './AgentSettings.tsx';

const dateOf = (at: number) => new Date(at).toLocaleDateString();

/** Who can reach this server, and which browsers are let in (X1). */
export function Exposure({ settings, change }: ChangeProps) {
  const { origin, host, isLoopback, signIns } = settings.exposure;
  const client = useClient();
  const leave = () => signOut().finally(() => client.reconnect());
  return (
    <>
      <p>
        {isLoopback ? (
          <>
            Only this machine, at <code>{origin}</code>, and only browsers that were let in with an address of{' '}
            <code>tugdeck url</code>.
          </>
        ) : (
          <>
            Every machine that reaches <code>{host}</code> can knock at <code>{origin}</code>; only browsers
            that were let in see anything.
          </>
        )}
      </p>
      <ul className="settings-sign-ins">
        {signIns.map((one) => (
          <li key={one.id}>
            <span>{one.isThis ? 'This browser' : 'Another browser'}</span>
            <span className="settings-quiet">
              since {dateOf(one.createdAt)}, until {dateOf(one.expiresAt)}
            </span>
            {one.isThis ? (
              <Button look="quiet" onClick={leave}>
                Sign out
              </Button>
            ) : (
              <Button look="quiet" onClick={() => void change({ type: 'revoke', signIn: one.id })}>
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
