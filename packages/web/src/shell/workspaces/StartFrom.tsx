/** Starts a session on a pull request or an issue (B91): looked up by its number, shown, then started. */
import { newId } from '@tugdeck/client/new-id';
import { pulls as pullsArea } from '@tugdeck/protocol/areas/pulls';
import type { ForgeItem } from '@tugdeck/protocol/workspaces/forge-item';
import { type FormEvent, useState } from 'react';
import { trayOf } from '../../features/attachments/tray.ts';
import { addToPrompt } from '../../features/prompt/add-to-prompt.ts';
import { itemFile, itemLine, itemNumber, itemPrompt } from '../../features/workspaces/pull-text.ts';
import { withTrust } from '../../kit/ask-trust.ts';
import { useClient } from '../../kit/client-context.tsx';
import { usableAgent } from '../../kit/projects.ts';
import { showSession } from '../../kit/route.ts';
import { useArea } from '../../kit/use-area.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export function StartFrom({ project, onClose }: { project: string; onClose: () => void }) {
  const client = useClient();
  const area = useArea(pullsArea, { project });
  const [text, setText] = useState('');
  const [item, setItem] = useState<ForgeItem>();
  const [isBusy, setBusy] = useState(false);
  const number = itemNumber(text);

  const act = async (then: () => Promise<void>) => {
    setBusy(true);
    await area.act(then);
    setBusy(false);
  };
  const look = (event: FormEvent) => {
    event.preventDefault();
    setItem(undefined);
    if (number === undefined) return;
    void act(async () => setItem(await area.channel?.call('item', { number })));
  };
  const start = (found: ForgeItem) =>
    act(async () => {
      const deck = client.deck.get();
      const agent = deck && usableAgent(deck, project);
      if (agent === undefined) throw new Error('No agents installed');
      const { head } = found;
      const row = await area.channel?.call('start', {
        number: found.number,
        ...(head ? { commit: head.commit } : {}),
      });
      if (!row) return;
      const session = newId();
      await withTrust(row.id, agent, () =>
        client.request({ type: 'session.create', session, project, agent, workspace: { id: row.id } }),
      );
      trayOf(session).add([
        new File([itemFile(found)], `${found.kind}-${found.number}.md`, { type: 'text/markdown' }),
      ]);
      onClose();
      showSession(session);
      addToPrompt(client, session, itemPrompt(found));
    });
  return (
    <section aria-label="Start from a pull request or issue" className="workspace-found">
      <h3>Start from a pull request or issue</h3>
      <form className="workspace-new" onSubmit={look}>
        <input
          className="field"
          aria-label="Number of the pull request or issue"
          placeholder="Number or address"
          value={text}
          maxLength={300}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={number === undefined || isBusy}>
          Look up
        </Button>
      </form>
      {area.fault === undefined ? null : (
        <p className="fault" role="alert">
          {visibleText(area.fault)}
        </p>
      )}
      {item ? (
        <div className="workspace">
          <div className="workspace-lines">
            <span className="workspace-name">{visibleText(item.title)}</span>
            <span className="workspace-detail">{visibleText(itemLine(item))}</span>
            {item.head?.isForeign ? (
              <span className="workspace-detail">
                The code is from another repository: the setup won’t run, and ignored files aren’t copied.
              </span>
            ) : null}
          </div>
          <Button look="primary" disabled={isBusy} onClick={() => void start(item)}>
            Start session
          </Button>
        </div>
      ) : null}
    </section>
  );
}
