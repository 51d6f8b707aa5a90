/**
 * The port between gateway and machine: everything that pages and commands need from the machine where a project
 * lives. In process for this machine. Reads of the deck are synchronous, because every page needs them at once; a
 * link to another machine would hold a copy.
 */
import type { Readable } from 'node:stream';
import type { ReaderState } from '@tugdeck/local/reader-link';
import type { BlobRef } from '@tugdeck/protocol/conversation/entries';
import type { FileText, FoundFile, SaveAnswer } from '@tugdeck/protocol/files/messages';
import type { Search, SearchAnswer } from '@tugdeck/protocol/search/search';
import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import type {
  DeckHead,
  DeckMessage,
  DeckRequest,
  SessionBegin,
  SessionRow,
} from '@tugdeck/protocol/wire/deck';
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import type { ServedArea } from './areas/serve-area.ts';
import type { HostAddress } from './hosts/host-connection.ts';
import type { ServerAccess } from './settings/settings-area.ts';

export type { ServedArea, ServedSession } from './areas/serve-area.ts';

export interface Machine {
  /** Its id in `machine.json`; rows carry it. */
  readonly id: string;
  readonly deck: MachineDeck;
  readonly files: MachineFiles;
  /** Opens a session for one page. Throws a coded error for an unknown session. */
  openChannel(session: string, send: (messages: readonly string[]) => void): PageChannel;
  areas(access: ServerAccess): readonly ServedArea[];
  readBlob(session: string, hash: string): Promise<Buffer | undefined>;
  storeBlob(session: string, text: string): Promise<BlobRef>;
  /** Subfolders, for choosing a project. */
  browse(path: string): Promise<BrowsedFolder>;
  /** The project configuration that an agent would read (X6). */
  describeConfig(project: string, agent: string): Promise<ProjectConfig>;
  /** Adds a directory like `tugdeck DIR` and returns the project's id. The environment must already be cleaned. */
  openProject(directory: string, environment: Environment, options: { trust: boolean }): Promise<string>;
  /** Returns the host of a session, starting it if needed. */
  openSession(request: OpenSession): Promise<OpenedSession>;
  status(): MachineStatus;
  search(search: Search): Promise<SearchAnswer>;
  /** Deletes the search index; the reader rebuilds it. */
  rebuildIndex(): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

/** Requests about projects and sessions; the gateway performs the others itself. */
export type MachineRequest = Extract<
  DeckRequest,
  { type: `project.${string}` | `session.${string}` | 'agent.prefer' }
>;

/** Projects and session rows (M4). */
export interface MachineDeck {
  head(): DeckHead;
  /** All session ids, newest first. */
  walk(): Iterator<string>;
  rows(ids: readonly string[]): SessionRow[];
  /** False for an external session that has no row yet. Throws a coded error for an unknown session. */
  isStored(session: string): boolean;
  perform(request: MachineRequest): Promise<void>;
  subscribe(listener: (message: DeckMessage) => void): () => void;
}

/** File contents, which are too large for feeds (W2). */
export interface MachineFiles {
  /** Completions for `@` in the composer. */
  find(project: string, query: string): Promise<Pick<FoundFile, 'path' | 'kind'>[]>;
  readText(project: string, path: string, known: string | undefined): Promise<FileText>;
  save(project: string, path: string, bytes: Buffer, expected: string | undefined): Promise<SaveAnswer>;
  /** Throws FILE_TOO_LARGE above `limit` bytes. */
  openRaw(project: string, path: string, limit: number): Promise<RawFile>;
  /** Writes a new file completely or not at all. */
  receive(project: string, path: string, upload: Upload): Promise<void>;
}

export interface Upload {
  readonly body: Readable;
  /** The size that the sender announced, if any. */
  readonly announced: number | undefined;
  readonly limit: number;
}

export interface RawFile {
  readonly size: number;
  readonly content: Readable;
}

export interface BrowsedFolder {
  readonly path: string;
  readonly parent?: string;
  readonly folders: readonly { readonly name: string; readonly isRepository: boolean }[];
}

/** Requests that pages may send. The rest of HostLink is between machine and host. */
export type PageRequest = Extract<
  HostRequest,
  { type: 'follow' | 'command' | 'entries' | 'text' | 'wake' | 'preview' }
>;

/** A session's channel as the page connection sees it, whether a host, the journal or the reader serves it. */
export interface PageChannel {
  readonly session: string;
  request(request: PageRequest): void;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface OpenSession {
  readonly session: string;
  /** Creates the session first (L5, L6). */
  readonly create?:
    | {
        readonly directory: string;
        readonly agent?: string | undefined;
        readonly environment: Environment;
        readonly from?: SessionBegin | undefined;
      }
    | undefined;
  readonly fork?: { readonly of: string; readonly at?: string | undefined } | undefined;
  /** Trust the agent configuration of the session's project as it is now (X6). */
  readonly trust?: boolean | undefined;
}

export interface OpenedSession extends HostAddress {
  /** Summary of the project configuration that the agent starts without (X6). */
  readonly leftOut?: string;
  /** No further agent may run now: do not start it before there is a prompt. */
  readonly isFull?: boolean;
}

export interface MachineStatus {
  readonly projects: { id: string; name: string; path: string }[];
  readonly sessions: number;
  /** Absent until the reader first reports. */
  readonly reader?: ReaderState;
  readonly hosts: { session: string; title: string; pid: number; turn: string }[];
}
