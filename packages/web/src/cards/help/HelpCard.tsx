/** Help (W6): commands, tools and models of the session's agent, keyboard shortcuts, and commands for the terminal. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { serverState } from '../../features/conversation/mcp-server-state.ts';
import { useCardView } from '../../features/conversation/use-card-view.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { keyNames } from '../../kit/keys/key-names.ts';
import { KEY_TABLE, type KeyScope, SCOPES } from '../../kit/keys/key-table.ts';
import { keymap } from '../../kit/keys/keymap.ts';
import { lastActive, titleOf } from '../../kit/projects.ts';
import { route } from '../../kit/route.ts';
import { useChannel } from '../../kit/use-channel.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { commandGroups } from './command-groups.ts';
import './help.css';

export default function HelpCard(_props: CardProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const active = useReadable(route);
  const row = deck?.sessions.find(({ id }) => id === active) ?? (deck ? lastActive(deck) : undefined);
  return (
    <fieldset className="pane-page help" aria-label="Help">
      <div className="pane-body">
        {row ? <AgentHelp key={row.id} session={row.id} title={titleOf(row)} /> : null}
        <Keys />
        <section className="pane-section">
          <h3>From the terminal</h3>
          <p>
            <code>tugdeck doctor</code> checks your setup. <code>tugdeck url</code> prints a new sign-in link.{' '}
            <code>tugdeck logs</code> collects the logs for a report, without secrets.{' '}
            <code>tugdeck --help</code> lists all commands.
          </p>
        </section>
      </div>
    </fieldset>
  );
}

function AgentHelp({ session, title }: { session: string; title: string }) {
  const channel = useChannel(useClient(), session);
  return channel ? <Offers channel={channel} title={title} /> : null;
}

function Offers({ channel, title }: { channel: ConversationChannel; title: string }) {
  const { facts } = useCardView(channel).conversation;
  const label = facts.agentLabel ?? 'The agent';
  const version = facts.agentVersion ? ` ${facts.agentVersion}` : '';
  return (
    <section className="pane-section">
      <h3>
        {visibleText(label)}
        {visibleText(version)}
      </h3>
      <p className="muted">
        Reported by “{visibleText(title)}”
        {facts.account ? `, signed in as ${visibleText(facts.account)}` : ''}
      </p>
      {commandGroups(facts.commands).map(({ label: group, commands }) => (
        <details key={group}>
          <summary>
            {group} ({commands.length})
          </summary>
          <dl className="help-list">
            {commands.map(({ name, description, argumentHint }) => (
              <div key={name}>
                <dt>
                  <code>/{visibleText(name)}</code> {argumentHint ? <i>{visibleText(argumentHint)}</i> : null}
                </dt>
                <dd>{visibleText(description ?? '')}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
      <Names label="Tools" names={facts.tools} />
      <Names label="Skills" names={facts.skills} />
      <Names label="Subagents" names={facts.subagents} />
      <Names label="Models" names={facts.models?.map((model) => model.label)} />
      <Names label="Modes" names={facts.modes?.map((mode) => mode.label)} />
      <Names label="Plugins" names={facts.plugins?.map(({ name, source }) => pluginText(name, source))} />
      <Names
        label="MCP servers"
        names={facts.mcpServers?.map((server) => `${server.name} (${serverState(server)})`)}
      />
    </section>
  );
}

function pluginText(name: string, source: string | undefined): string {
  return source === undefined || source === name ? name : `${name} (${source})`;
}

function Names({ label, names }: { label: string; names: readonly string[] | undefined }) {
  if (!names?.length) return null;
  return (
    <details>
      <summary>
        {label} ({names.length})
      </summary>
      <ul className="help-names">
        {names.map((name) => (
          <li key={name}>{visibleText(name)}</li>
        ))}
      </ul>
    </details>
  );
}

function Keys() {
  const map = useReadable(keymap);
  return (
    <section className="pane-section">
      <h3>Keyboard shortcuts</h3>
      {(Object.keys(SCOPES) as KeyScope[]).map((scope) => (
        <details key={scope}>
          <summary>{SCOPES[scope]}</summary>
          <dl className="help-list">
            {KEY_TABLE.filter((row) => row.scope === scope && map.has(row.id)).map(({ id, does }) => (
              <div key={id}>
                <dt>
                  {keyNames(map.get(id) ?? '').map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}
