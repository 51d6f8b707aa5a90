/**
 * The calls of the port as they cross a link, each with the schemas of its arguments and its result. The machine
 * validates the arguments; the deck validates results, because a machine is not trusted (N21).
 */
import { readerStateSchema } from '@tugdeck/local/reader-link';
import { blobRefSchema } from '@tugdeck/protocol/conversation/long-text';
import { fileTextSchema, foundFileSchema, saveAnswerSchema } from '@tugdeck/protocol/files/messages';
import { searchAnswerSchema, searchSchema } from '@tugdeck/protocol/search/search';
import { projectConfigSchema } from '@tugdeck/protocol/trust/project-config';
import { deckRequestSchema, sessionBeginSchema } from '@tugdeck/protocol/wire/deck';
import {
  workspaceAnswerSchema,
  workspaceRequestSchema,
} from '@tugdeck/protocol/workspaces/workspace-request';
import { z } from 'zod';
import { LINK_LIMITS } from './link-limits.ts';

const id = z.string().min(1).max(100);
const path = z.string().max(4096);
const hash = z.string().max(100);
const nothing = z.unknown().transform((): void => undefined);

const MACHINE_REQUESTS = /^(?:project|session)\.|^agent\.prefer$/;
const machineRequest = deckRequestSchema.refine(({ type }) => MACHINE_REQUESTS.test(type));

const browsed = z.object({
  path,
  parent: path.optional(),
  folders: z.array(z.object({ name: z.string().max(1000), isRepository: z.boolean() })).max(10_000),
});
const placement = z.object({
  freeMemory: z.number().nonnegative(),
  projects: z.array(z.object({ id, remote: z.string().max(10_000).optional() })).max(10_000),
});
const status = z.object({
  projects: z.array(z.object({ id: z.string(), name: z.string(), path: z.string() })),
  sessions: z.number().int(),
  reader: readerStateSchema.optional(),
  hosts: z.array(
    z.object({ session: z.string(), title: z.string(), pid: z.number().int(), turn: z.string() }),
  ),
});
const prepareSession = z.object({
  session: z.uuid(),
  create: z
    .object({
      directory: path,
      agent: z.string().max(50).optional(),
      from: sessionBeginSchema.optional(),
      workspace: z.string().min(1).max(100).optional(),
    })
    .optional(),
  fork: z.object({ of: z.string().max(100), at: z.string().max(200).optional() }).optional(),
  trust: z.boolean().optional(),
});

/** `limit`: the longest result, if it may be longer than a message. */
interface CallSpec {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly limit?: number;
}

/** Environments do not cross a link: programs run with the environment of the machine they are on. */
export const CALLS = {
  perform: { input: z.tuple([machineRequest]), output: nothing },
  isStored: { input: z.tuple([id]), output: z.boolean() },
  browse: { input: z.tuple([path]), output: browsed },
  describeConfig: { input: z.tuple([id, z.string().max(50)]), output: projectConfigSchema },
  openProject: { input: z.tuple([path, z.object({ trust: z.boolean() })]), output: id },
  prepareSession: {
    input: z.tuple([prepareSession]),
    output: z.object({ leftOut: z.string().optional(), isFull: z.boolean().optional() }),
  },
  workspaces: { input: z.tuple([path, workspaceRequestSchema]), output: workspaceAnswerSchema },
  placement: { input: z.tuple([]), output: placement },
  status: { input: z.tuple([]), output: status },
  search: { input: z.tuple([searchSchema]), output: searchAnswerSchema },
  rebuildIndex: { input: z.tuple([]), output: nothing },
  find: {
    input: z.tuple([id, z.string().max(500)]),
    output: z.array(foundFileSchema.pick({ path: true, kind: true })).max(1000),
  },
  readText: {
    input: z.tuple([id, path, hash.nullable()]),
    output: fileTextSchema,
    limit: LINK_LIMITS.fileText,
  },
} as const satisfies Record<string, CallSpec>;
export type CallName = keyof typeof CALLS;
export type CallInput<K extends CallName> = z.input<(typeof CALLS)[K]['input']>;
export type CallOutput<K extends CallName> = z.output<(typeof CALLS)[K]['output']>;

/** The first message of every stream. */
export const openSchema = z.discriminatedUnion('open', [
  z.object({ open: z.literal('call'), name: z.enum(Object.keys(CALLS) as [CallName]), input: z.unknown() }),
  z.object({ open: z.literal('deck') }),
  z.object({ open: z.literal('channel'), session: id }),
  z.object({ open: z.literal('area'), name: z.string().min(1).max(50), about: z.unknown() }),
  z.object({ open: z.literal('read-blob'), session: id, hash }),
  z.object({ open: z.literal('store-blob'), session: id }),
  z.object({ open: z.literal('save'), project: id, path, expected: hash.optional() }),
  z.object({ open: z.literal('raw'), project: id, path, limit: z.number().int().nonnegative() }),
  z.object({
    open: z.literal('receive'),
    project: id,
    path,
    announced: z.number().nonnegative().optional(),
    limit: z.number().int().nonnegative(),
  }),
]);
export type Open = z.infer<typeof openSchema>;

/** Results of the other streams. */
export const ANSWERS = {
  saved: saveAnswerSchema,
  blob: blobRefSchema,
  raw: z.object({ size: z.number().int().nonnegative() }),
  received: nothing,
};
