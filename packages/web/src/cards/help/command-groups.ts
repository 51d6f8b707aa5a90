/** Groups commands by provider, for Help. Pure. */
import type { CommandCategory, SessionInfo } from '@tugdeck/protocol/conversation/session-info';

type Commands = NonNullable<SessionInfo['commands']>;

export interface CommandGroup {
  readonly label: string;
  readonly commands: Commands;
}

const LABELS: Readonly<Record<CommandCategory, string>> = {
  local: 'Tugdeck commands',
  agent: 'Agent commands',
  skill: 'Skills as commands',
  plugin: 'Plugin commands',
};

/** One group if the agent does not report providers. */
export function commandGroups(commands: Commands = []): CommandGroup[] {
  if (commands.every(({ category }) => category === undefined)) {
    return commands.length === 0 ? [] : [{ label: 'Commands', commands }];
  }
  return (Object.keys(LABELS) as CommandCategory[]).flatMap((category) => {
    const own = commands.filter((command) => (command.category ?? 'agent') === category);
    return own.length === 0 ? [] : [{ label: LABELS[category], commands: own }];
  });
}
