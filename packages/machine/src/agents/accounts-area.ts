/** Serves the accounts area: checks when a page shows accounts, and opens the agents' own sign-in in a terminal. */
import { accounts as accountsArea } from '@tugdeck/protocol/areas/accounts';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import type { Terminals } from '../terminals/terminals.ts';
import type { Accounts } from './accounts.ts';

export interface AccountsAreaOptions {
  readonly accounts: Accounts;
  readonly projects: Pick<Projects, 'get'>;
  readonly terminals: Pick<Terminals, 'request'>;
}

export function serveAccounts({ accounts, projects, terminals }: AccountsAreaOptions): ServedArea {
  return serveArea(accountsArea, ({ isPassive = false, agent: only }, out) => {
    out.state(accounts.state());
    const unsubscribe = accounts.subscribe(() => out.state(accounts.state()));
    if (!isPassive) void accounts.check();
    else if (only !== undefined) void accounts.checkOnce(only);
    return {
      calls: {
        async check() {
          await accounts.check();
          return accounts.state();
        },
        async open({ agent, way, project, terminal, size }) {
          projects.get(project);
          const account = accounts.state().accounts.find((one) => one.agent === agent);
          if (!account) throw new CodedError('AGENT_UNAVAILABLE', 'This agent is not installed.');
          const name = `${way === 'in' ? 'Sign in' : 'Sign out'}: ${account.label}`;
          const launch = accounts.launch(agent, way);
          // Started again, it is a plain terminal.
          await terminals.request({
            type: 'create',
            terminal,
            project,
            runs: { type: 'shell' },
            size,
            launch,
            name,
          });
        },
      },
      close: unsubscribe,
    };
  });
}
