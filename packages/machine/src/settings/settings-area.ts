/** Serves the settings area (W6): the configuration file, changes to it, and signed-in browsers. */
import { settings } from '@tugdeck/protocol/areas/settings';
import type { AgentFiles } from '@tugdeck/protocol/settings/agent-files';
import type { Pairing, Settings } from '@tugdeck/protocol/settings/settings-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SignInTable } from '@tugdeck/store/sign-in-table';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { PreviewAccess } from '../preview-access.ts';
import type { PushAccess } from '../push-access.ts';
import type { LiveConfiguration } from './live-configuration.ts';

export interface SettingsOptions {
  readonly configuration: LiveConfiguration;
  readonly dataDirectory: string;
  readonly build: string;
  readonly now: () => number;
  /** Settings from the agents' own files, the user's and a project's. */
  readonly agentFiles: (project: string | undefined) => AgentFiles;
}

/** How often agents' files are checked while a page shows them. */
const POLL_MS = 1_000;

/** What only the transport knows: address, encryption and sign-ins. */
export interface ServerAccess {
  readonly origin: () => string;
  /** The origin of a proxy on this machine, if one is configured. */
  readonly proxiedOrigin: string | undefined;
  readonly host: string;
  readonly isLoopback: boolean;
  readonly hasTls: boolean;
  readonly hasPassword: () => boolean;
  readonly signIns: SignInTable;
  /** Issues a one-time link for a device (N54). */
  readonly pair: (device: { readonly name: string; readonly isLimited: boolean }) => Pairing;
  /** Revokes a sign-in and closes its connections. */
  readonly revoke: (signIn: string) => void;
  readonly previews: PreviewAccess;
  readonly push: PushAccess;
}

export function serveSettings(options: SettingsOptions, access: ServerAccess): ServedArea {
  const { configuration } = options;
  const settingsFor = (own: string | undefined): Settings => {
    const { text, values, problem } = configuration.state;
    return {
      file: configuration.file,
      text,
      ...(values ? { values } : {}),
      ...(problem === undefined ? {} : { problem }),
      stronger: configuration.overrides,
      dataDirectory: options.dataDirectory,
      build: options.build,
      exposure: {
        origin: access.origin(),
        ...(access.proxiedOrigin === undefined ? {} : { proxiedOrigin: access.proxiedOrigin }),
        host: access.host,
        isLoopback: access.isLoopback,
        hasTls: access.hasTls,
        hasPassword: access.hasPassword(),
        signIns: access.signIns.list(options.now()).map((one) => ({ ...one, isThis: one.id === own })),
      },
    };
  };
  return serveArea(settings, (_about, out) => {
    const current = () => settingsFor(out.signIn);
    const unsubscribe = configuration.subscribe(() => out.state(current()));
    let shown = '';
    let timer: NodeJS.Timeout | undefined;
    const watchAgentFiles = (project: string | undefined): AgentFiles => {
      const agentFiles = options.agentFiles(project);
      shown = JSON.stringify(agentFiles);
      clearInterval(timer);
      timer = setInterval(() => {
        try {
          const next = options.agentFiles(project);
          const text = JSON.stringify(next);
          if (text === shown) return;
          shown = text;
          out.emit({ agentFiles: next });
        } catch (error) {
          // The project was removed: stop checking.
          if (!(error instanceof CodedError)) throw error;
          clearInterval(timer);
        }
      }, POLL_MS);
      timer.unref();
      return agentFiles;
    };
    return {
      calls: {
        read: current,
        write({ text, was }) {
          configuration.write(text, was);
          return current();
        },
        set({ path, value }) {
          configuration.set(path, value);
          return current();
        },
        agents: ({ project }) => watchAgentFiles(project),
        pair: ({ name, isLimited }) => access.pair({ name: name.trim(), isLimited }),
        revoke({ signIn }) {
          const isKnown = access.signIns.list(options.now()).some(({ id }) => id === signIn);
          if (!isKnown) throw new CodedError('NOT_FOUND', 'This browser is no longer signed in.');
          access.revoke(signIn);
          return current();
        },
      },
      close() {
        clearInterval(timer);
        unsubscribe();
      },
    };
  });
}
