/** Notifications of this device while no page is open (N52): off until the user turns them on. */
import { type PushDevice, type PushKind, push } from '@tugdeck/protocol/areas/push';
import { isInstallable } from '@tugdeck/protocol/wire/installable';
import { useEffect, useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { useArea } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { isCalled, subscribe, unsubscribe } from './push-subscription.ts';

export function PushSettings() {
  const canPush = useReadable(useClient().canPush);
  if (!canPush || !isInstallable(location.origin)) return null;
  if ('PushManager' in window) return <DevicePush />;
  return <p className="settings-quiet">On iOS, add Tugdeck to the home screen to get notifications.</p>;
}

const KINDS: readonly (readonly [PushKind, string])[] = [
  ['needs', 'Needs you'],
  ['finished', 'Finished'],
  ['failed', 'Failed'],
];

function DevicePush() {
  const { state, channel, fault, act } = useArea(push, {});
  const [problem, setProblem] = useState<string>();
  const [isTested, setTested] = useState(false);
  const device = state?.device;
  const isOn = device !== undefined;
  useEffect(() => {
    if (state) isCalled.set(isOn);
  }, [state, isOn]);
  const save = (next: PushDevice) => void act((area) => area.call('save', { device: next }));
  const turn = async (isWanted: boolean) => {
    setProblem(undefined);
    if (!state || !channel) return;
    try {
      if (!isWanted) {
        await channel.call('remove');
        await unsubscribe();
        return;
      }
      const subscription = await subscribe(state.key);
      const kinds = { needs: true, finished: false, failed: false };
      await channel.call('save', { device: { ...subscription, kinds, answers: false } });
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div className="push-settings">
      <Switch
        label="Notify this device while Tugdeck is closed"
        isOn={isOn}
        isDisabled={!state}
        onChange={(isWanted) => void turn(isWanted)}
      />
      {device ? (
        <fieldset className="push-details" aria-label="Notify about">
          {KINDS.map(([kind, label]) => (
            <Switch
              key={kind}
              label={label}
              isOn={device.kinds[kind]}
              onChange={(isWanted) => save({ ...device, kinds: { ...device.kinds, [kind]: isWanted } })}
            />
          ))}
          <QuietHours device={device} onSave={save} />
          <Switch
            label="Answer from the notification"
            isOn={device.answers}
            onChange={(isWanted) => save({ ...device, answers: isWanted })}
          />
          <p className="settings-quiet">
            {device.answers
              ? 'A permission that fits is shown whole on the lock screen. Anyone who holds the device can answer it.'
              : 'A notification names the project, and nothing of the conversation.'}
          </p>
          <Button onClick={() => void act((area) => area.call('test')).then(setTested)}>
            {isTested ? 'Sent' : 'Send a test'}
          </Button>
        </fieldset>
      ) : null}
      {problem || fault ? (
        <p className="fault" role="alert">
          {problem ?? fault}
        </p>
      ) : null}
    </div>
  );
}

const NIGHT = { from: 22 * 60, until: 7 * 60 };

function QuietHours({ device, onSave }: { device: PushDevice; onSave: (device: PushDevice) => void }) {
  const { quiet, ...rest } = device;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const set = (side: 'from' | 'until', text: string) => {
    const minutes = minutesOf(text);
    if (quiet && minutes !== undefined) onSave({ ...rest, quiet: { ...quiet, [side]: minutes, timeZone } });
  };
  return (
    <div className="push-quiet">
      <Switch
        label="Quiet hours"
        isOn={quiet !== undefined}
        onChange={(isWanted) => onSave(isWanted ? { ...rest, quiet: { ...NIGHT, timeZone } } : rest)}
      />
      {quiet ? (
        <span>
          {(['from', 'until'] as const).map((side) => (
            <input
              key={side}
              type="time"
              className="field"
              aria-label={side === 'from' ? 'From' : 'Until'}
              value={textOf(quiet[side])}
              onChange={(event) => set(side, event.target.value)}
            />
          ))}
        </span>
      ) : null}
    </div>
  );
}

const textOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

function minutesOf(text: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

interface SwitchProps {
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

function Switch({ label, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
