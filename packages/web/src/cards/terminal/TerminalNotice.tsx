/** The notice below the screen: ended, gone or disconnected. Empty otherwise. */
import type { TerminalStatus } from '../../features/terminal/terminal-connection.ts';
import { Button } from '../../ui/Button.tsx';

export interface TerminalNoticeProps {
  status: TerminalStatus;
  isInputFull: boolean;
  isAgent: boolean;
  onInputFullSeen: () => void;
  onRestart: () => void;
  onRecreate: () => void;
  onBack: () => void;
  onClose: () => void;
}

export function TerminalNotice(props: TerminalNoticeProps) {
  const { status, isAgent, onRestart, onRecreate, onBack, onClose } = props;
  const again = isAgent ? 'Reopen' : 'Restart';
  const back = isAgent ? (
    <Button look="primary" onClick={onBack}>
      Back to the conversation
    </Button>
  ) : null;
  switch (status.type) {
    case 'starting':
      return null;
    case 'offline':
      return <Notice text="Disconnected. Your process is still running." />;
    case 'fault':
      return (
        <Notice text={status.text} isFault>
          <Button onClick={onRecreate}>Try again</Button>
          {back}
        </Notice>
      );
    case 'gone':
      return (
        <Notice text="This terminal was closed">
          <Button onClick={onRecreate}>{again}</Button>
          {back}
        </Notice>
      );
    case 'here':
      break;
  }
  const { state } = status.terminal;
  if (state.type === 'exited') {
    return (
      <Notice text={exitText(state)}>
        {back}
        <Button onClick={onRestart}>{again}</Button>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </Notice>
    );
  }
  return props.isInputFull ? (
    <Notice text="The program isn’t reading input. Some keystrokes were dropped.">
      <Button look="quiet" onClick={props.onInputFullSeen}>
        Dismiss
      </Button>
    </Notice>
  ) : null;
}

function Notice({
  text,
  isFault = false,
  children,
}: {
  text: string;
  isFault?: boolean;
  children?: React.ReactNode;
}) {
  return (
    <div className="terminal-notice" role={isFault ? 'alert' : 'status'} data-fault={isFault || undefined}>
      <span className="terminal-notice-text">{text}</span>
      {children}
    </div>
  );
}

function exitText({ code, signal }: { code: number; signal?: number | undefined }): string {
  if (signal !== undefined) return `Process terminated by signal ${signal}`;
  return code === 0 ? 'Process exited' : `Process exited with code ${code}`;
}
