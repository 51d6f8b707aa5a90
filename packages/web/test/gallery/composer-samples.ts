/** An agent's commands, settings and todo list for the composer and header. */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';

export function offers(): ChangeBody[] {
  return [
    {
      kind: 'session.described',
      facts: {
        canSteer: true,
        modes: [
          { id: 'ask', label: 'Ask first' },
          { id: 'edits', label: 'Accept edits' },
          { id: 'free', label: 'Do everything', dangerous: true },
        ],
        options: [
          {
            id: 'effort',
            label: 'Effort',
            kind: 'select',
            value: 'high',
            choices: [
              { id: 'low', label: 'Low effort' },
              { id: 'high', label: 'High effort' },
            ],
          },
          { id: 'fast', label: 'Fast mode', kind: 'boolean', value: 'false' },
          {
            id: 'style',
            label: 'Style',
            kind: 'select',
            value: 'plain',
            choices: [
              { id: 'plain', label: 'Plain' },
              { id: 'teaching', label: 'Teaching', description: 'Explains as it goes' },
            ],
          },
        ],
        commands: [
          { name: 'compact', description: 'Shorten the conversation so far', argumentHint: '[what to keep]' },
          { name: 'review', description: 'Review the changes on this branch' },
          {
            name: 'pr-comments',
            description: 'Read the comments of a pull request',
            argumentHint: '<number>',
          },
        ],
      },
    },
  ];
}

export const TODOS: Todo[] = [
  { id: '1', text: 'Find the failing test', state: 'done' },
  { id: '2', text: 'Fix the order of cookie and redirect', activeForm: 'Fixing the order', state: 'active' },
  { id: '3', text: 'Run all tests', state: 'pending', blockedBy: ['2'] },
  { id: '4', text: 'Write it down', state: 'pending', owner: 'writer' },
];

export function todos(list: Todo[] = TODOS): ChangeBody[] {
  return [{ kind: 'todos.replaced', todos: list }];
}
