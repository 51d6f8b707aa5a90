/** Serves the agent setup area: shows the agents' own files while a page is open, and applies confirmed changes. */
import { type AgentSetupState, agentSetup, type SetupScope } from '@tugdeck/protocol/areas/agent-setup';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import { testCommand } from './command-test.ts';
import { launchOf, listTools } from './server-tools.ts';
import { applyChange, planChange } from './setup-change.ts';
import { readSetups, type SetupReading, textOfItem } from './setup-files.ts';

export interface SetupOptions {
  /** Throws a `CodedError` if the project does not exist. */
  readonly reading: (project: string | undefined) => SetupReading;
  readonly trust: (project: string) => string;
  /** Agents read their files at startup: idle ones end, so that the next turn starts with the new files. */
  readonly changed: (agents: readonly string[], scope: SetupScope, project: string | undefined) => void;
}

/** How often files are checked while a page shows them; less often if that takes long. */
const POLL_MS = 1_000;
const POLL_FACTOR = 20;

export function serveSetup({ reading, trust, changed }: SetupOptions): ServedArea {
  return serveArea(agentSetup, ({ project }, out) => {
    const current = (): AgentSetupState => ({
      agents: readSetups(reading(project)),
      ...(project === undefined ? {} : { trust: trust(project) }),
    });
    let shown = '';
    const publish = (): AgentSetupState => {
      const state = current();
      const text = JSON.stringify(state);
      if (text !== shown) {
        shown = text;
        out.state(state);
      }
      return state;
    };
    let timer: NodeJS.Timeout;
    const poll = () => {
      const start = performance.now();
      publish();
      const wait = Math.max(POLL_MS, POLL_FACTOR * (performance.now() - start));
      timer = setTimeout(() => {
        try {
          poll();
        } catch (error) {
          // The project was removed: stop checking.
          if (!(error instanceof CodedError)) throw error;
        }
      }, wait).unref();
    };
    poll();
    return {
      calls: {
        read: current,
        text: (item) => ({ text: textOfItem(item, reading(project)) }),
        preview: ({ change }) => planChange(change, reading(project)).preview,
        async apply({ change, hash }) {
          const planned = planChange(change, reading(project));
          await applyChange(planned, hash);
          changed(planned.agents, planned.place.about.scope, project);
          return publish();
        },
        async tools(server) {
          const isTrusted = project !== undefined && trust(project) === 'yes';
          return { tools: await listTools(launchOf(server, reading(project), isTrusted)) };
        },
        test: ({ agent, command }) => testCommand(agent, command, reading(project)),
      },
      close: () => clearTimeout(timer),
    };
  });
}
