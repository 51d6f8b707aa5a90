/**
 * The oldest open request on a board card. A permission that fits is shown whole and answered here, with the click
 * delay of all requests (C6); anything else is only opened. The card itself is the guarded element, because Y and N
 * work while it has the focus.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import type { PermissionEntry } from '@tugdeck/protocol/conversation/entries';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { CardProvider } from '../../features/conversation/card-context.tsx';
import { createCard } from '../../features/conversation/create-card.ts';
import { useDirectory } from '../../features/conversation/project-paths.ts';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import { permissionChoices } from '../../features/requests/permission-options.ts';
import { permissionTitle, unlistedFields } from '../../features/requests/permission-parts.ts';
import { actionOfKey } from '../../features/requests/request-keys.ts';
import { useAnswer } from '../../features/requests/use-answer.ts';
import { FieldList } from '../../features/tool-results/FieldList.tsx';
import { useWholeData } from '../../features/tool-results/use-whole-data.ts';
import { useClient } from '../../kit/client-context.tsx';
import { useChannel } from '../../kit/use-channel.ts';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { AnswerNote } from '../../ui/answers/AnswerNote.tsx';
import { Button } from '../../ui/Button.tsx';

export interface CardRequestProps {
  session: string;
  /** In the names of its buttons, for screen readers. */
  sessionTitle: string;
  /** The request as the row names it, until the conversation is loaded. */
  text: string;
  card: RefObject<HTMLElement | null>;
  onOpen: () => void;
}

export function CardRequest(props: CardRequestProps) {
  const channel = useChannel(useClient(), props.session);
  return channel ? <Loaded channel={channel} {...props} /> : <OnlyOpen {...props} />;
}

function Loaded({ channel, ...props }: CardRequestProps & { channel: ConversationChannel }) {
  const { conversation } = useCardView(channel);
  const context = useMemo(() => createCard(channel), [channel]);
  const [first] = pendingRequests(conversation).sort((a, b) => a.at - b.at);
  if (first?.kind !== 'permission') return <OnlyOpen {...props} />;
  return (
    <CardProvider value={context}>
      <Permission key={first.id} entry={first} {...props} />
    </CardProvider>
  );
}

function OnlyOpen({
  sessionTitle,
  text,
  onOpen,
}: Pick<CardRequestProps, 'sessionTitle' | 'text' | 'onOpen'>) {
  return (
    <>
      <p className="board-line" title={visibleText(text)}>
        {visibleText(text)}
      </p>
      <div className="board-foot">
        <Button look="warning" aria-label={`Open ${sessionTitle}`} onClick={onOpen}>
          Open
        </Button>
      </div>
    </>
  );
}

function Permission({
  entry,
  card,
  sessionTitle,
  text,
  onOpen,
}: CardRequestProps & { entry: PermissionEntry }) {
  const { value: request, load } = useWholeData(entry.request, true);
  const directory = useDirectory();
  const { guard, isWaiting, fault, send } = useAnswer(entry);
  const thing = useRef<HTMLDivElement>(null);
  const fits = useFits(thing, `${request.shown} ${load === undefined}`);
  const { allow, deny } = permissionChoices(request.options);
  // Diffs, unlisted fields and blobs need more room than a card has.
  const isSimple =
    load === undefined &&
    !request.diff?.length &&
    request.fields.length > 0 &&
    unlistedFields(request) === 0 &&
    request.blockedPath === undefined;
  const title = permissionTitle(request, directory);
  const isRepeated = request.fields.some(({ value }) => value === request.title);
  const answer = (behavior: 'allow' | 'deny') => {
    const option = behavior === 'allow' ? allow : deny;
    if (behavior === 'allow' && !(isSimple && fits)) return;
    send({ type: 'permission', behavior, ...(option ? { option: option.id } : {}) });
  };
  useGuardedCard(card, guard.ref, (action) => {
    if (!isWaiting && isSimple && fits) answer(action);
  });
  if (!isSimple) return <OnlyOpen sessionTitle={sessionTitle} text={text} onOpen={onOpen} />;
  return (
    <fieldset
      aria-label={`Permission: ${visibleExact(request.tool)}`}
      className="board-request request"
      aria-disabled={guard.isResting || undefined}
    >
      <div className="board-thing" data-fits={fits}>
        <div ref={thing}>
          {isRepeated ? null : <p className="board-ask">{title}</p>}
          <FieldList fields={request.fields} isWhole />
          {request.reason ? <p className="board-reason">{visibleText(request.reason)}</p> : null}
        </div>
      </div>
      {fits ? null : <p className="board-note">Too long to show here</p>}
      <div className="board-foot request-actions">
        {fits ? (
          <>
            <Button look="warning" disabled={isWaiting} onClick={() => answer('allow')}>
              Allow
            </Button>
            <Button disabled={isWaiting} onClick={() => answer('deny')}>
              Deny
            </Button>
          </>
        ) : null}
        <Button look={fits ? 'quiet' : 'warning'} aria-label={`Open ${sessionTitle}`} onClick={onOpen}>
          Open
        </Button>
        <AnswerNote refusal={guard.refusal} />
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
    </fieldset>
  );
}

/** Attaches the click delay and the keys of requests to the card. */
function useGuardedCard(
  card: RefObject<HTMLElement | null>,
  attach: (element: HTMLElement | null) => (() => void) | undefined,
  onAction: (action: 'allow' | 'deny') => void,
): void {
  const latest = useRef(onAction);
  latest.current = onAction;
  useEffect(() => {
    const element = card.current;
    if (!element) return;
    const end = attach(element);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.target !== element) return;
      const action = actionOfKey({ press: event, isTyping: false });
      if (action !== 'allow' && action !== 'deny') return;
      event.preventDefault();
      latest.current(action);
    };
    element.addEventListener('keydown', onKeyDown);
    return () => {
      end?.();
      element.removeEventListener('keydown', onKeyDown);
    };
  }, [card, attach]);
}

/** The height that a request may have on a card; as in home.css. */
const MAX_HEIGHT = 120;

/** Whether everything in the element is visible. Nothing is answered here that was cut. */
function useFits(element: RefObject<HTMLElement | null>, shown: string): boolean {
  const [fits, setFits] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the content changes
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const measure = () => {
      const { offsetHeight, scrollWidth, clientWidth } = box;
      setFits(offsetHeight > 0 && offsetHeight <= MAX_HEIGHT && scrollWidth <= clientWidth + 1);
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(box);
    return () => watcher.disconnect();
  }, [element, shown]);
  return fits;
}
