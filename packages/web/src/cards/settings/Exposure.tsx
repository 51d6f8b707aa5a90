/** Who can reach the server, which browsers are signed in, and how to listen on another address (X1). */
import type { Settings } from '@tugdeck/protocol/settings/settings-messages';
import { useClient } from '../../app/client-context.tsx';
import { signOut } from '../../app/page-cache.ts';
import { Button } from '../../ui/Button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { ChangeProps } from './AgentSettings.tsx';
import { browserName } from './browser-name.ts';

const dateOf = (at: number) => new Date(at).toLocaleDateString();

export function Exposure({ settings, change }: ChangeProps) {
  return (
    <>
      <Reach exposure={settings.exposure} />
      <SignIns settings={settings} change={change} />
      {settings.exposure.isLoopback ? <OtherAddress exposure={settings.exposure} /> : null}
    </>
  );
}

function Reach({ exposure: { origin, host, isLoopback, hasTls } }: { exposure: Settings['exposure'] }) {
  if (isLoopback) {
    return (
      <p>
        Only this machine, at <code>{origin}</code>, and only browsers that were let in with an address of{' '}
        <code>tugdeck url</code>.
      </p>
    );
  }
  return (
    <>
      <p>
        Every machine that reaches <code>{host}</code> can knock at <code>{origin}</code>. Let in is who has
        the password, or an address of <code>tugdeck url</code>.
      </p>
      {hasTls ? null : (
        <p className="fault">
          Without TLS: whoever is on the way can read and change everything, and come in as you.
        </p>
      )}
    </>
  );
}

function SignIns({ settings, change }: ChangeProps) {
  const { signIns, isLoopback } = settings.exposure;
  const client = useClient();
  const leave = () => signOut().finally(() => client.reconnect());
  return (
    <ul className="settings-sign-ins" aria-label="Signed in">
      {signIns.map((one) => (
        <li key={one.id}>
          <span title={visibleText(one.agent)}>
            {browserName(one.agent)}
            {one.isThis ? ' (this one)' : ''}
          </span>
          <span className="settings-quiet">
            {isLoopback
              ? ''
              : `${one.way === 'password' ? 'by password' : 'by address'}, ${visibleText(one.address)}, `}
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
  );
}

function OtherAddress({ exposure }: { exposure: Settings['exposure'] }) {
  return (
    <details className="settings-more">
      <summary>To reach it from another machine</summary>
      <ol>
        <li>
          Set a password with <code>tugdeck password</code>
          {exposure.hasPassword ? ': one is set.' : ': none is set yet.'}
        </li>
        <li>
          Have a certificate for the name that browsers will use. Without one the start is refused unless{' '}
          <code>--plain-http</code> accepts that others can read along.
        </li>
        <li>
          Start with <code>tugdeck --host 0.0.0.0 --name NAME --tls-cert FILE --tls-key FILE</code>.
        </li>
      </ol>
      <p>
        Then every machine that reaches this one can knock. Browsers sign in with the password, which can be
        tried five times, then ever more slowly; whoever is in can do everything that you can here, with
        shells and agents. An SSH tunnel to <code>{exposure.origin}</code> needs none of this.
      </p>
    </details>
  );
}
