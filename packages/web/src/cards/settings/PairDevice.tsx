/** Pairs a phone or another device (N54): a one-time link as a QR code, and a code to type instead. */
import type { settings as settingsArea } from '@tugdeck/protocol/areas/settings';
import { qrCode } from '@tugdeck/protocol/qr/qr-code';
import { qrPath } from '@tugdeck/protocol/qr/qr-text';
import type { Pairing } from '@tugdeck/protocol/settings/settings-messages';
import { type FormEvent, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { timeUntil } from '../../kit/format.ts';
import type { UsedArea } from '../../kit/use-area.ts';
import { useNow } from '../../kit/use-now.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyLine } from '../../ui/CopyLine.tsx';
import './pairing.css';

interface PairDeviceProps {
  channel: UsedArea<typeof settingsArea>['channel'];
}

export function PairDevice({ channel }: PairDeviceProps) {
  const [name, setName] = useState('Phone');
  const [isLimited, setLimited] = useState(false);
  const [pairing, setPairing] = useState<Pairing>();
  const [fault, setFault] = useState<string>();
  const pair = (event: FormEvent) => {
    event.preventDefault();
    setFault(undefined);
    channel?.call('pair', { name, isLimited }).then(setPairing, (error) => setFault(faultText(error)));
  };
  return (
    <>
      <h4>Pair a device</h4>
      <form className="pairing" onSubmit={pair}>
        <input
          className="field"
          aria-label="Name of the device"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <label className="check">
          <input
            type="checkbox"
            role="switch"
            aria-checked={isLimited}
            checked={isLimited}
            onChange={(event) => setLimited(event.target.checked)}
          />
          Read and answer only
        </label>
        <Button type="submit">Show QR code</Button>
      </form>
      {isLimited ? (
        <p className="settings-quiet">
          It can read conversations, answer requests once and stop turns. It can’t send messages, use “Always
          allow”, edit, change modes, or open terminals, files or settings.
        </p>
      ) : null}
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      {pairing ? (
        <OpenPairing key={pairing.url} pairing={pairing} onClose={() => setPairing(undefined)} />
      ) : null}
    </>
  );
}

function OpenPairing({ pairing, onClose }: { pairing: Pairing; onClose: () => void }) {
  const { url, code, origin, expiresAt } = pairing;
  const left = timeUntil(expiresAt, useNow('second'));
  const drawn = qrCode(url);
  if (left === undefined) return <p className="settings-quiet">The code has expired</p>;
  return (
    <div className="pairing-code">
      {drawn ? <Picture {...qrPath(drawn)} /> : null}
      <div>
        <p>Scan the code with the device’s camera. It works once, and expires {left}.</p>
        {code === undefined ? null : (
          <p>
            Or open <code>{origin}/sign-in</code> there and enter{' '}
            <code className="pairing-typed">{code}</code>
          </p>
        )}
        <CopyLine label="" text={url} />
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}

function Picture({ size, path }: { size: number; path: string }) {
  return (
    <svg className="pairing-picture" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code">
      <path d={path} />
    </svg>
  );
}
