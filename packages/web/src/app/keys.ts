/** The keys of the page, for the keyboard page and the palette. Only what works is listed. */
export interface KeyGroup {
  readonly where: string;
  readonly keys: readonly { readonly press: string; readonly does: string }[];
}

export const KEYS: readonly KeyGroup[] = [
  {
    where: 'Everywhere',
    keys: [
      { press: 'Mod+K', does: 'Find a session, project or action' },
      { press: 'Mod+P', does: 'Open a file of the project' },
      { press: 'Mod+Shift+F', does: 'Search all conversations' },
      { press: 'Mod+J', does: 'Go to the oldest open request' },
      { press: 'Alt+1', does: 'Show the first card; up to Alt+9' },
      { press: '?', does: 'This page' },
    ],
  },
  {
    where: 'Writing a message',
    keys: [
      { press: 'Enter', does: 'Send, or queue while a turn runs' },
      { press: 'Mod+Enter', does: 'Send, also while a list is open' },
      { press: 'Shift+Enter', does: 'New line' },
      { press: '/', does: 'Commands, at the beginning' },
      { press: '@', does: 'Files and folders' },
      { press: 'Tab', does: 'Take the chosen command or file' },
      { press: '↑', does: 'Earlier messages, in an empty box' },
      { press: 'Esc', does: 'Close the list, else stop the turn' },
      { press: 'Ctrl+C', does: 'Stop the turn, with nothing selected' },
      { press: 'Alt+↑', does: 'Move a queued message up; Alt+↓ down' },
    ],
  },
  {
    where: 'Reading, with the focus outside the message box',
    keys: [
      { press: '/', does: 'Find in the conversation; Ctrl+F everywhere' },
      { press: 'J', does: 'Next entry; with Shift the next message of yours' },
      { press: 'K', does: 'Previous entry; with Shift the previous message of yours' },
      { press: 'Z', does: 'Fold or unfold' },
    ],
  },
  {
    where: 'Files',
    keys: [
      { press: 'Enter', does: 'Open the file, fold or unfold the folder' },
      { press: 'F2', does: 'Rename' },
      { press: 'Delete', does: 'Move to the trash; Mod+Z brings it back' },
      { press: 'Mod+S', does: 'Save the file, in its editor' },
      { press: 'Mod+F', does: 'Find in the file, in its editor' },
    ],
  },
  {
    where: 'In a terminal, which takes all other keys',
    keys: [
      { press: 'Ctrl+Shift+F', does: 'Find in the terminal' },
      { press: 'Ctrl+Shift+C', does: 'Copy what is selected; Ctrl+Shift+V pastes' },
      { press: 'Ctrl+Shift+K', does: 'Out of it: find a session, project or action' },
    ],
  },
  {
    where: 'In a request that has the focus',
    keys: [
      { press: 'Y', does: 'Allow' },
      { press: 'N', does: 'Deny' },
      { press: 'A', does: 'Allow always…' },
    ],
  },
];

export function isApple(platform = navigator.platform): boolean {
  return /mac|iphone|ipad/i.test(platform);
}

export function keyNames(press: string, apple = isApple()): readonly string[] {
  return press.split('+').map((name) => (name === 'Mod' ? (apple ? '⌘' : 'Ctrl') : name));
}

/** Whether keys are meant as text there. */
export function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [data-writes]') !== null
  );
}
