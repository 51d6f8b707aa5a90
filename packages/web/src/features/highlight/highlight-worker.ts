/**
 * The highlighting worker: text and language in, runs out, one request at a time. Replies with nothing on failure,
 * so that the text stays plain.
 */
import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { grammarOf, PRELOADED } from './grammars.ts';
import { type ColoredToken, type Runs, runsOf } from './runs.ts';
import { kindOfColor, SYNTAX_THEME } from './syntax-theme.ts';

export interface HighlightRequest {
  readonly id: number;
  readonly text: string;
  readonly language: string;
}

export interface HighlightAnswer {
  readonly id: number;
  readonly runs?: Runs | undefined;
}

/** Longer lines are data, not code. */
const MAX_LINE = 2_000;
/** Timeout per line, against grammars that never end. The first lines include compiling the grammar. */
const LINE_MS = 10_000;

let made: Promise<HighlighterCore> | undefined;

function engine(): Promise<HighlighterCore> {
  made ??= createHighlighterCore({
    themes: [SYNTAX_THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return made;
}

async function highlight({ text, language }: HighlightRequest): Promise<Runs | undefined> {
  const load = grammarOf(language);
  if (!load) return undefined;
  const highlighter = await engine();
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage(load);
  const lines = highlighter.codeToTokensBase(text, {
    lang: language,
    theme: SYNTAX_THEME.name,
    tokenizeMaxLineLength: MAX_LINE,
    tokenizeTimeLimit: LINE_MS,
  });
  function* tokens(): Iterable<ColoredToken> {
    for (const { offset, content, color } of lines.flat()) {
      yield { offset, length: content.length, kind: kindOfColor(color) };
    }
  }
  return runsOf(tokens(), text.length);
}

let before: Promise<void> = Promise.resolve();
let isFirst = true;

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  before = before.then(async () => {
    const answer: HighlightAnswer = await highlight(data).then(
      (runs) => ({ id: data.id, runs }),
      () => ({ id: data.id }),
    );
    postMessage(answer);
    if (!isFirst) return;
    isFirst = false;
    await Promise.allSettled(Object.values(PRELOADED).map((load) => load()));
  });
});
