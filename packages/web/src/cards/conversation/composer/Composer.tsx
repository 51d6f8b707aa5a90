/**
 * The composer: keys, draft, size, completion, attachments. It knows whether a turn runs only to label its buttons;
 * the conversation decides whether a message starts a turn or is queued.
 */
import type { AgentState, SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
} from 'react';
import { filesOfPaste } from '../../../features/attachments/paste-and-drop.ts';
import type { Tray } from '../../../features/attachments/tray.ts';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useClient } from '../../../kit/client-context.tsx';
import { useCardFrame } from '../../../kit/layout/card-frame.tsx';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSelected } from '../../../kit/use-readable.ts';
import { AttachButton } from './AttachButton.tsx';
import { Microphone, SendButtons } from './ComposerButtons.tsx';
import { type Offer, optionId } from './completion/offers.ts';
import { type Completion, useCompletion } from './completion/use-completion.ts';
import { type ComposerKey, completionAction, composerAction, nextMode } from './composer-keys.ts';
import { type HistoryPlace, newerMessage, olderMessage } from './history.ts';
import { placeholder } from './placeholder.ts';
import { useSavedPrompt } from './prompts/use-saved-prompt.ts';
import { SendingNotes } from './SendingNotes.tsx';
import { grow, insertText } from './text-box.ts';
import { useSending } from './use-sending.ts';

export interface ComposerProps {
  box: RefObject<HTMLTextAreaElement | null>;
  tray: Tray;
  project: string | undefined;
  facts: SessionInfo;
  agentLabel: string | undefined;
  agent: AgentState;
  /** Model, mode and other settings of the agent, at the left of the foot. */
  settings: ReactNode;
  /** A line above the foot, about the message being written. */
  line?: ((text: string) => ReactNode) | undefined;
  /** Context and cost, at the right of the foot. */
  usage: ReactNode;
  isRunning: boolean;
  isStopping: boolean;
  /** Start of the latest turn. */
  startedAt: number | undefined;
  /** A request waits for the user. */
  needsUser: boolean;
  history: () => readonly string[];
  onSent: () => void;
}

const CompletionList = lazyComponent(() =>
  import('./completion/CompletionList.tsx').then((part) => part.CompletionList),
);
const TrayChips = lazyComponent(() =>
  import('../../../features/attachments/TrayChips.tsx').then((part) => part.TrayChips),
);
const PromptMenu = lazyComponent(() => import('./prompts/PromptMenu.tsx').then((part) => part.PromptMenu));
const PromptVariables = lazyComponent(() =>
  import('./prompts/PromptVariables.tsx').then((part) => part.PromptVariables),
);
const DRAFT: HistoryPlace = { at: -1, text: '' };

export function Composer({
  box,
  tray,
  project,
  facts,
  agentLabel,
  agent,
  settings,
  line,
  usage,
  isRunning,
  isStopping,
  startedAt,
  needsUser,
  history,
  onSent,
}: ComposerProps) {
  const client = useClient();
  const { session, channel } = useCard();
  const frame = useCardFrame();
  const isOffline = useSelected(client.status, ({ state }) => state === 'offline' || state === 'stopped');
  const listId = useId();
  const [text, setText] = useState(() => client.draft(session));
  const [caret, setCaret] = useState<number>();
  const [place, setPlace] = useState(DRAFT);
  const completion = useCompletion({ text, caret, commands: facts.commands, project });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    if (box.current) grow(box.current);
  }, [box, text]);
  // Takes the focus only when nothing else has it, and not on a phone, where the keyboard would open.
  useEffect(() => {
    if (frame.get().isActive && matchMedia('(pointer: fine)').matches)
      box.current?.focus({ preventScroll: true });
  }, [box, frame]);

  const [isTypedShell, setShell] = useState(false);
  const isShell = isTypedShell && text.startsWith('!');
  const write = (next: string) => {
    if (!next.startsWith('!')) setShell(false);
    setText(next);
    client.saveDraft(session, next);
  };
  const sending = useSending({
    box,
    tray,
    text,
    isShell,
    write,
    commands: facts.commands,
    agent,
    project,
    onSent: () => {
      setPlace(DRAFT);
      onSent();
    },
  });
  const saved = useSavedPrompt(box, session);
  const accept = ({ text: insert, kind, label }: Offer, { token }: Completion) => {
    if (kind === 'prompt') saved.insert({ name: label.slice(1), text: insert }, token);
    else if (box.current) insertText(box.current, token.start, token.end, insert);
  };
  const complete = (pressed: ComposerKey, isModified: boolean): boolean => {
    const offer = completion?.offers[completion.chosen];
    if (!completion || !offer) return false;
    const typed = text.slice(completion.token.start, completion.token.end);
    const action = completionAction(pressed, { isTypedOut: typed === offer.text.trimEnd(), isModified });
    if (action === 'accept') accept(offer, completion);
    else if (action === 'close') completion.close();
    else if (action) completion.choose(completion.chosen + (action === 'next' ? 1 : -1));
    return action !== undefined;
  };
  const modeNow = () => channel.view.get().conversation.wanted.mode ?? facts.mode;
  const recall = (next: HistoryPlace | undefined) => {
    if (!next) return;
    setPlace(next);
    write(next.text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const pressed: ComposerKey = {
      key: event.key,
      isShift: event.shiftKey,
      isAlt: event.altKey,
      isCommand: event.ctrlKey && !event.metaKey,
      isComposing: event.nativeEvent.isComposing,
      text,
      hasSelection: selectionStart !== selectionEnd || (getSelection()?.toString() ?? '') !== '',
      isRunning,
      hasModes: nextMode(facts.modes, modeNow()) !== undefined,
      isRecalled: place.at >= 0 && text === place.text,
    };
    // Only text typed here is run, never text inserted by a program.
    if (event.key === '!' && selectionStart === 0) setShell(true);
    if (complete(pressed, event.ctrlKey || event.metaKey || event.altKey)) {
      event.preventDefault();
      return;
    }
    const action = composerAction(pressed);
    if (!action) return;
    event.preventDefault();
    if (action === 'send') sending.send();
    else if (action === 'steer') sending.send(true);
    else if (action === 'stop') sending.stop();
    else if (action === 'mode') sending.setMode(nextMode(facts.modes, modeNow()));
    else recall(action === 'older' ? olderMessage(history(), place) : newerMessage(history(), place));
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = filesOfPaste(event.clipboardData);
    if (!files) return;
    event.preventDefault();
    tray.add(files);
  };
  const update = ({ selectionStart, selectionEnd }: HTMLTextAreaElement) =>
    setCaret(selectionStart === selectionEnd ? selectionStart : undefined);

  return (
    <div className="composer">
      <SendingNotes sending={sending} />
      {completion ? (
        <CompletionList id={listId} completion={completion} onAccept={(offer) => accept(offer, completion)} />
      ) : null}
      {saved.asked ? (
        <PromptVariables prompt={saved.asked} onDone={saved.done} onCancel={saved.cancel} />
      ) : null}
      <div
        className="composer-box"
        data-running={isRunning && !needsUser}
        data-needs={needsUser}
        data-shell={isShell}
      >
        {sending.hasTray ? <TrayChips tray={tray} /> : null}
        <textarea
          ref={box}
          rows={2}
          aria-label="Message"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completion ? listId : undefined}
          aria-activedescendant={completion ? optionId(listId, completion.chosen) : undefined}
          aria-description={isShell ? 'Runs in the terminal' : undefined}
          placeholder={placeholder({ isOffline, needsUser, isRunning, agent: agentLabel })}
          value={text}
          onChange={(event) => {
            if (text === '') channel.wake();
            write(event.target.value);
            update(event.target);
          }}
          onSelect={(event) => update(event.currentTarget)}
          onBlur={() => setCaret(undefined)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <Microphone box={box} />
        {line?.(text)}
        <div className="composer-foot">
          <AttachButton
            onChoose={(files) => {
              tray.add(files);
              box.current?.focus();
            }}
          />
          <PromptMenu text={text} onChoose={saved.insert} />
          {settings}
          <SendButtons
            usage={usage}
            isRunning={isRunning}
            isStopping={isStopping}
            startedAt={startedAt}
            canSteer={facts.canSteer === true}
            isBlank={(text.trim() === '' && !sending.hasFiles) || sending.isWaiting}
            onSend={() => sending.send()}
            onSteer={() => sending.send(true)}
            onStop={sending.stop}
          />
        </div>
      </div>
    </div>
  );
}
