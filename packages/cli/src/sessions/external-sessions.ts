/**
 * External sessions read directly from the agents' own files (A40, L6): no server, no index, no writes. Found by our
 * id, as search prints it, or by the agent's.
 */

import { findAgent } from '@tugdeck/agents/catalog';
import type { HistorySource } from '@tugdeck/drivers/kit/history';
import { HISTORIES } from '@tugdeck/drivers/known-histories';
import { externalId } from '@tugdeck/local/external-id';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { PAGE } from '@tugdeck/protocol/conversation/window';
import { parseJson } from '@tugdeck/protocol/parse-json';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { FileView } from '@tugdeck/reader/file-view';
import { type ListedFile, listFolder } from '@tugdeck/reader/folder-list';
import { quickInfo } from '@tugdeck/reader/list-info';
import type { Context } from '../commands/context.ts';
import type { ListedSession } from './session-list.ts';
import type { Transcript } from './transcript.ts';

interface ExternalFile {
  readonly id: string;
  readonly source: HistorySource;
  readonly file: ListedFile;
}

export interface ExternalSession extends ListedSession {
  readonly found: ExternalFile;
}

/** Newest first, without files that are not standalone conversations. */
export async function listExternalSessions(context: Context): Promise<ExternalSession[]> {
  const rows = (await files(context)).flatMap((found) => rowOf(found) ?? []);
  return rows.sort((a, b) => b.activeAt - a.activeAt);
}

export async function externalSessionsLike(context: Context, typed: string): Promise<ExternalSession[]> {
  const found = await files(context);
  return found
    .filter(({ id, file }) => id.startsWith(typed) || file.session.startsWith(typed))
    .flatMap((one) => rowOf(one) ?? []);
}

/** Reads the whole session with all long texts. */
export function readExternal({ found: { source, file }, agent, directory }: ExternalSession): Transcript {
  const view = new FileView({
    source,
    file: file.path,
    facts: {
      agent,
      agentLabel: findAgent(agent)?.label ?? agent,
      agentSession: file.session,
      directory,
    },
    spill: (body) => body,
  });
  view.settle();
  const { state } = view;
  const pages: (readonly Entry[])[] = [];
  for (let before = state.nextSeq; ; ) {
    const [line = ''] = view.answer({ type: 'entries', before, limit: PAGE });
    const message = parseJson(line) as HostMessage;
    if (message.type !== 'entries' || message.page.entries.length === 0) break;
    pages.unshift(message.page.entries);
    before = message.page.from;
  }
  return { state, entries: pages.flat() };
}

async function files({ environment }: Context): Promise<ExternalFile[]> {
  const variables = cleanEnvironment(environment);
  const lists = HISTORIES.flatMap((source) =>
    source.roots(variables).map(async (root) => {
      const listed = await listFolder(root, (path) => source.sessionOf(path));
      return listed.map(
        (file): ExternalFile => ({ id: externalId(source.agent, file.session), source, file }),
      );
    }),
  );
  return (await Promise.all(lists)).flat();
}

function rowOf(found: ExternalFile): ExternalSession | undefined {
  const { source, file } = found;
  const {
    directory,
    title,
    prompt,
    hidden,
    activeAt = file.mtime,
    createdAt,
  } = quickInfo(source, file.path, file.size);
  if (hidden || directory === undefined || (title ?? prompt) === undefined) return undefined;
  return {
    found,
    id: found.id,
    project: '',
    agent: source.agent,
    title: title ?? prompt ?? '',
    directory,
    createdAt: createdAt ?? activeAt,
    activeAt,
    archived: false,
    live: false,
    origin: 'foreign',
  };
}
