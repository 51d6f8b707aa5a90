/**
 * The click delay for one answerable element (C6, X6): a request, plan, form or dialog. Code that sends an answer
 * must call `mayAnswer` first. `ref` attaches to the frame.
 */
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { type Press, type Refusal, readyAt, refusalOf } from './answer-rules.ts';
import { noteAnswer, pageFacts, watchPage } from './page-presses.ts';
import { checkAll, type StabilityWatch, watchStability } from './stability-watch.ts';

/** Long enough to read one line. */
const NOTE_MS = 4_000;

export interface AnswerGuard {
  readonly ref: (element: HTMLElement | null) => (() => void) | undefined;
  /** Whether presses are ignored now; the frame sets `aria-disabled`. */
  readonly isResting: boolean;
  /** Why the last press was ignored; cleared after a moment. */
  readonly refusal: Refusal | undefined;
  /** Whether the current press may answer. If so, it counts as an answer and all other requests wait. */
  mayAnswer(): boolean;
}

class Guard {
  shownAt = Number.POSITIVE_INFINITY;
  watch: StabilityWatch | undefined;
  onChange: () => void = () => undefined;

  /** Visible from the next frame on. */
  show(): () => void {
    this.shownAt = Number.POSITIVE_INFINITY;
    this.onChange();
    const frame = requestAnimationFrame(() => {
      this.shownAt = performance.now();
      this.onChange();
    });
    return () => cancelAnimationFrame(frame);
  }

  readyAt(): number {
    const movedAt = this.watch?.movedAt ?? Number.NEGATIVE_INFINITY;
    return readyAt({ shownAt: this.shownAt, movedAt, ...pageFacts });
  }

  refusal(press: Press): Refusal | undefined {
    checkAll();
    const { watch, shownAt } = this;
    return refusalOf({
      press,
      before: pageFacts.before,
      shownAt,
      movedAt: watch?.movedAt ?? Number.NEGATIVE_INFINITY,
      answeredAt: pageFacts.answeredAt,
      windowAt: pageFacts.windowAt,
      focusedAt: watch?.focusedAt,
      isInView: watch?.isInView() ?? true,
      isInside: watch?.contains(press.control) ?? true,
      isBeforeInside: watch?.contains(pageFacts.before?.control) ?? false,
    });
  }
}

/** `shown` identifies the content; a change restarts the delay. */
export function useAnswerGuard(shown: string): AnswerGuard {
  const [guard] = useState(() => new Guard());
  const [isResting, setResting] = useState(true);
  const [refusal, setRefusal] = useState<Refusal>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      const wait = guard.readyAt() - performance.now();
      setResting(wait > 0);
      if (wait > 0 && Number.isFinite(wait)) timer = setTimeout(update, wait);
    };
    guard.onChange = update;
    const end = watchPage(update);
    update();
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [guard]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts when the content changes
  useLayoutEffect(() => guard.show(), [guard, shown]);

  useEffect(() => {
    if (refusal === undefined) return;
    const timer = setTimeout(() => setRefusal(undefined), NOTE_MS);
    return () => clearTimeout(timer);
  }, [refusal]);

  const ref = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined;
      const { watch, end } = watchStability(element, () => guard.onChange());
      guard.watch = watch;
      return () => {
        guard.watch = undefined;
        end();
      };
    },
    [guard],
  );
  const mayAnswer = useCallback(() => {
    const now = performance.now();
    const press = pageFacts.press ?? { kind: 'assist', at: now, control: undefined, x: 0, y: 0 };
    const why = guard.refusal(press);
    setRefusal(why);
    if (why === undefined) noteAnswer(now);
    return why === undefined;
  }, [guard]);
  return useMemo(() => ({ ref, isResting, refusal, mayAnswer }), [ref, isResting, refusal, mayAnswer]);
}
