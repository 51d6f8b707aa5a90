/** The Preview card (W7): a web server of the project in a frame, with its address, its errors, and buttons that add to the message. */
import { readLocalAddress } from '@tugdeck/protocol/preview/local-address';
import { useCallback, useRef, useState } from 'react';
import { trayOf } from '../../features/attachments/tray.ts';
import { quoteText } from '../../features/prompt/add-to-prompt.ts';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { canPreview, serverOf, sessionFor } from '../../kit/preview.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { Console } from './Console.tsx';
import { EmptyPreview } from './EmptyPreview.tsx';
import { HolderQuestion } from './HolderQuestion.tsx';
import { PreviewBar } from './PreviewBar.tsx';
import { PreviewFrame } from './PreviewFrame.tsx';
import { describeElement, type PickedElement } from './preview-messages.ts';
import { usePreview } from './use-preview.ts';
import './preview.css';

/** Size of a screenshot where the frame has no fixed width. */
const DEFAULT_WIDTH = 1280;
const HEIGHT = 900;

export default function PreviewCard({ params, isVisible, setTitle, setParams }: CardProps) {
  const client = useClient();
  const { project, item: address } = params;
  const element = useRef<HTMLIFrameElement>(null);
  const [width, setWidth] = useState<number>();
  const [isConsoleOpen, setConsoleOpen] = useState(false);
  const [isTaking, setTaking] = useState(false);
  const session = sessionFor(client, params);
  const target = address === undefined ? undefined : readLocalAddress(address);
  const onPicked = useCallback(
    (picked: PickedElement | undefined) => {
      if (!picked || project === undefined || target === undefined) return;
      quoteText(client, project, describeElement(`http://${serverOf(address ?? '')}`, picked), session);
    },
    [client, project, session, address, target],
  );
  const preview = usePreview(project, address, isVisible, element, onPicked);
  const { frame, held, note, reports, state, fault, isPicking, shownAddress, act } = preview;
  const go = (text: string) => {
    const read = readLocalAddress(text);
    const next = read ? text.trim() : undefined;
    if (next === undefined) return false;
    setTitle(serverOf(next));
    if (next === address) preview.load();
    else setParams({ ...params, item: next });
    return true;
  };
  const takeScreenshot = () => {
    if (session === undefined || shownAddress === undefined) return;
    setTaking(true);
    const { accepted } = preview;
    void act(async (area) => {
      const size = { width: width ?? DEFAULT_WIDTH, height: HEIGHT };
      const { png } = await area.call('screenshot', {
        address: shownAddress,
        ...size,
        ...(accepted === undefined ? {} : { accepted }),
      });
      trayOf(session).add([pictureOf(png, serverOf(shownAddress))]);
    }).finally(() => setTaking(false));
  };
  if (!canPreview() || state?.isOffered === false) {
    return (
      <fieldset className="pane preview-card" aria-label="Preview">
        <p className="pane-empty">
          Preview works only in a browser on the machine where Tugdeck runs, without TLS.
        </p>
      </fieldset>
    );
  }
  return (
    <fieldset className="pane preview-card" aria-label="Preview">
      <PreviewBar
        address={shownAddress}
        onGo={go}
        onReload={() => preview.load()}
        width={width}
        onWidth={setWidth}
        isPicking={isPicking}
        onPick={frame ? preview.pick : undefined}
        onScreenshot={frame && state?.hasBrowser && session !== undefined ? takeScreenshot : undefined}
        isTaking={isTaking}
        reports={reports.length}
        isConsoleOpen={isConsoleOpen}
        onConsole={() => setConsoleOpen(!isConsoleOpen)}
      />
      {fault === undefined ? null : (
        <div className="pane-fault" role="alert">
          <p>{fault}</p>
        </div>
      )}
      {note === undefined ? null : (
        <div className="preview-note" role="status">
          <span className="truncate">Not shown here: {visibleText(note)}</span>
          {readLocalAddress(note) ? <Button onClick={() => go(note)}>Preview it</Button> : null}
          <Button look="quiet" onClick={() => preview.load()}>
            Back to the app
          </Button>
        </div>
      )}
      {isPicking ? (
        <p className="preview-note" role="status">
          Click an element, or use arrow keys and Enter. Esc cancels.
        </p>
      ) : null}
      {held ? <HolderQuestion held={held} onShow={() => preview.load(held.holder.key)} /> : null}
      {frame ? (
        <PreviewFrame
          frame={frame}
          element={element}
          title={`Preview of ${serverOf(address ?? '')}`}
          width={width}
          mayHaveFocus={preview.mayHaveFocus}
        />
      ) : address === undefined ? (
        <EmptyPreview project={project} channel={preview.channel} onGo={go} />
      ) : (
        <div className="pane-waiting" />
      )}
      {isConsoleOpen ? <Console reports={reports} onClear={preview.clearReports} /> : null}
    </fieldset>
  );
}

function pictureOf(png: string, server: string): File {
  const bytes = Uint8Array.from(atob(png), (unit) => unit.charCodeAt(0));
  return new File([bytes], `${server.replaceAll(/[^\w.-]/g, '-')}.png`, { type: 'image/png' });
}
