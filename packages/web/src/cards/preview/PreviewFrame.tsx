import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react';
import { useFocusGuard } from './use-focus-guard.ts';
import type { Frame } from './use-preview.ts';

export interface PreviewFrameProps {
  frame: Frame;
  element: RefObject<HTMLIFrameElement | null>;
  title: string;
  width: number | undefined;
  /** Whether the app may have the focus without a press on it. */
  mayHaveFocus: () => boolean;
}

/**
 * The frame of a previewed app: a separate origin, no way to navigate the deck, no popups, downloads or device
 * permissions. A wider one than the panel is drawn smaller.
 */
export function PreviewFrame({ frame, element, title, width, mayHaveFocus }: PreviewFrameProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    if (!stage.current) return;
    const watch = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    watch.observe(stage.current);
    return () => watch.disconnect();
  }, []);
  useFocusGuard(element, mayHaveFocus);
  const scale = width === undefined || room === 0 ? 1 : Math.min(1, room / width);
  return (
    <div ref={stage} className="preview-stage" data-fixed={width !== undefined || undefined}>
      <iframe
        key={frame.url}
        ref={element}
        className="preview-frame"
        title={title}
        src={frame.url}
        sandbox="allow-scripts allow-same-origin allow-forms"
        allow=""
        referrerPolicy="no-referrer"
        style={
          width === undefined
            ? undefined
            : ({ '--frame-width': `${width}px`, '--frame-scale': scale } as CSSProperties)
        }
      />
    </div>
  );
}
