/** Who can reach the server, which browsers are signed in, and how to listen on another address (X1). */
import type { settings as settingsArea } from '@tugdeck/protocol/areas/settings';
import type { Settings } from '@tugdeck/protocol/settings/settings-messages';
import type { UsedArea } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import type { ChangeProps } from './AgentSettings.tsx';
import { PairDevice } from './PairDevice.tsx';
import { SignIns } from './SignIns.tsx';

interface ExposureProps extends ChangeProps {
  channel: UsedArea<typeof settingsArea>['channel'];
}

/** Whether another device can open this server at all. */
const isReachable = ({ proxiedOrigin, isLoopback }: Settings['exposure']) =>
  proxiedOrigin !== undefined || !isLoopback;

export function Exposure({ settings, act, channel }: ExposureProps) {
  return (
    <>
      <Reach exposure={settings.exposure} />
      <SignIns settings={settings} act={act} />
      {isReachable(settings.exposure) ? <PairDevice channel={channel} /> : null}
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
