import { ArrowUp, CornerDownRight, ListPlus, Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { elapsed } from '../../../kit/format.ts';
import { useNow } from '../../../kit/use-now.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';

export interface SendButtonsProps {
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
  const { isRunning, isStopping, startedAt, canSteer, isBlank, onSend, onSteer, onStop } = props;
  return (
    <div className="composer-buttons">
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

export function AttachButton({ onChoose }: { onChoose: (files: FileList) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={Paperclip} label="Attach files" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          if (event.target.files) onChoose(event.target.files);
          // Reset, so that choosing the same file again fires a change event.
          event.target.value = '';
        }}
      />
    </>
  );
}
