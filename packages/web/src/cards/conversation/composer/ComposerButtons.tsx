import { ArrowUp, CornerDownRight, ListPlus } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { elapsed } from '../../../kit/format.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { TOUCH, useMedia } from '../../../kit/use-media.ts';
import { useNow } from '../../../kit/use-now.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';
import { canDictate } from './speech.ts';

const DictateButton = lazyComponent(() => import('./DictateButton.tsx').then((part) => part.DictateButton));

export interface SendButtonsProps {
  /** Before the buttons. */
  usage: ReactNode;
  isRunning: boolean;
  isStopping: boolean;
  /** Start of the turn, for the elapsed time. */
  startedAt: number | undefined;
  canSteer: boolean;
  isBlank: boolean;
  onSend: () => void;
  onSteer: () => void;
  onStop: () => void;
}

export function SendButtons(props: SendButtonsProps) {
  const { usage, isRunning, isStopping, startedAt, canSteer, isBlank, onSend, onSteer, onStop } = props;
  return (
    <div className="composer-buttons">
      {usage}
      {isRunning && canSteer ? (
        <IconButton
          className="steer"
          icon={CornerDownRight}
          label="Steer"
          title="Steer: send now, into the current turn (Alt+Enter)"
          disabled={isBlank}
          onClick={onSteer}
        />
      ) : null}
      <button
        type="button"
        className="round"
        data-look="send"
        disabled={isBlank}
        title={isRunning ? 'Queue: send when this turn ends (Enter)' : 'Send (Enter)'}
        onClick={onSend}
      >
        <Icon icon={isRunning ? ListPlus : ArrowUp} />
        <span>{isRunning ? 'Queue' : 'Send'}</span>
      </button>
      {isRunning ? (
        <button type="button" className="stop" disabled={isStopping} title="Stop (Esc)" onClick={onStop}>
          <span className="visually-hidden">Stop</span>
          <span className="stop-square" />
          {startedAt === undefined ? null : <Elapsed since={startedAt} />}
        </button>
      ) : null}
    </div>
  );
}

function Elapsed({ since }: { since: number }) {
  const now = useNow('second');
  return (
    <span className="stop-time" aria-hidden="true">
      {elapsed(now - since)}
    </span>
  );
}

/** On touch screens, where the browser has speech recognition (C25). */
export function Microphone({ box }: { box: RefObject<HTMLTextAreaElement | null> }) {
  const isTouch = useMedia(TOUCH);
  return isTouch && canDictate() ? <DictateButton box={box} /> : null;
}
