/** The user's settings for workspaces in `config.json`, at the top level and per project (section "workspaces"). */
import { landMethodSchema } from '@tugdeck/protocol/workspaces/landing';
import { WORKSPACE_STARTS } from '@tugdeck/protocol/workspaces/workspace';
import { z } from 'zod';

const pattern = z.string().min(1).max(300);

/** Only in the user's own file: setup names a program to run. */
export const workspaceSettingsSchema = z.strictObject({
  /** Where new sessions start: `auto` is the checkout while no other session works there. */
  start: z.enum(WORKSPACE_STARTS).optional(),
  /** The branch or commit to start from; `default` is the remote's default branch, `current` the checkout's branch. */
  base: z.string().min(1).max(300).optional(),
  /** `false`: don't fetch the base. */
  fetch: z.boolean().optional(),
  /** The branch name, with `{user}`, `{slug}`, `{date}` and `{id}`. */
  branch: z.string().min(1).max(200).optional(),
  /** Ignored files to copy, in the syntax of `.gitignore`. */
  copy: z.array(pattern).max(100).optional(),
  /** Ignored folders to link to those of the checkout. */
  link: z.array(pattern).max(50).optional(),
  /** A shell command to run in a new workspace. */
  setup: z.string().min(1).max(4096).optional(),
  /** A shell command to run before a workspace is archived. */
  teardown: z.string().min(1).max(4096).optional(),
  /** A shell command that must succeed before a workspace lands. */
  check: z.string().min(1).max(4096).optional(),
  /** How workspaces land by default. */
  land: landMethodSchema.optional(),
  /** Variables for agents and terminals, with `{port}`, `{port+1}`, `{name}`, `{name_}`, `{root}` and `{path}`. */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(4096)).optional(),
  /** Commands to run in a workspace by name, such as a development server. */
  run: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}$/), z.string().min(1).max(4096))
    .optional(),
  /** Starting a run command stops those of the project's other workspaces, after asking. */
  runOneAtATime: z.boolean().optional(),
  /** With this many workspaces on disk, the page proposes to archive some. */
  most: z.number().int().min(1).max(1000).optional(),
  /** How long archives are kept. */
  keepDays: z.number().int().min(1).max(3650).optional(),
  /** Setup files of other tools that were imported or dismissed, with the hash of their contents (B18). */
  imported: z.record(z.string().min(1).max(300), z.string().regex(/^[0-9a-f]{64}$/)).optional(),
});
export type WorkspaceSettings = z.infer<typeof workspaceSettingsSchema>;

interface Configured {
  readonly workspaces?: WorkspaceSettings | undefined;
  readonly projects?:
    | Readonly<Record<string, { readonly workspaces?: WorkspaceSettings | undefined }>>
    | undefined;
}

/** A project's settings override those for all projects; variables are merged by name. */
export function workspaceSettingsOf(
  { workspaces, projects }: Configured,
  projectPath: string,
): WorkspaceSettings {
  const own = projects?.[projectPath]?.workspaces;
  const environment = { ...workspaces?.environment, ...own?.environment };
  return { ...workspaces, ...own, environment };
}
