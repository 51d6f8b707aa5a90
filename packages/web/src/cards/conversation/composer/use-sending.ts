/**
 * Sends the text with its attachments. A message waits until its uploads are done; a refused one returns to the
 * composer with text and files.
 */
import { newId } from '@tugdeck/client/new-id';
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import type { AgentState, SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { type RefObject, useEffect, useState } from 'react';
import type { Tray } from '../../../features/attachments/tray.ts';
import { useCard } from '../../../features/conversation/card-context.tsx';
import { useClient } from '../../../kit/client-context.tsx';
import { faultText } from '../../../kit/deck-actions.ts';
import { prepareFirstMessage } from '../../../kit/first-message.ts';
import { keepSession } from '../../../kit/layout/temporary.ts';
import { useReadable } from '../../../kit/use-readable.ts';
import { meaningOf } from './slash.ts';

export interface Sending {
  readonly fault: string | undefined;
  /** The message of a built-in command. */
  readonly note: string | undefined;
  /** Adds the output of the last terminal command to the message. */
  readonly addOutput: (() => void) | undefined;
  setMode(mode: string | undefined): void;
  readonly isWaiting: boolean;
  readonly hasFiles: boolean;
  /** Whether the tray has files or rejections to show. */
  readonly hasTray: boolean;
  send(steer?: boolean): void;
  stop(): void;
  /** An unknown command: sent as a message only if the user confirms (A15). */
  readonly unknown: { readonly name: string; send(): void; drop(): void } | undefined;
}

export interface SendingInput {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly tray: Tray;
  readonly text: string;
  /** The text is a terminal command. */
  readonly isShell: boolean;
  readonly write: (text: string) => void;
  readonly onSent: () => void;
  readonly commands: SessionInfo['commands'];
  readonly agent: AgentState;
  readonly project: string | undefined;
}

export function useSending(input: SendingInput): Sending {
  const client = useClient();
  const { box, tray, text, isShell, write, onSent, commands, agent, project } = input;
  const isStarting = agent === 'starting' || agent === 'reconnecting';
  const { channel, session } = useCard();
  const [ran, setRan] = useState<{ output: () => string }>();
  const { files, refusals } = useReadable(tray.state);
  const [fault, setFault] = useState<string>();
  const [note, setNote] = useState<string>();
  /** Set when sending was requested during an upload; `steer`: into the running turn. */
  const [waiting, setWaiting] = useState<{ steer: boolean }>();

  const refused = (error: unknown, sent: string, attachments: readonly Attachment[]) => {
    setFault(faultText(error));
    if (box.current?.value === '') write(sent);
    tray.restore(attachments);
  };
  const [unknown, setUnknown] = useState<{ name: string; steer: boolean }>();
  /** A command sent before the agent reported its commands. */
  const [early, setEarly] = useState<{ text: string; steer: boolean }>();
  const send = (steer = false, isMeant = false) => {
    if (text.trim() === '' && files.length === 0) return;
    setNote(undefined);
    setRan(undefined);
    if (isShell && text.trim() !== '!') {
      write('');
      setFault(undefined);
      import('./run-in-terminal.ts')
        .then(({ runInTerminal }) => runInTerminal(client, session, text.trim().slice(1)))
        .then((run) => {
          setNote('Running in the terminal.');
          setRan(run);
          box.current?.focus();
        })
        .catch((error) => refused(error, text, []));
      return;
    }
    const meaning = files.length > 0 || isMeant ? undefined : meaningOf(text, commands, isStarting);
    if (meaning?.kind === 'too-early') {
      setEarly({ text, steer });
      setNote(`The agent is still starting. /${meaning.name} will run when it’s ready.`);
      return;
    }
    if (meaning?.kind === 'unknown') {
      setUnknown({ name: meaning.name, steer });
      return;
    }
    if (meaning?.kind === 'surface') {
      write('');
      setFault(undefined);
      const card = box.current?.closest('.card') ?? null;
      import('./open-surface.ts')
        .then(({ openSurface }) => openSurface(meaning, { channel, project, card, write }))
        .then(setNote, (error) => refused(error, text, []));
      return;
    }
    if (files.some(({ state }) => state === 'failed')) {
      setWaiting(undefined);
      setFault('A file couldn’t be attached. Retry or remove it. Nothing was sent.');
      return;
    }
    const attachments = tray.take();
    setWaiting(attachments ? undefined : { steer });
    if (!attachments) return;
    keepSession(session);
    setFault(undefined);
    const prompt = {
      kind: 'prompt.send' as const,
      id: newId(),
      text,
      ...(attachments.length > 0 ? { attachments } : {}),
      ...(steer ? { steer } : {}),
    };
    const prepared = prepareFirstMessage(session, prompt);
    (prepared ? prepared.then(() => channel.send(prompt)) : channel.send(prompt)).catch((error) =>
      refused(error, text, attachments),
    );
    write('');
    onSent();
    box.current?.focus();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the files can end the wait
  useEffect(() => {
    if (waiting && files.every(({ state }) => state !== 'loading')) send(waiting.steer);
  }, [files, waiting]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it waits for is one of these
  useEffect(() => {
    if (!early || (isStarting && !commands?.length && text === early.text)) return;
    setEarly(undefined);
    setNote(undefined);
    // If the agent did not start or the text changed, the user decides again.
    if (text === early.text && (agent === 'connected' || commands?.length)) send(early.steer);
  }, [early, commands, agent, text]);

  return {
    fault,
    note,
    addOutput:
      ran &&
      (() => {
        write(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${ran.output()}`);
        setNote(undefined);
        setRan(undefined);
        box.current?.focus();
      }),
    setMode(mode) {
      if (mode === undefined) return;
      channel
        .send({ kind: 'session.configure', option: 'mode', value: mode })
        .catch((error) => setFault(faultText(error)));
    },
    isWaiting: waiting !== undefined || early !== undefined,
    hasFiles: files.length > 0,
    hasTray: files.length + refusals.length > 0,
    send: (steer) => send(steer),
    unknown: unknown && {
      name: unknown.name,
      send: () => send(unknown.steer, true),
      drop: () => setUnknown(undefined),
    },
    stop() {
      channel.send({ kind: 'turn.cancel' }).catch((error) => setFault(faultText(error)));
      box.current?.focus();
    },
  };
}
