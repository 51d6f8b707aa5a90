/**
 * `tugdeck sessions list|show|search|export` (L6): reads the store, journals and the agents' own files, with or
 * without a server. Search prefers a running server, whose index covers more. Plain text, or JSON with `--json`.
 */

import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { isShown } from '@tugdeck/protocol/conversation/state';
import { entryText } from '@tugdeck/protocol/export/entry-text';
import { conversationHtml } from '@tugdeck/protocol/export/html-document';
import type { MarkdownToken } from '@tugdeck/protocol/export/html-markdown';
import { conversationMarkdown } from '@tugdeck/protocol/export/markdown';
import { plainEntry } from '@tugdeck/protocol/export/plain-entry';
import { MAX_HITS, MAX_QUERY, searchSchema } from '@tugdeck/protocol/search/search';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { Lexer } from 'marked';
import { UsageError } from '../command-line.ts';
import {
  type ExternalSession,
  externalSessionsLike,
  listExternalSessions,
  readExternal,
} from '../sessions/external-sessions.ts';
import { longTexts } from '../sessions/followed-session.ts';
import { type ListedSession, listSessions, onlyOne, sessionsLike } from '../sessions/session-list.ts';
import { readTranscript, type Transcript } from '../sessions/transcript.ts';
import type { Command, Context } from './context.ts';

export const sessions: Command = async (context) => {
  const [verb, ...rest] = context.line.arguments;
  const { flags } = context.line;
  if (flags.has('html') && verb !== 'export') throw new UsageError('--html only works with sessions export');
  if (flags.has('html') && flags.has('json'))
    throw new UsageError("--html and --json can't be used together");
  switch (verb) {
    case undefined:
    case 'list':
      if (rest.length > 0) throw new UsageError(`too many arguments: ${rest.join(' ')}`);
      return list(context);
    case 'show':
      return show(context, await findNamed(context, rest));
    case 'search':
      return search(context, rest.join(' ').trim());
    case 'export':
      return exportSession(context, await findNamed(context, rest));
    default:
      throw new UsageError(`sessions ${verb}: unknown command; use list, show, search or export`);
  }
};

async function findNamed(context: Context, [id, ...rest]: readonly string[]): Promise<Named> {
  if (id === undefined || rest.length > 0) throw new UsageError('give exactly one session id');
  const own = await sessionsLike(context, id);
  return onlyOne<Named>(own.length > 0 || id === '' ? own : await externalSessionsLike(context, id), id);
}

async function list(context: Context): Promise<number> {
  const external = context.line.flags.has('all') ? await listExternalSessions(context) : [];
  const own = await listSessions(context);
  const known = new Set(own.map(({ id }) => id));
  const found = [...own, ...external.filter(({ id }) => !known.has(id))];
  if (isJson(context)) context.print(JSON.stringify(found.map(jsonRow)));
  else if (found.length === 0) context.print('No sessions.');
  else for (const session of found) context.print(row(session));
  return 0;
}

function row(session: ListedSession): string {
  const { id, agent, title, activeAt, live, summary, archived, trashedAt } = session;
  const storedState = trashedAt === undefined ? (archived ? 'archived' : '-') : 'in trash';
  const turn = live ? (summary?.turn ?? 'idle') : storedState;
  const when = new Date(activeAt).toISOString().slice(0, 16).replace('T', ' ');
  return [id.slice(0, 8), when, agent.padEnd(10), turn.padEnd(10), oneLine(title)].join('  ');
}

function jsonRow(session: ListedSession) {
  const { id, title, agent, directory, createdAt, activeAt, archived, trashedAt, live, summary } = session;
  return {
    id,
    title,
    agent,
    directory,
    createdAt,
    activeAt,
    archived,
    ...(trashedAt === undefined ? {} : { trashedAt }),
    live,
    ...(summary ? { summary } : {}),
  };
}

type Named = ListedSession | ExternalSession;

function transcriptOf(context: Context, session: Named): Transcript {
  return 'found' in session ? readExternal(session) : readTranscript(context, session.id);
}

function show(context: Context, session: Named): number {
  const { state, entries } = transcriptOf(context, session);
  const shown = entries.filter(isShown);
  if (isJson(context)) {
    const { facts: known, turns, usage, todos, queue } = state;
    context.print(
      JSON.stringify({ session: jsonRow(session), facts: known, turns, usage, todos, queue, entries: shown }),
    );
    return 0;
  }
  const long = longTexts(context, session.id);
  context.print(`${oneLine(session.title)}\n${session.agent} in ${session.directory}\n`);
  context.print(shown.map((entry) => plainEntry(entry, long)).join('\n\n'));
  return 0;
}

function exportSession(context: Context, session: Named): number {
  if (isJson(context)) return show(context, session);
  const { state, entries } = transcriptOf(context, session);
  const long = longTexts(context, session.id);
  const { agentLabel, model } = state.facts;
  const title = oneLine(session.title);
  const about = [agentLabel ?? session.agent, model, session.directory].filter((fact) => fact !== undefined);
  if (context.line.flags.has('html')) {
    const lex = (text: string) =>
      new Lexer({ gfm: true, breaks: true }).lex(text) as readonly MarkdownToken[];
    context.print(conversationHtml(entries, { title, about, long, lex }).trimEnd());
    return 0;
  }
  context.print(
    [`# ${title}`, about.join(' · '), conversationMarkdown(entries, long).trimEnd()].join('\n\n'),
  );
  return 0;
}

/** Searches the running server's index, which includes external sessions. Exit code 1 without results. */
async function search(context: Context, words: string): Promise<number> {
  if (words === '') throw new UsageError('search needs at least one word');
  const server = findServer(context.settings.data.ledger, context.settings.configuration.timings);
  if (!server) return scan(context, words);
  const search = searchSchema.parse({ query: `${words.slice(0, MAX_QUERY - 1)} `, limit: MAX_HITS });
  const found = await requestServer(server, { type: 'search', search });
  const { hits, unread } = found.type === 'found' ? found.answer : { hits: [], unread: 0 };
  if (unread > 0) context.note(`${unread} files are still being indexed: results may be incomplete.`);
  const shown = hits.map(({ snippet, ...hit }) => ({ ...hit, text: oneLine(snippet.text) }));
  if (isJson(context)) context.print(JSON.stringify(shown));
  else if (hits.length === 0) context.print('No results.');
  for (const { session, kind, title, text } of isJson(context) ? [] : shown) {
    context.print(`${session.slice(0, 8)}  ${kind.padEnd(6)}  ${oneLine(title)}: ${text}`);
  }
  return hits.length === 0 ? 1 : 0;
}

/** Without a server: scans every entry of our sessions, ignoring case. */
async function scan(context: Context, words: string): Promise<number> {
  const needle = words.toLowerCase();
  const hits: { session: string; title: string; seq: number; kind: string; text: string }[] = [];
  for (const { id, title } of await listSessions(context)) {
    const long = longTexts(context, id);
    try {
      for (const entry of readTranscript(context, id).entries.filter(isShown)) {
        const { heading, body } = entryText(entry, long);
        const text = `${heading}\n${body}`;
        const at = text.toLowerCase().indexOf(needle);
        if (at >= 0)
          hits.push({ session: id, title, seq: entry.seq, kind: entry.kind, text: excerpt(text, at) });
      }
    } catch (error) {
      // One unreadable journal must not hide the others.
      if (!(error instanceof CodedError)) throw error;
      context.note(`${id}: ${error.message}`);
    }
  }
  if (isJson(context)) context.print(JSON.stringify(hits));
  else if (hits.length === 0) context.print('No results.');
  else for (const { session, seq, text } of hits) context.print(`${session.slice(0, 8)}  #${seq}  ${text}`);
  return hits.length === 0 ? 1 : 0;
}

const EXCERPT_CHARS = 60;

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - EXCERPT_CHARS);
  return oneLine(text.slice(from, at + 2 * EXCERPT_CHARS));
}

function oneLine(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim());
}

function isJson({ line }: Context): boolean {
  return line.flags.has('json');
}
