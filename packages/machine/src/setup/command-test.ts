/** Tests a shell command against an agent's permission rules (A61). It is never run. */
import { KNOWN_SETUPS, type PlacedRule } from '@tugdeck/drivers/setup/known-setups';
import type { SetupVerdict } from '@tugdeck/protocol/areas/agent-setup';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type FoundPlace, filesOf, findPlaces } from './places.ts';
import { readPlaced, type SetupReading, shownPath } from './setup-files.ts';

export function testCommand(
  agent: string,
  command: string,
  reading: SetupReading,
): { decision: SetupVerdict; rule?: string; file?: string } {
  const description = KNOWN_SETUPS.find(({ agents }) => agents.includes(agent));
  if (!description) throw new CodedError('NOT_FOUND', 'This agent has no rules that can be tested.');
  const rules = findPlaces(description, reading)
    .filter(({ about }) => about.kind === 'rule')
    .flatMap((place) => rulesOf(place, reading));
  const { decision, rule } = description.decide(rules, command);
  return { decision, ...(rule ? { rule: rule.name, file: rule.file } : {}) };
}

function rulesOf(place: FoundPlace, reading: SetupReading): PlacedRule[] {
  const { about } = place;
  return filesOf(place).flatMap(({ path }) => {
    try {
      const text = readPlaced(place, path) ?? '';
      if (about.form.type === 'text') return [];
      return about.form.read(text, reading).flatMap(({ key, name, content }) =>
        content?.type === 'rule'
          ? [
              {
                key,
                name,
                decision: content.decision,
                text: content.text,
                scope: about.scope,
                file: shownPath({ ...place, path }, reading),
              },
            ]
          : [],
      );
    } catch {
      return []; // Listed as unreadable.
    }
  });
}
