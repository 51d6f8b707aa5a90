/** The settings area (W6, X1): the user's configuration file, the agents' own files, and who can reach this server. */
import { z } from 'zod';
import { agentFilesSchema } from '../settings/agent-files.ts';
import { pairingSchema, settingsSchema } from '../settings/settings-messages.ts';
import { defineArea, nothing, onMachine } from './area.ts';

const project = z.string().min(1).max(100).optional();
const text = z.string().max(512 * 1024);
/** Keys from the top of the file to a value. */
const path = z.array(z.string().min(1).max(4096)).min(1).max(8);

export const settings = defineArea('settings', {
  /** The project whose agent files are shown. Earlier servers know it only from the call. */
  about: z.object({ ...onMachine, project }),
  state: settingsSchema,
  events: z.object({ agentFiles: agentFilesSchema }),
  calls: {
    read: { input: nothing, output: settingsSchema },
    /** The whole new file; `was` is the text it was edited from. */
    write: { input: z.object({ text, was: text }), output: settingsSchema },
    /** Sets one value; null removes it. */
    set: { input: z.object({ path, value: z.unknown() }), output: settingsSchema },
    /** Contents of the agents' own files, optionally of a project; later changes are pushed. */
    agents: { input: z.object({ project }), output: agentFilesSchema },
    /** Issues a link for a device, which may be limited to reading and answering (N54). */
    pair: { input: z.object({ name: z.string().max(100), isLimited: z.boolean() }), output: pairingSchema },
    revoke: { input: z.object({ signIn: z.string().min(1).max(100) }), output: settingsSchema },
  },
  wire: { state: 'settings', read: 'read' },
});
