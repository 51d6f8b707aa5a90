// The scripts that every fake starts with, one per flow of an end-to-end test: `SCN:bash` in a prompt runs `bash`.
// The last step must be safe to repeat, because the CLI may start more turns by itself. Pure data; a test
// that needs another script calls `fake.script`.
import { join } from 'node:path';
import { longAnswer, longAnswerChunk } from './long-answer.ts';
import { attempts, failure, hold, type Script, text, thinking, toolUse } from './script.ts';

export { longAnswer } from './long-answer.ts';

/** Files that the `edit`, `read` and `several` scripts expect in the project. */
export const projectFiles: Readonly<Record<string, string>> = {
  'notes.md': '# Notes\n\nfirst line\nsecond line\nthird line\n',
  'src/greet.ts':
    "export function greet(name: string): string {\n  return 'Hello ' + name;\n}\n\nconsole.log(greet('deck'));\n",
};

/** Texts and files of the scripts, for the tests' expectations. */
export const shortAnswer = 'Hello from the scripted model. This answer is **short**.';
export const thought = 'The user wants to see me think. I consider two ways and take the simpler one.';
export const madeFile = 'made-by-agent.txt';
export const writtenFile = { path: 'written-by-agent.md', content: '# Written\n\nby the agent\n' } as const;
export const planText = '# Plan\n\n1. Read `notes.md`\n2. Add a fourth line\n3. Run the tests\n';
export const bashCommand = `touch ${madeFile} && echo done`;
// The CLI refuses a long `sleep`, but not a loop; this one needs permission.
export const slowCommand = 'i=0; while [ $i -lt 600 ]; do echo tick $i; sleep 0.1; i=$((i+1)); done';

const edit = toolUse('Edit', ({ cwd }) => ({
  file_path: join(cwd, 'src/greet.ts'),
  old_string: "  return 'Hello ' + name;",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of the edited file
  new_string: '  const whom = name.trim();\n  return `Hello, ${whom}!`;',
}));

const write = toolUse('Write', ({ cwd }) => ({
  file_path: join(cwd, writtenFile.path),
  content: writtenFile.content,
}));

const read = toolUse('Read', ({ cwd }) => ({ file_path: join(cwd, 'notes.md') }));

const bash = toolUse('Bash', { command: bashCommand, description: 'Make a file' });

const colour = {
  question: 'Which colour should the deck have?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Blue', description: 'Calm' },
    { label: 'Green', description: 'Fresh' },
    { label: 'Red', description: 'Loud' },
  ],
};

const parts = {
  question: 'Which parts should be painted?',
  header: 'Parts',
  multiSelect: true,
  options: [
    { label: 'Hull', description: 'The outside' },
    { label: 'Mast', description: 'The tall one' },
    { label: 'Rail', description: 'The edge' },
  ],
};

const plan: Script = ({ planFile, cwd }) => [
  toolUse('ToolSearch', { query: 'select:EnterPlanMode,ExitPlanMode', max_results: 5 }),
  toolUse('EnterPlanMode', {}),
  toolUse('Write', { file_path: planFile ?? join(cwd, 'plan.md'), content: planText }),
  toolUse('ExitPlanMode', {}),
  text('The plan is settled.'),
];

export const defaultScripts: Readonly<Record<string, Script>> = {
  text: [text(shortAnswer)],
  long: [text(longAnswer, { chunk: longAnswerChunk })],
  thinking: [[thinking(thought), text('I thought about it. Here is the answer.')]],
  /** Stops in the middle of the text at hold `mid`. */
  hold: [text(['The first half. ', hold('mid'), 'The second half.'])],
  /** Sends nothing until hold `silent` is released. */
  silent: [[hold('silent'), text('At last an answer.')]],
  bash: [[text('I will make a file.'), bash], text('The file is made.')],
  'bash-slow': [
    [toolUse('Bash', { command: slowCommand, description: 'Count slowly' })],
    text('Counted to the end.'),
  ],
  'bash-fail': [
    [toolUse('Bash', { command: 'ls no-such-file', description: 'List what is missing' })],
    text('The command failed, as expected.'),
  ],
  edit: [[text('I will edit the greeting.'), edit], text('The greeting is edited.')],
  write: [[write], text('The file is written.')],
  read: [[read], text('The notes have three lines.')],
  several: [
    [
      text('I will do several things at once.'),
      read,
      toolUse('Bash', { command: 'echo one', description: 'Say one' }),
      toolUse('Bash', { command: 'echo two', description: 'Say two' }),
      write,
    ],
    text('All of them are done.'),
  ],
  question: [toolUse('AskUserQuestion', { questions: [colour] }), text('Thank you for the answer.')],
  questions: [toolUse('AskUserQuestion', { questions: [colour, parts] }), text('Thank you for the answers.')],
  plan,
  agent: [
    toolUse('Agent', {
      description: 'Look around',
      prompt: 'SCN:agent-child Look around and report.',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
    text('The subagent has reported.'),
  ],
  'agent-child': [
    toolUse('Bash', { command: 'echo from the subagent', description: 'Say where' }),
    text('The subagent looked around.'),
  ],
  /** Fails once with an overload, then answers. */
  retry: [attempts(failure(529, { retryAfter: 0 }), text('Answered on the second try.'))],
  /** Fails permanently; the CLI does not retry. */
  forbidden: [failure(403, { message: 'scripted refusal' })],
};
