/**
 * All actions with a shortcut and their default keys: the one table that the page, the cards, the palette and the
 * keyboard page read (D4). The ids are stored in `keys.json` and must not be renamed. Fixed keys are shown but
 * cannot be changed.
 */
/** Where a key applies. `page`: everywhere. */
export type KeyScope = 'page' | 'letters' | 'home' | 'reading' | 'request' | 'writing' | 'files' | 'terminal';

export interface KeyRow {
  readonly id: string;
  readonly scope: KeyScope;
  readonly does: string;
  readonly press: string | undefined;
  readonly isFixed?: true;
}

export const SCOPES: Readonly<Record<KeyScope, string>> = {
  page: 'Everywhere',
  letters: 'Outside text fields, requests and terminals',
  home: 'Home (card focused)',
  reading: 'Conversation (message box not focused)',
  request: 'Focused request',
  writing: 'Message box',
  files: 'Files and editor',
  terminal: 'Terminal (gets all other keys)',
};

const page = (id: string, does: string, press?: string): KeyRow => ({ id, scope: 'page', does, press });
const reading = (id: string, does: string, press: string): KeyRow => ({ id, scope: 'reading', does, press });
const fixed =
  (scope: KeyScope) =>
  (id: string, does: string, press: string): KeyRow => ({ id, scope, does, press, isFixed: true });
const fixedPage = fixed('page');
const letters = fixed('letters');
const home = fixed('home');
const writing = fixed('writing');
const files = fixed('files');
const terminal = fixed('terminal');

export const KEY_TABLE: readonly KeyRow[] = [
  fixedPage('home.show', 'Go to Home', 'G H'),

  page('palette.open', 'Command palette', 'Mod+K'),
  page('palette.open-anywhere', 'Command palette, also from a terminal', 'Mod+Shift+K'),
  page('file.open', 'Go to file', 'Mod+P'),
  page('search.open', 'Search all conversations', 'Mod+Shift+F'),
  page('request.next', 'Go to the oldest request that needs you', 'Mod+J'),
  page('session.new', 'New session', 'Alt+N'),
  page('workspace.toggle', 'New session: switch between checkout and new workspace', 'Alt+W'),
  page('project.add', 'Add project'),
  page('sidebar.toggle', 'Toggle sidebar', 'Mod+B'),
  page('statusbar.toggle', 'Toggle status bar'),
  page('panel.toggle', 'Toggle session panel', 'Mod+Shift+.'),
  fixedPage('panel.changes', 'Show this session’s changes', 'G C'),
  fixedPage('panel.files', 'Show this session’s files', 'G F'),
  fixedPage('panel.terminal', 'Show this session’s terminal', 'G T'),
  fixedPage('panel.preview', 'Show this session’s preview', 'G P'),
  page('panel.info', 'Show this session’s info'),
  page('keyboard.show', 'Keyboard shortcuts', '?'),
  page('card.open', 'New tab', 'Alt+Shift+N'),
  page('terminal.toggle', 'Switch between terminal and message box', 'Mod+`'),
  page('open.terminal', 'Open terminal'),
  page('open.files', 'Open files'),
  page('open.git', 'Open Git'),
  page('open.stats', 'Open stats'),
  page('open.review', 'Review changes'),
  page('open.inbox', 'Open inbox', 'Mod+I'),
  page('open.settings', 'Open settings'),
  page('open.help', 'Open help'),
  page('card.close', 'Close tab', 'Alt+Shift+W'),
  page('card.keep', 'Keep temporary tab open'),
  page('card.reopen', 'Reopen closed tab', 'Alt+Shift+T'),
  page('card.next', 'Next tab', 'Alt+PageDown'),
  page('card.previous', 'Previous tab', 'Alt+PageUp'),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => page(`card.${at}`, `Show tab ${at}`, `Alt+${at}`)),
  page('focus.left', 'Go to the panel on the left', 'Alt+Shift+←'),
  page('focus.right', 'Go to the panel on the right', 'Alt+Shift+→'),
  page('focus.above', 'Go to the panel above', 'Alt+Shift+↑'),
  page('focus.below', 'Go to the panel below', 'Alt+Shift+↓'),
  page('move.left', 'Move tab left', 'Mod+Alt+Shift+←'),
  page('move.right', 'Move tab right', 'Mod+Alt+Shift+→'),
  page('move.above', 'Move tab up', 'Mod+Alt+Shift+↑'),
  page('move.below', 'Move tab down', 'Mod+Alt+Shift+↓'),
  page('split.right', 'Split right', 'Mod+\\'),
  page('split.below', 'Split down', 'Mod+Shift+\\'),
  page('card.maximise', 'Toggle maximize', 'Alt+Shift+M'),
  page('card.collapse', 'Toggle collapse'),
  page('card.float', 'Toggle floating'),
  page('layout.focus', 'Layout: focus'),
  page('layout.conversation', 'Layout: session and panel'),
  page('layout.review', 'Layout: review'),
  page('layout.grid', 'Layout: grid of sessions'),
  page('layout.undo', 'Undo layout change'),
  letters('session.new-plain', 'New session', 'N'),
  letters('session.previous', 'Previous session', '['),
  letters('session.next', 'Next session', ']'),
  letters('inbox.show', 'Go to inbox', 'G I'),
  reading('find.open', 'Find in conversation', '/'),
  reading('find.open-everywhere', 'Find in conversation, also while writing', 'Mod+F'),
  reading('entry.next', 'Next entry', 'J'),
  reading('entry.previous', 'Previous entry', 'K'),
  reading('prompt.next', 'Next message from you', 'Shift+J'),
  reading('prompt.previous', 'Previous message from you', 'Shift+K'),
  reading('entry.fold', 'Collapse or expand', 'Z'),
  home('home-move', 'Move between cards', '↑'),
  home('home-open', 'Open the session', 'Enter'),
  home('home-peek', 'Peek at the last lines', 'Space'),
  home('home-allow', 'Allow the request on the card', 'Y'),
  home('home-deny', 'Deny the request on the card', 'N'),
  home('home-select', 'Select', 'X'),
  home('home-archive', 'Archive the session, or the selected ones', 'E'),
  { id: 'request.allow', scope: 'request', does: 'Allow', press: 'Y' },
  { id: 'request.deny', scope: 'request', does: 'Deny', press: 'N' },
  { id: 'request.always', scope: 'request', does: 'Always allow…', press: 'A' },
  writing('send', 'Send, or queue during a turn', 'Enter'),
  writing('send-always', 'Send, even if suggestions are open', 'Mod+Enter'),
  writing('steer', 'Steer: send into the running turn', 'Alt+Enter'),
  writing('newline', 'New line', 'Shift+Enter'),
  writing('commands', 'Commands (at the start of a message)', '/'),
  writing('files', 'Files and folders', '@'),
  writing('take', 'Accept suggestion', 'Tab'),
  writing('mode', 'Next mode', 'Shift+Tab'),
  writing('shell', 'Run in the terminal (at the start of a message)', '!'),
  writing('history', 'Previous messages (in an empty box)', '↑'),
  writing('stop', 'Close suggestions, or stop the turn', 'Esc'),
  writing('stop-copy', 'Stop the turn (if no text is selected)', 'Mod+C'),
  writing('queue-up', 'Move a queued message up (↓ for down)', 'Alt+↑'),
  terminal('terminal-find', 'Find in terminal', 'Mod+Shift+F'),
  terminal('terminal-copy', 'Copy the selection (V to paste)', 'Mod+Shift+C'),
  files('file-show', 'Open the file, or expand the folder', 'Enter'),
  files('file-rename', 'Rename', 'F2'),
  files('file-trash', 'Move to trash (can be undone)', 'Delete'),
  files('file-save', 'Save the file (in the editor)', 'Mod+S'),
  files('file-find', 'Find in the file (in the editor)', 'Mod+F'),
];
