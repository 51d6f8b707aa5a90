import { ArrowUp, CornerDownRight, ListPlus, Paperclip, Square } from 'lucide-react';
import { useRef } from 'react';
import { Icon } from '../../../ui/Icon.tsx';
import { IconButton } from '../../../ui/IconButton.tsx';

export interface SendButtonsProps {
  isRunning: boolean;
  isStopping: boolean;
  canSteer: boolean;
  isBlank: boolean;
  onSend: () => void;
  onSteer: () => void;
  onStop: () => void;
}

export function SendButtons(props: SendButtonsProps) {
  const { isRunning, isStopping, canSteer, isBlank, onSend, onSteer, onStop } = props;
  return (
    <div className="composer-buttons">
      {isRunning ? (
        <button
          type="button"
          className="round"
          data-look="stop"
          disabled={isStopping}
          title="Stop (Esc)"
          onClick={onStop}
        >
          <Icon icon={Square} size={14} />
          <span>Stop</span>
        </button>
      ) : null}
      {isRunning && canSteer ? (
        <button
          type="button"
          className="round"
          data-look="plain"
          disabled={isBlank}
          title="Steer: send now, into the current turn (Alt+Enter)"
          onClick={onSteer}
        >
          <Icon icon={CornerDownRight} />
          <span>Steer</span>
        </button>
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
    </div>
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
