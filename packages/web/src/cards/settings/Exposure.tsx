/** Who can reach the server, which browsers are signed in, and how to listen on another address (X1). */
import type { Settings } from '@tugdeck/protocol/settings/settings-messages';
import { useClient } from '../../kit/client-context.tsx';
import { signOut } from '../../kit/page-cache.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import type { ChangeProps } from './AgentSettings.tsx';

const dateOf = (at: number) => new Date(at).toLocaleDateString();

export function Exposure({ settings, act }: ChangeProps) {
  return (
    <>
      <Reach exposure={settings.exposure} />
      <SignIns settings={settings} act={act} />
      {settings.exposure.isLoopback ? <OtherAddress exposure={settings.exposure} /> : null}
    </>
  );
}

function Reach({ exposure }: { exposure: Settings['exposure'] }) {
  const { origin, proxiedOrigin, host, isLoopback, hasTls } = exposure;
  if (proxiedOrigin !== undefined) {
    return (
      <p>
        This machine opens <code>{origin}</code> with a link from <code>tugdeck url</code>. Any machine that
        can reach your proxy can open <code>{visibleText(proxiedOrigin)}</code>; signing in there takes the
        password.
      </p>
    );
  }
  if (isLoopback) {
    return (
      <p>
        Only this machine can connect (<code>{origin}</code>), and only browsers signed in with a link from{' '}
        <code>tugdeck url</code>.
      </p>
    );
  }
  return (
    <>
      <p>
        Any machine that can reach <code>{host}</code> can open <code>{origin}</code>. Signing in takes the
        password or a link from <code>tugdeck url</code>.
      </p>
      {hasTls ? null : (
        <p className="fault">
          No TLS: anyone on the network path can read and modify traffic, and sign in as you.
        </p>
      )}
    </>
  );
}

function SignIns({ settings, act }: ChangeProps) {
  const { signIns, isLoopback } = settings.exposure;
  const client = useClient();
  const leave = () => signOut().finally(() => client.reconnect());
  return (
    <ul className="settings-sign-ins" aria-label="Signed in">
      {signIns.map((one) => (
        <li key={one.id}>
          <span title={visibleText(one.agent)}>
            {browserName(one.agent)}
            {one.isThis ? ' (this browser)' : ''}
          </span>
          <span className="settings-quiet">
            Signed in {dateOf(one.createdAt)}
            {isLoopback
              ? ''
              : ` by ${one.way === 'password' ? 'password' : 'link'} from ${visibleText(one.address)}`}
            , expires {dateOf(one.expiresAt)}
          </span>
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

function OtherAddress({ exposure }: { exposure: Settings['exposure'] }) {
  return (
    <details className="settings-more">
      <summary>Access from another machine</summary>
      <ol>
        <li>
          Set a password with <code>tugdeck password</code>
          {exposure.hasPassword ? ' (one is set).' : ' (none is set yet).'}
        </li>
        <li>
          Get a certificate for the hostname browsers will use, or accept with <code>--plain-http</code> that
          others can read the traffic.
        </li>
        <li>
          Start with <code>tugdeck --host 0.0.0.0 --name NAME --tls-cert FILE --tls-key FILE</code>.
        </li>
      </ol>
      <p>
        Any machine that can reach this one can then open the sign-in page. After five wrong passwords, each
        further attempt takes longer. Anyone who signs in can do everything you can do here, including shells
        and agents. An SSH tunnel to <code>{exposure.origin}</code> needs none of this.
      </p>
    </details>
  );
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bLinux\b/, 'Linux'],
];

/** Guesses a browser's name from its user agent, to distinguish sign-ins. Nothing depends on it. */
function browserName(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return 'A browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
