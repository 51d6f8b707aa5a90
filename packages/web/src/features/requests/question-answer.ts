/** The choices in a question form and the answer they make. Pure. */
import { type Answer, answerSchema } from '@tugdeck/protocol/conversation/commands';
import type { QuestionEntry } from '@tugdeck/protocol/conversation/entries';

export type Question = QuestionEntry['request']['questions'][number];

export interface ChosenAnswer {
  readonly choices: readonly string[];
  readonly isOther: boolean;
  readonly other: string;
  /** A comment on the answer. */
  readonly notes: string;
}

export const NOTHING: ChosenAnswer = { choices: [], isOther: false, other: '', notes: '' };

/** Ids come from agents, so inherited properties such as "constructor" must not match. */
export function chosenOf(chosen: Readonly<Record<string, ChosenAnswer>>, id: string): ChosenAnswer {
  return (Object.hasOwn(chosen, id) ? chosen[id] : undefined) ?? NOTHING;
}

export function withChoice(
  chosen: ChosenAnswer,
  question: Question,
  label: string,
  isOn: boolean,
): ChosenAnswer {
  if (!question.multiple) return { ...chosen, choices: [label], isOther: false };
  const others = chosen.choices.filter((choice) => choice !== label);
  return { ...chosen, choices: isOn ? [...others, label] : others };
}

export function withOther(chosen: ChosenAnswer, question: Question, isOn: boolean): ChosenAnswer {
  return { ...chosen, isOther: isOn, choices: question.multiple ? chosen.choices : [] };
}

/**
 * The option that a digit chooses: of the question with the focus, otherwise of the first one without an answer.
 * Undefined if the question has fewer options.
 */
export function withDigit(
  questions: readonly Question[],
  chosen: Readonly<Record<string, ChosenAnswer>>,
  { digit, focused }: { readonly digit: number; readonly focused: string | undefined },
): Readonly<Record<string, ChosenAnswer>> | undefined {
  const question =
    questions.find(({ id }) => id === focused) ??
    questions.find(({ id }) => !isAnswered(chosenOf(chosen, id))) ??
    questions[0];
  const label = question?.options[digit - 1]?.label;
  if (!question || label === undefined) return undefined;
  const before = chosenOf(chosen, question.id);
  return { ...chosen, [question.id]: withChoice(before, question, label, !before.choices.includes(label)) };
}

export function isAnswered(chosen: ChosenAnswer): boolean {
  return chosen.isOther ? chosen.other.trim() !== '' : chosen.choices.length > 0;
}

export function questionAnswer(
  questions: readonly Question[],
  chosen: Readonly<Record<string, ChosenAnswer>>,
): Answer {
  type Answers = Extract<Answer, { type: 'question' }>['answers'];
  const answers = questions.map(({ id }): [string, Answers[string]] => {
    const { choices, isOther, other, notes } = chosenOf(chosen, id);
    const note = notes.trim();
    return [
      id,
      {
        choices: [...choices],
        ...(isOther ? { other: other.trim() } : {}),
        ...(note === '' ? {} : { notes: note }),
      },
    ];
  });
  return { type: 'question', answers: Object.fromEntries(answers) };
}

/** The answers as text, per question. */
export function answerText(entry: QuestionEntry): readonly { id: string; header: string; answer: string }[] {
  const parsed = answerSchema.safeParse(entry.request.answer);
  const answers = parsed.success && parsed.data.type === 'question' ? parsed.data.answers : {};
  return entry.request.questions.map(({ id, header, text }) => {
    const given = Object.hasOwn(answers, id) ? answers[id] : undefined;
    const chosen = [...(given?.choices ?? []), ...(given?.other ? [given.other] : [])].join(', ');
    const note = given?.notes ? ` — “${given.notes}”` : '';
    return { id, header: header || text, answer: `${chosen || 'no answer'}${note}` };
  });
}
