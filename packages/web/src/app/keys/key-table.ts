/**
 * All actions with a shortcut and their default keys: the one table that the page, the cards, the palette and the
 * keyboard page read (D4). The ids are stored in `keys.json` and must not be renamed. Fixed keys are shown but
 * cannot be changed.
 */
/** Where a key applies. `page`: everywhere. */
export type KeyScope = 'page' | 'reading' | 'request' | 'writing' | 'files' | 'terminal';

export interface KeyRow {
  readonly id: string;
  readonly scope: KeyScope;
  readonly does: string;
  readonly press: string | undefined;
  readonly isFixed?: true;
}

export const SCOPES: Readonly<Record<KeyScope, string>> = {
  page: 'Everywhere',
  reading: 'Reading, with the focus outside the message box',
  request: 'In a request that has the focus',
  writing: 'Writing a message',
  files: 'In the files',
  terminal: 'In a terminal, which takes all other keys',
};

const page = (id: string, does: string, press?: string): KeyRow => ({ id, scope: 'page', does, press });
const reading = (id: string, does: string, press: string): KeyRow => ({ id, scope: 'reading', does, press });
const fixed =
  (scope: KeyScope) =>
  (id: string, does: string, press: string): KeyRow => ({ id, scope, does, press, isFixed: true });
const writing = fixed('writing');
const files = fixed('files');
const terminal = fixed('terminal');

export const KEY_TABLE: readonly KeyRow[] = [
  page('palette.open', 'Find a session, project or action', 'Mod+K'),
  page('palette.open-anywhere', 'Find a session, project or action, also from a terminal', 'Mod+Shift+K'),
  page('file.open', 'Open a file of the project', 'Mod+P'),
  page('search.open', 'Search all conversations', 'Mod+Shift+F'),
  page('request.next', 'Go to the oldest open request', 'Mod+J'),
  page('session.new', 'New session'),
  page('project.add', 'Add project'),
  page('sidebar.toggle', 'Show or hide the sidebar', 'Mod+B'),
  page('keyboard.show', 'Show all keys', '?'),
  page('card.open', 'Open a card', 'Alt+Shift+N'),
  page('open.terminal', 'Open a terminal', 'Mod+`'),
  page('open.files', 'Open the files'),
  page('open.git', 'Open git'),
  page('open.stats', 'Open the statistics'),
  page('open.review', 'Open the review of what the session changed'),
  page('open.inbox', 'Open the inbox', 'Mod+I'),
  page('open.settings', 'Open the settings'),
  page('open.help', 'Open the help'),
  page('card.close', 'Close this card', 'Alt+Shift+W'),
  page('card.reopen', 'Reopen the card closed last', 'Alt+Shift+T'),
  page('card.next', 'Next card', 'Alt+PageDown'),
  page('card.previous', 'Previous card', 'Alt+PageUp'),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => page(`card.${at}`, `Show card ${at}`, `Alt+${at}`)),
  page('focus.left', 'Go to the card at the left', 'Alt+Shift+←'),
  page('focus.right', 'Go to the card at the right', 'Alt+Shift+→'),
  page('focus.above', 'Go to the card above', 'Alt+Shift+↑'),
  page('focus.below', 'Go to the card below', 'Alt+Shift+↓'),
  page('move.left', 'Move this card to the left', 'Mod+Alt+Shift+←'),
  page('move.right', 'Move this card to the right', 'Mod+Alt+Shift+→'),
  page('move.above', 'Move this card up', 'Mod+Alt+Shift+↑'),
  page('move.below', 'Move this card down', 'Mod+Alt+Shift+↓'),
  page('split.right', 'Split to the right', 'Mod+\\'),
  page('split.below', 'Split downwards', 'Mod+Shift+\\'),
  page('card.maximise', 'Maximise, or back', 'Alt+Shift+M'),
  page('card.collapse', 'Collapse, or open'),
  page('card.float', 'Float, or dock'),
  page('layout.conversation', 'Layout: conversation first'),
  page('layout.focus', 'Layout: focus'),
  page('layout.review', 'Layout: review'),
  page('layout.grid', 'Layout: grid of sessions'),
  page('layout.undo', 'Layout: as it was before'),
  reading('find.open', 'Find in the conversation', '/'),
  reading('find.open-everywhere', 'Find in the conversation, also while writing', 'Mod+F'),
  reading('entry.next', 'Next entry', 'J'),
  reading('entry.previous', 'Previous entry', 'K'),
  reading('prompt.next', 'Next message of yours', 'Shift+J'),
  reading('prompt.previous', 'Previous message of yours', 'Shift+K'),
  reading('entry.fold', 'Fold or unfold', 'Z'),
  { id: 'request.allow', scope: 'request', does: 'Allow', press: 'Y' },
  { id: 'request.deny', scope: 'request', does: 'Deny', press: 'N' },
  { id: 'request.always', scope: 'request', does: 'Allow always…', press: 'A' },
  writing('send', 'Send, or queue while a turn runs', 'Enter'),
  writing('send-always', 'Send, also while a list is open', 'Mod+Enter'),
  writing('newline', 'New line', 'Shift+Enter'),
  writing('commands', 'Commands, at the beginning', '/'),
  writing('files', 'Files and folders', '@'),
  writing('take', 'Take the chosen command or file', 'Tab'),
  writing('mode', 'Next mode of the agent', 'Shift+Tab'),
  writing('shell', 'Run a command in the terminal, at the beginning', '!'),
  writing('history', 'Earlier messages, in an empty box', '↑'),
  writing('stop', 'Close the list, else stop the turn', 'Esc'),
  writing('stop-copy', 'Stop the turn, with nothing selected', 'Mod+C'),
  writing('queue-up', 'Move a queued message up; with ↓ down', 'Alt+↑'),
  terminal('terminal-find', 'Find in the terminal', 'Mod+Shift+F'),
  terminal('terminal-copy', 'Copy what is selected; with V paste', 'Mod+Shift+C'),
  files('file-show', 'Open the file, fold or unfold the folder', 'Enter'),
  files('file-rename', 'Rename', 'F2'),
  files('file-trash', 'Move to the trash; Mod+Z brings it back', 'Delete'),
  files('file-save', 'Save the file, in its editor', 'Mod+S'),
  files('file-find', 'Find in the file, in its editor', 'Mod+F'),
];
