/**
 * The session panel (D21): whether it is open, and for each session its tab, width and terminal. The shell draws it;
 * cards open it.
 */
import { cell } from './cell.ts';
import { type Persisted, persisted } from './persisted.ts';

export const PANEL_TABS = ['changes', 'files', 'terminal', 'preview', 'info'] as const;
export type PanelTab = (typeof PANEL_TABS)[number];

export const PANEL_LABELS: Readonly<Record<PanelTab, string>> = {
  changes: 'Changes',
  files: 'Files',
  terminal: 'Terminal',
  preview: 'Preview',
  info: 'Info',
};

export interface PanelChoice {
  readonly tab?: PanelTab | undefined;
  /** In pixels. */
  readonly width?: number | undefined;
  /** The terminal of its Terminal tab. */
  readonly terminal?: string | undefined;
  /** The address in its Preview tab. */
  readonly preview?: string | undefined;
}

type PanelChoices = Readonly<Record<string, PanelChoice>>;

/** The stored text is limited: the least recently used sessions are dropped. */
const MAX_SESSIONS = 80;
export const MIN_WIDTH = 320;
export const DEFAULT_WIDTH = 400;
const MAX_WIDTH = 4_000;
const MAX_ADDRESS = 500;

export const isPanelOpen: Persisted<boolean> = persisted('panel-open', (raw) => raw === true);
export const panelChoices = persisted('panel', readChoices, { isShared: true });

export function choosePanel(session: string, change: PanelChoice): void {
  const { [session]: before, ...others } = panelChoices.get();
  const next = [...Object.entries(others), [session, { ...before, ...change }] as const];
  panelChoices.set(Object.fromEntries(next.slice(-MAX_SESSIONS)));
}

/** The tab that takes the focus when it is drawn, which may be after its code is loaded. */
export const wantedPanelFocus = cell<PanelTab | undefined>(undefined);

/** The session whose panel was shown last: on a phone, where it covers the conversation, no other session has it open. */
export const shownPanel = cell<string | undefined>(undefined);

export function showPanel(session: string, tab?: PanelTab): void {
  shownPanel.set(session);
  if (tab !== undefined) choosePanel(session, { tab });
  isPanelOpen.set(true);
}

export function readChoices(raw: unknown): PanelChoices {
  if (typeof raw !== 'object' || raw === null) return {};
  return Object.fromEntries(
    Object.entries(raw)
      .slice(-MAX_SESSIONS)
      .map(([session, choice]) => [session, readChoice(choice)]),
  );
}

function readChoice(raw: unknown): PanelChoice {
  const { tab, width, terminal, preview } = (raw ?? {}) as Record<string, unknown>;
  const isWidth = typeof width === 'number' && width >= MIN_WIDTH && width <= MAX_WIDTH;
  return {
    ...(PANEL_TABS.some((known) => known === tab) ? { tab: tab as PanelTab } : {}),
    ...(isWidth ? { width } : {}),
    ...(typeof terminal === 'string' && terminal.length <= 100 ? { terminal } : {}),
    ...(typeof preview === 'string' && preview.length <= MAX_ADDRESS ? { preview } : {}),
  };
}
