/** One preview: opens it through the area, again after a lost connection, and holds what the frame reports. */
import { type PortHolder, preview } from '@tugdeck/protocol/areas/preview';
import { originOf, readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useArea } from '../../kit/use-area.ts';
import { type PickedElement, readFrameMessage } from './preview-messages.ts';

export interface Report {
  readonly id: number;
  readonly level: 'error' | 'warning';
  readonly text: string;
}

export interface Frame {
  readonly url: string;
  readonly origin: string;
}

export interface Held {
  readonly port: number;
  readonly holder: PortHolder;
}

const MAX_REPORTS = 100;
const MAX_PER_SECOND = 30;

export function usePreview(
  project: string | undefined,
  address: string | undefined,
  isVisible: boolean,
  frameElement: RefObject<HTMLIFrameElement | null>,
  onPicked: (element: PickedElement | undefined) => void,
) {
  const [frame, setFrame] = useState<Frame>();
  const [held, setHeld] = useState<Held>();
  const [accepted, setAccepted] = useState<string>();
  const [note, setNote] = useState<string>();
  const [reports, setReports] = useState<readonly Report[]>([]);
  const [place, setPlace] = useState<string>();
  const [isPicking, showPicking] = useState(false);
  /** Known at once, before the next render. */
  const picking = useRef(false);
  const setPicking = useCallback((isOn: boolean) => {
    picking.current = isOn;
    showPicking(isOn);
  }, []);
  const [loads, setLoads] = useState(0);
  const lastId = useRef(0);
  const second = useRef({ began: 0, count: 0 });
  const target = address === undefined ? undefined : readLocalAddress(address);
  const port = target?.port;
  const area = useArea(preview, project === undefined ? undefined : { project }, (event) => {
    if (event.port !== port) return;
    if (event.type === 'held') {
      setFrame(undefined);
      setHeld(event);
    } else setNote(event.address);
  });
  const { channel, opened, isLost, act } = area;

  /** Loads it again, after checking which process holds the port now. */
  const load = useCallback((accept?: string) => {
    if (accept !== undefined) setAccepted(accept);
    setLoads((count) => count + 1);
  }, []);
  // A hidden tab isn't loaded before it is shown.
  const wasShown = useRef(false);
  wasShown.current ||= isVisible;
  const isWanted = address !== undefined && wasShown.current;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening of the area and each load opens it again
  useEffect(() => {
    if (!channel || opened === 0 || !isWanted || address === undefined) return;
    let isCurrent = true;
    void act(async (open) => {
      const answer = await open.call('open', { address, ...(accepted === undefined ? {} : { accepted }) });
      if (!isCurrent) return;
      setReports([]);
      setNote(undefined);
      setPicking(false);
      setHeld(answer.type === 'held' ? answer : undefined);
      setFrame(answer.type === 'open' ? answer : undefined);
    }).then((isDone) => {
      if (!isDone && isCurrent) setFrame(undefined);
    });
    return () => {
      isCurrent = false;
    };
  }, [channel, opened, address, accepted, loads, isWanted, act, setPicking]);
  useEffect(() => {
    if (isLost) setFrame(undefined);
  }, [isLost]);
  useEffect(() => {
    if (!channel || port === undefined) return;
    return () => void channel.call('end', { port }).catch(() => undefined);
  }, [channel, port]);

  const picked = useRef(onPicked);
  picked.current = onPicked;
  const origin = frame?.origin;
  useEffect(() => {
    if (origin === undefined) return;
    const onMessage = (event: MessageEvent) => {
      if (event.source !== frameElement.current?.contentWindow || event.origin !== origin) return;
      const message = readFrameMessage(event.data);
      if (message?.type === 'place') setPlace(message.path);
      else if (message?.type === 'report') {
        // An app that reports without end must not keep the deck busy.
        const now = performance.now();
        if (now - second.current.began > 1_000) second.current = { began: now, count: 0 };
        second.current.count++;
        if (second.current.count > MAX_PER_SECOND) return;
        lastId.current++;
        const report = { ...message, id: lastId.current };
        setReports((before) => [...before.slice(1 - MAX_REPORTS), report]);
      } else if (message) {
        // Without a request the app can't put anything into a message.
        if (picking.current) picked.current(message.element);
        setPicking(false);
      }
    };
    // The frame tried to show another origin, which the page's policy forbids.
    const onBlocked = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src') setNote(blockedURI);
    };
    window.addEventListener('message', onMessage);
    document.addEventListener('securitypolicyviolation', onBlocked);
    return () => {
      window.removeEventListener('message', onMessage);
      document.removeEventListener('securitypolicyviolation', onBlocked);
    };
  }, [origin, frameElement, setPicking]);

  const tell = (tugdeckPreview: 'pick' | 'cancel') => {
    if (origin !== undefined) frameElement.current?.contentWindow?.postMessage({ tugdeckPreview }, origin);
  };
  return {
    ...area,
    frame,
    held,
    accepted,
    note,
    reports,
    isPicking,
    mayHaveFocus: useCallback(() => picking.current, []),
    /** The server's address with the path that the frame shows now. */
    shownAddress: target && `${originOf(target)}${place ?? target.path}`,
    load,
    dismissNote: () => setNote(undefined),
    clearReports: () => setReports([]),
    pick() {
      setPicking(!isPicking);
      if (!isPicking) frameElement.current?.focus();
      tell(isPicking ? 'cancel' : 'pick');
    },
  };
}
