/**
 * The port between gateway and machine: everything that pages and commands need from the machine where a project
 * lives. In process for this machine; a link to another machine implements it over streams. Therefore nothing is read
 * synchronously, and only JSON values, bytes and streams of bytes cross it, in four forms:
 *
 * - calls: a promise of a value, or of a `CodedError`
 * - the deck: pushed to each page
 * - channels of sessions and areas: messages in both directions
 * - files: calls with a body
 */
import type { Readable } from 'node:stream';
import type { ReaderState } from '@tugdeck/local/reader-link';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import type { FileText, FoundFile, SaveAnswer } from '@tugdeck/protocol/files/messages';
import type { Search, SearchAnswer } from '@tugdeck/protocol/search/search';
import type { ProjectConfig } from '@tugdeck/protocol/trust/project-config';
import type { Deck, DeckMessage, DeckRequest, SessionBegin } from '@tugdeck/protocol/wire/deck';
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import type { WorkspaceAnswer, WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';

export interface Machine {
  /** Its id in `machine.json`; rows carry it. */
  readonly id: string;
  readonly files: MachineFiles;
  /** Pushes the deck to one page: first complete, then its changes. */
  openDeck(send: (push: DeckPush) => void): Channel;
  /** Opens a session for one page. `send` gets JSON messages of HostLink; one call becomes one frame if it fits. */
  openChannel(session: string, send: (messages: readonly string[]) => void): PageChannel;
  /** Opens an area (protocol/areas) for one page. */
  openArea(name: string, about: unknown, out: AreaOutput): AreaChannel;
  perform(request: MachineRequest): Promise<void>;
  /** False for an external session that has no row yet. Rejects with a coded error for an unknown session. */
  isStored(session: string): Promise<boolean>;
  readBlob(session: string, hash: string): Promise<Buffer | undefined>;
  storeBlob(session: string, text: string): Promise<BlobRef>;
  /** Subfolders, for choosing a project. */
  browse(path: string): Promise<BrowsedFolder>;
  /** The project configuration that an agent would read (X6). */
  describeConfig(project: string, agent: string): Promise<ProjectConfig>;
  /** Adds a directory like `tugdeck DIR` and returns the project's id. The environment must already be cleaned. */
  openProject(directory: string, environment: Environment, options: { trust: boolean }): Promise<string>;
  /** Finds or creates a session for a `tugdeck` command, which then follows it. */
  prepareSession(request: PrepareSession): Promise<PreparedSession>;
  /** For `tugdeck workspaces` in a directory (B1). */
  workspaces(
    directory: string,
    environment: Environment,
    request: WorkspaceRequest,
  ): Promise<WorkspaceAnswer>;
  /** For choosing the machine of a new session (N17). */
  placement(): Promise<Placement>;
  status(): Promise<MachineStatus>;
  search(search: Search): Promise<SearchAnswer>;
  /** Deletes the search index; the reader rebuilds it. */
  rebuildIndex(): Promise<void>;
}

export interface Placement {
  /** In bytes. */
  readonly freeMemory: number;
  /** `remote`: names the project's repository on all machines. */
  readonly projects: readonly { readonly id: string; readonly remote?: string | undefined }[];
}

/** A stream to one page. It can be used at once; messages wait until it is open. */
export interface Channel {
  /** Rejects with a coded error if the subject does not exist. */
  readonly opened: Promise<void>;
  /** The page reads too slowly (S3): updates that can be merged wait until `resume`. */
  pause(): void;
  resume(): void;
  /** Nothing is sent after this. */
  close(): void;
  /** Resolves when the link to the machine broke: the channel is over and can be opened again. */
  readonly lost?: Promise<void>;
}

/** One page's channel to a session, whether a host, the journal or the reader serves it. */
export interface PageChannel extends Channel {
  request(request: PageRequest): void;
}

export interface AreaChannel extends Channel {
  /** Rejects with a coded error for a refused call, with any other error for a bug. */
  call(message: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Raw bytes from the page; only of areas with `bytes`. */
  bytes(data: Uint8Array): void;
}

/** A channel that could not be opened. */
export function refusedChannel(error: unknown): AreaChannel & PageChannel {
  const refused = Promise.reject<never>(error);
  // Callers that do not await `opened` must not cause an unhandled rejection.
  refused.catch(() => undefined);
  const ignore = () => undefined;
  return {
    ...{ opened: refused, call: () => refused, request: ignore, bytes: ignore },
    ...{ pause: ignore, resume: ignore, close: ignore },
  };
}

export interface AreaOutput {
  push(message: unknown): void;
  /** Raw bytes; only of areas with `bytes`. */
  bytes(data: Uint8Array): void;
  /** The sign-in of the page's connection to this machine's own gateway. */
  readonly signIn?: string | undefined;
}

/** The first push is `whole`. */
export type DeckPush =
  | { readonly type: 'whole'; readonly deck: Deck }
  | Extract<DeckMessage, { type: 'deck' | 'rows' | 'session' | 'show' }>;

export type Environment = Readonly<Record<string, string>>;

/** Requests about projects and sessions; the gateway performs the others itself. */
export type MachineRequest = Extract<
  DeckRequest,
  { type: `project.${string}` | `session.${string}` | 'agent.prefer' }
>;

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
  { type: 'follow' | 'command' | 'entries' | 'text' | 'wake' | 'preview' | 'query' }
>;

const BETWEEN_MACHINE_AND_HOST: ReadonlySet<HostRequest['type']> = new Set([
  'protocol_init',
  'watch',
  'slot',
  'end',
]);

export function isPageRequest(request: HostRequest): request is PageRequest {
  return !BETWEEN_MACHINE_AND_HOST.has(request.type);
}

export interface PrepareSession {
  readonly session: string;
  /** Creates the session first (L5, L6). */
  readonly create?:
    | {
        readonly directory: string;
        readonly agent?: string | undefined;
        readonly environment: Environment;
        readonly from?: SessionBegin | undefined;
        /** Name or id of a workspace of the project. */
        readonly workspace?: string | undefined;
      }
    | undefined;
  readonly fork?: { readonly of: string; readonly at?: string | undefined } | undefined;
  /** Trust the agent configuration of the session's project as it is now (X6). */
  readonly trust?: boolean | undefined;
}

export interface PreparedSession {
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
