/**
 * What must hold after any faults: every accepted prompt is in the history once and its fate is told; every answer that
 * is complete is the model's to the byte; nothing is left open; the agent was told each prompt at most once; all pages
 * and the disk agree.
 */
import { isDeepStrictEqual } from 'node:util';
import { readTail } from '@tugdeck/journal/reader';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import type { Deck } from '../deck.ts';
import type { HeadlessPage } from './client.ts';
import type { User } from './user.ts';

/** What the scripted model answers to a prompt. */
export function answerTo(prompt: string): string {
  const name = /SCN:campaign (\S+)\./.exec(prompt)?.[1] ?? '?';
  return Array.from({ length: 40 }, (_, at) => `Line ${at + 1} for ${name}, with **some** \`form\`.`).join(
    '\n',
  );
}

export function judge(deck: Deck, users: readonly User[], pages: readonly HeadlessPage[]): string[] {
  const problems: string[] = [];
  const told = spokenTo(deck);
  for (const user of users) {
    const say = (words: string) => problems.push(`${user.session.slice(0, 8)}: ${words}`);
    const state = readTail(dataDirectory(deck.sandbox.data).session(user.session));
    if (!state) {
      say('nothing on disk');
      continue;
    }
    const entries = [...entriesFrom(state.entries)];
    for (const { id, text } of user.sent) {
      const found = entries.filter((entry) => entry.id === id);
      const [entry] = found;
      if (found.length > 1) say(`prompt ${text} is there ${found.length} times`);
      if (entry && entry.kind === 'user' && !['delivered', 'dropped'].includes(entry.delivery))
        say(`prompt ${text} is ${entry.delivery}`);
      if (!entry && state.from === 0) say(`prompt ${text} is lost`);
      const times = told.get(text) ?? 0;
      if (times > 1) say(`the agent was told ${text} ${times} times in one conversation`);
    }
    for (const entry of entries) {
      if (entry.status === 'partial') say(`${entry.kind} ${entry.id} is still open`);
      if (entry.kind === 'text' && entry.status === 'complete' && !isAnswer(entry, entries))
        say(`an answer is not the model's: ${JSON.stringify(entry.text.slice(0, 80))}`);
    }
    if (state.turn !== null) say('a turn still runs');
    for (const [at, page] of pages.entries()) {
      const channel = page.client.conversation(user.session);
      const { conversation, phase } = channel.view.get();
      channel.release();
      const how = difference(state, conversation);
      if (how !== undefined) say(`page ${at + 1} (${phase}) shows something else than the disk: ${how}`);
    }
  }
  return problems;
}

function isAnswer(entry: Extract<Entry, { kind: 'text' }>, entries: readonly Entry[]): boolean {
  const prompts = entries.flatMap((one) => (one.kind === 'user' ? [one.text] : []));
  return prompts.some((prompt) => answerTo(prompt) === entry.text);
}

/** How often each prompt stands in the last thing that each conversation sent to the model. */
function spokenTo(deck: Deck): Map<string, number> {
  const last = new Map<string, string>();
  for (const { sessionId, body } of deck.fake.requests) last.set(sessionId ?? '', JSON.stringify(body));
  const counts = new Map<string, number>();
  for (const body of last.values())
    for (const [prompt] of body.matchAll(/SCN:campaign \S+?\./g)) {
      const inThis = body.split(prompt).length - 1;
      counts.set(prompt, Math.max(counts.get(prompt) ?? 0, inThis));
    }
  return counts;
}

/** Where both know an entry, they must know the same. */
function difference(disk: Conversation, page: Conversation): string | undefined {
  if (disk.v !== page.v) return `version ${page.v} instead of ${disk.v}`;
  const known = new Map([...entriesFrom(disk.entries)].map((entry) => [entry.id, entry]));
  const other = [...entriesFrom(page.entries)].find((entry) => {
    const same = known.get(entry.id);
    return same !== undefined && !isDeepStrictEqual(same, entry);
  });
  return other && `${JSON.stringify(other)} instead of ${JSON.stringify(known.get(other.id))}`;
}
