import type { agentSetup } from '@tugdeck/protocol/areas/agent-setup';
import type { CallOutput } from '@tugdeck/protocol/areas/area';
import { type FormEvent, useState } from 'react';
import { faultText } from '../../../kit/deck-actions.ts';
import { visibleExact, visiblePath } from '../../../kit/visible-text.ts';
import { Button } from '../../../ui/Button.tsx';
import type { SetupChannel } from './SetupReview.tsx';
import { VERDICT_TEXTS } from './setup-texts.ts';

type Verdict = CallOutput<typeof agentSetup, 'test'>;

/** Tests a shell command against the saved rules. It is never run. */
export function CommandTest({ agent, channel }: { agent: string; channel: SetupChannel }) {
  const [verdict, setVerdict] = useState<Verdict>();
  const [fault, setFault] = useState<string>();
  const test = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const command = String(new FormData(event.currentTarget).get('command') ?? '').trim();
    if (command === '') return;
    setFault(undefined);
    try {
      setVerdict(await channel.call('test', { agent, command }));
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <form className="setup-test" onSubmit={(event) => void test(event)}>
      <input
        className="field mono"
        name="command"
        aria-label="Command to test"
        placeholder="Command to test, such as git push"
        spellCheck={false}
        autoComplete="off"
        onChange={() => setVerdict(undefined)}
      />
      <Button type="submit">Test</Button>
      <output>
        {fault ?? (verdict ? VERDICT_TEXTS[verdict.decision] : '')}
        {verdict?.rule === undefined ? null : (
          <>
            {' by '}
            <code>{visibleExact(verdict.rule)}</code>{' '}
            <span className="settings-quiet">{visiblePath(verdict.file ?? '')}</span>
          </>
        )}
      </output>
    </form>
  );
}
