/**
 * Control protocol between `tugdeck` commands and the running server: one JSON line each way on its local socket
 * (L2).
 */

import { readerStateSchema } from '@tugdeck/local/reader-link';
import { searchAnswerSchema, searchSchema } from '@tugdeck/protocol/search/search';
import { sessionBeginSchema } from '@tugdeck/protocol/wire/deck';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import {
  workspaceAnswerSchema,
  workspaceRequestSchema,
} from '@tugdeck/protocol/workspaces/workspace-request';
import { z } from 'zod';

export const controlRequestSchema = z.discriminatedUnion('type', [
  /** Adds the directory as a project, or finds it, and shows it. The environment is passed to its agents (L9). */
  z.object({
    type: z.literal('add'),
    directory: z.string().max(4096),
    environment: z.record(z.string(), z.string()),
    /** Trust the project's agent configuration as it is now (X6). */
    trust: z.boolean().optional(),
    /** On another machine, which may have to be reached first. */
    machine: z.string().min(1).max(100).optional(),
  }),
  /** `device`: pairs a device at the address that it can reach (N54). */
  z.object({
    type: z.literal('url'),
    device: z.object({ name: z.string().max(100), isLimited: z.boolean() }).optional(),
  }),
  /** Other machines and how they can be reached. */
  z.object({ type: z.literal('machines') }),
  z.object({ type: z.literal('status') }),
  /** Returns the host of a session, starting it if needed. With `create`, creates the session first (L5, L6). */
  z.object({
    type: z.literal('open'),
    session: z.uuid(),
    create: z
      .object({
        directory: z.string().max(4096),
        agent: z.string().max(50).optional(),
        environment: z.record(z.string(), z.string()),
        from: sessionBeginSchema.optional(),
        /** Name or id of a workspace of the project (B1). */
        workspace: z.string().min(1).max(100).optional(),
      })
      .optional(),
    /** Creates the session as a fork of another. */
    fork: z.object({ of: z.string().max(100), at: z.string().max(200).optional() }).optional(),
    /** Trust the agent configuration of the session's project as it is now (X6). */
    trust: z.boolean().optional(),
  }),
  /** `tugdeck workspaces` in a directory. */
  z.object({
    type: z.literal('workspaces'),
    directory: z.string().max(4096),
    environment: z.record(z.string(), z.string()),
    request: workspaceRequestSchema,
  }),
  /** Searches all conversations, including external sessions (S5). */
  z.object({ type: z.literal('search'), search: searchSchema }),
  /** Deletes the search index; the reader rebuilds it (S6). */
  z.object({ type: z.literal('rebuild') }),
  /** Revokes every sign-in and closes its connections, after a password change. */
  z.object({ type: z.literal('sign-out-all') }),
  /** From `tugdeck bridge`: from now on this connection is a link (N5). It has no answer line. */
  z.object({ type: z.literal('link') }),
  /** Stops the server; hosts keep running. */
  z.object({ type: z.literal('stop') }),
]);
export type ControlRequest = z.infer<typeof controlRequestSchema>;

export const serverStatusSchema = z.object({
  pid: z.number().int(),
  origin: z.string(),
  build: z.string(),
  dataDirectory: z.string(),
  startedAt: z.number(),
  pages: z.number().int(),
  projects: z.array(z.object({ id: z.string(), name: z.string(), path: z.string() })),
  sessions: z.number().int(),
  /** The reader's indexing progress; absent until it first reports. */
  reader: readerStateSchema.optional(),
  hosts: z.array(
    z.object({ session: z.string(), title: z.string(), pid: z.number().int(), turn: z.string() }),
  ),
});
export type ServerStatus = z.infer<typeof serverStatusSchema>;

const machineStateSchema = z.object({
  name: z.string(),
  state: z.enum(['connecting', 'online', 'offline']),
  seenAt: z.number().optional(),
  fault: z.string().optional(),
  build: z.string().optional(),
  projects: z.number().int(),
  sessions: z.number().int(),
});
export type MachineState = z.infer<typeof machineStateSchema>;

export const controlAnswerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('url'),
    url: z.string(),
    project: z.string().optional(),
    /** Only for `device`, so that a link of a server that does not know it is not taken for a limited one. */
    pairing: z.object({ code: z.string().optional(), origin: z.string(), isLimited: z.boolean() }).optional(),
  }),
  z.object({ type: z.literal('status'), status: serverStatusSchema }),
  z.object({ type: z.literal('stopping') }),
  z.object({ type: z.literal('machines'), machines: z.array(machineStateSchema) }),
  z.object({ type: z.literal('signed-out') }),
  z.object({ type: z.literal('workspaces'), answer: workspaceAnswerSchema }),
  z.object({ type: z.literal('found'), answer: searchAnswerSchema }),
  z.object({ type: z.literal('rebuilding') }),
  z.object({
    type: z.literal('session'),
    session: z.string(),
    socket: z.string(),
    secret: z.string(),
    version: z.number().int(),
    /** Summary of the project configuration that the agent starts without (X6). */
    leftOut: z.string().optional(),
    /** No further agent may run now (D41). */
    isFull: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('error'),
    code: errorCodeSchema,
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
export type ControlAnswer = z.infer<typeof controlAnswerSchema>;
