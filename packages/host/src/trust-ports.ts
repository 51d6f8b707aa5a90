/** Trust in the project's configuration (X6), checked before every start of the agent, including restarts. */
import type { HostConfig } from '@tugdeck/local/host-config';
import type { Log } from '@tugdeck/local/log';
import { differsOnlyByGrants, recordGrants, savedRules } from '@tugdeck/trust/grants';
import { placeOf } from '@tugdeck/trust/place';
import { readProjectConfig } from '@tugdeck/trust/project-config';
import type { SessionHostPorts } from './session-host.ts';

export function trustPorts(
  { trusted, directory, dataDirectory, agent }: HostConfig,
  log: Log,
): Pick<SessionHostPorts, 'refusal' | 'onAnswer'> {
  const readConfig = () => (trusted ? readProjectConfig(directory, trusted.home) : undefined);
  const first = readConfig();
  const granted = new Set<string>();
  return {
    refusal() {
      const now = readConfig();
      if (!now || now.hash === trusted?.hash) return undefined;
      // The original findings are known only if the configuration was still unchanged when this host started.
      if (
        first?.hash === trusted?.hash &&
        differsOnlyByGrants(now.findings, first?.findings ?? [], granted)
      ) {
        return undefined;
      }
      return `The configuration that ${agent.label} would read from this project has changed since you trusted it.`;
    },
    // The agent writes saved rules into the project. They must not look like an unapproved change of its configuration.
    onAnswer(entry, answer) {
      if (entry.kind !== 'permission' || answer.type !== 'permission') return;
      const option = entry.request.options.find(({ id }) => id === answer.option);
      const rules = option ? savedRules(option) : [];
      if (rules.length === 0) return;
      for (const rule of rules) granted.add(rule);
      try {
        recordGrants(dataDirectory, directory, rules);
      } catch (error) {
        log.warn('a saved rule was not noted', { error });
      }
    },
  };
}

/** The top of the checkout that the user trusts. */
export function trustedRoot({ trusted, directory }: HostConfig): string | undefined {
  return trusted && placeOf(directory, trusted.home).root;
}
