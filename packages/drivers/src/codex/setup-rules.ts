/**
 * Codex's rules (`*.rules`): calls of `prefix_rule(pattern = [...], decision = "...")` in a subset of Python. Edits
 * keep every other byte. Pure.
 */
import type { SetupRule } from '@tugdeck/protocol/areas/agent-setup';
import type { ItemsForm, PlacedRule } from '../kit/setup/setup.ts';
import { shellParts, shellWords } from '../kit/setup/shell-parts.ts';
import { applySplices, lineEndOf, removal } from '../kit/setup/splice.ts';

interface Call {
  readonly start: number;
  readonly end: number;
  readonly pattern: { readonly start: number; readonly end: number };
  readonly decision: { readonly start: number; readonly end: number } | undefined;
  readonly rule: SetupRule;
}

const DECISIONS = { allow: 'allow', prompt: 'ask', forbidden: 'deny' } as const;
const WORDS: Readonly<Record<SetupRule['decision'], string>> = {
  allow: 'allow',
  ask: 'prompt',
  deny: 'forbidden',
};

const TOKEN =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[A-Za-z_]\w*|[()[\],=]|\s+|[\s\S]/g;

export const codexRules: ItemsForm = {
  type: 'rule',
  read: (text) =>
    callsIn(text).map(({ rule }, index) => ({
      key: JSON.stringify([index, rule.text]),
      name: rule.text,
      summary: rule.decision,
      content: rule,
    })),
  write(text, { key, content }) {
    const fresh = content?.type === 'rule' ? content : undefined;
    if (key === undefined) {
      if (!fresh) return text;
      const eol = lineEndOf(text);
      return `${text}${text === '' || text.endsWith('\n') ? '' : eol}${written(fresh)}${eol}`;
    }
    const [index = 0, was] = JSON.parse(key) as [number, string];
    const call = callsIn(text)[index];
    if (call?.rule.text !== was) throw new SyntaxError("this rule isn't in the file");
    if (!fresh) return applySplices(text, [removal(text, call.start, call.end)]);
    return applySplices(text, [
      ...(fresh.text === was ? [] : [{ ...call.pattern, text: patternOf(fresh.text) }]),
      ...(fresh.decision === call.rule.decision
        ? []
        : call.decision
          ? [{ ...call.decision, text: JSON.stringify(WORDS[fresh.decision]) }]
          : [
              {
                start: call.pattern.end,
                end: call.pattern.end,
                text: `, decision = "${WORDS[fresh.decision]}"`,
              },
            ]),
    ]);
  },
};

function written({ text, decision }: SetupRule): string {
  return `prefix_rule(pattern = ${patternOf(text)}, decision = "${WORDS[decision]}")`;
}

/** Alternatives are written `(a|b)`. */
function patternOf(text: string): string {
  const words = shellWords(text);
  if (words.length === 0) throw new SyntaxError('a rule needs a command');
  const parts = words.map((word) => {
    const alternatives = /^\(([^()]*\|[^()]*)\)$/.exec(word)?.[1]?.split('|');
    return alternatives
      ? `[${alternatives.map((one) => JSON.stringify(one)).join(', ')}]`
      : JSON.stringify(word);
  });
  return `[${parts.join(', ')}]`;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function callsIn(text: string): Call[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    if (!/^(?:#|\s)/.test(token))
      tokens.push({ text: token, start: match.index, end: match.index + token.length });
  }
  return tokens.flatMap((token, index) => {
    if (token.text !== 'prefix_rule' || tokens[index + 1]?.text !== '(') return [];
    const call = callAt(tokens, index);
    return call ? [call] : [];
  });
}

function callAt(tokens: readonly Token[], from: number): Call | undefined {
  let depth = 0;
  let pattern: { start: number; end: number } | undefined;
  let decision: Token | undefined;
  let words: (string | string[])[] = [];
  for (let index = from + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    // An unclosed call before it: each token is read once.
    if (token.text === 'prefix_rule' && tokens[index + 1]?.text === '(') return undefined;
    if (depth === 1 && token.text === 'pattern' && tokens[index + 1]?.text === '=') {
      const read = listAt(tokens, index + 2);
      if (!read) return undefined;
      pattern = { start: tokens[index + 2]?.start ?? 0, end: read.end };
      words = read.words;
    }
    if (depth === 1 && token.text === 'decision' && tokens[index + 1]?.text === '=')
      decision = tokens[index + 2];
    if (token.text === '(' || token.text === '[') depth++;
    if (token.text === ')' || token.text === ']') depth--;
    if (depth > 0) continue;
    if (!pattern) return undefined;
    const word = decision === undefined ? 'allow' : stringOf(decision.text);
    const known = DECISIONS[word as keyof typeof DECISIONS];
    if (known === undefined) return undefined;
    const shown = words
      .map((one) => (typeof one === 'string' ? quotedWord(one) : `(${one.join('|')})`))
      .join(' ');
    return {
      start: tokens[from]?.start ?? 0,
      end: token.end,
      pattern,
      decision,
      rule: { type: 'rule', decision: known, text: shown },
    };
  }
  return undefined;
}

function listAt(
  tokens: readonly Token[],
  from: number,
): { words: (string | string[])[]; end: number } | undefined {
  if (tokens[from]?.text !== '[') return undefined;
  const words: (string | string[])[] = [];
  for (let index = from + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    if (token.text === ']') return { words, end: token.end };
    if (token.text === ',') continue;
    if (token.text === '[') {
      let close = index + 1;
      while (close < tokens.length && tokens[close]?.text !== ']') close++;
      if (close === tokens.length) return undefined;
      words.push(
        tokens
          .slice(index + 1, close)
          .filter((one) => one.text !== ',')
          .map((one) => stringOf(one.text)),
      );
      index = close;
    } else words.push(stringOf(token.text));
  }
  return undefined;
}

function stringOf(token: string): string {
  const inner = token.slice(1, -1);
  return inner.replace(/\\(.)/g, (_all, char: string) => ({ n: '\n', t: '\t' })[char] ?? char);
}

function quotedWord(word: string): string {
  return /^[^\s"'\\()|]+$/.test(word) ? word : JSON.stringify(word);
}

/** The strictest rule that matches a part of the command; every part needs one to be allowed. */
export function decideCodex(all: readonly PlacedRule[], command: string) {
  const parts = shellParts(command).map(shellWords);
  for (const decision of ['deny', 'ask'] as const) {
    const rule = all.find(
      (one) => one.decision === decision && parts.some((part) => isPrefix(one.text, part)),
    );
    if (rule) return { decision, rule };
  }
  const allowing = parts.map((part) =>
    all.find((one) => one.decision === 'allow' && isPrefix(one.text, part)),
  );
  const rule = allowing[0];
  return rule && allowing.every(Boolean)
    ? { decision: 'allow' as const, rule }
    : { decision: 'none' as const };
}

function isPrefix(rule: string, words: readonly string[]): boolean {
  const pattern = shellWords(rule).map(
    (word) => /^\(([^()]*\|[^()]*)\)$/.exec(word)?.[1]?.split('|') ?? [word],
  );
  return (
    pattern.length <= words.length &&
    pattern.every((alternatives, index) => alternatives.includes(words[index] ?? ''))
  );
}
