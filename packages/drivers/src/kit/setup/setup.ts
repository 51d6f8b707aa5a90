/**
 * How a driver describes its agent's setup (A61): places with their files, and for each a form that reads items
 * and writes one change. Forms are pure; `machine/setup` reads and writes the files.
 */
import type {
  SetupContent,
  SetupKind,
  SetupRule,
  SetupScope,
  SetupServer,
  SetupVerdict,
} from '@tugdeck/protocol/areas/agent-setup';

export interface SetupContext {
  /** The project's absolute path. */
  readonly project: string | undefined;
}

export interface FoundItem {
  /** Identifies it within its file. */
  readonly key: string;
  readonly name: string;
  readonly summary: string;
  readonly runs?: string | undefined;
  readonly on?: boolean | undefined;
  readonly content?: SetupContent | undefined;
}

/** One file with several items. `read` and `write` throw an error with the reason if the text is invalid. */
export interface ItemsForm {
  readonly type: Exclude<SetupContent['type'], 'text'>;
  read(text: string, context: SetupContext): FoundItem[];
  /** `key` undefined: a new item with this name. `content` undefined: remove. */
  write(
    text: string,
    change: { key: string | undefined; name: string; content: SetupContent | undefined },
    context: SetupContext,
  ): string;
  /** The server with the values of its variables, which items hide; absent if items aren't servers. */
  server?(text: string, key: string, context: SetupContext): SetupServer | undefined;
  /** Absent if items can't be switched in this file. */
  switch?(text: string, key: string, on: boolean, context: SetupContext): string;
}

/** Files that are items themselves. */
export interface TextForm {
  readonly type: 'text';
  /** One line about a file. */
  summary(text: string): string;
  /** Text of a new file. */
  readonly template?: ((name: string) => string) | undefined;
}

/** An item whose switch is in another file. */
export interface SwitchedItem {
  /** As in `FoundItem`, or the name of a file that is an item. */
  readonly key: string;
  /** Absolute path of its file. */
  readonly file: string;
  readonly text: string;
}

/** A file in the user's folder where the agent stores which items of another file are on, or trusted. */
export interface SwitchFile {
  readonly path: string;
  readonly variable?: SetupPlaceDescription['variable'];
  isOn(text: string, item: SwitchedItem, context: SetupContext): boolean;
  switch(text: string, item: SwitchedItem, on: boolean, context: SetupContext): string;
}

export interface SetupPlaceDescription {
  readonly id: string;
  readonly kind: SetupKind;
  readonly scope: SetupScope;
  /** `root`: relative to `/`.  */
  readonly base: 'home' | 'project' | 'root';
  readonly path: string;
  /** If this variable names a folder, `path` is relative to it instead. */
  readonly variable?: { readonly name: string; readonly path: string } | undefined;
  /** In every folder from the repository's root down to the project. */
  readonly isChain?: boolean | undefined;
  /**
   * A folder: its files are found by this pattern, where `*` is the item's name. New items of an items form go to
   * the file `fresh`.
   */
  readonly files?: { readonly pattern: string; readonly fresh?: string } | undefined;
  readonly form: ItemsForm | TextForm;
  readonly canEdit: boolean;
  readonly switches?: SwitchFile | undefined;
  /** Only used if it exists: another place is for new items. */
  readonly isOptional?: boolean | undefined;
}

export interface PlacedRule extends Pick<SetupRule, 'decision' | 'text'> {
  readonly scope: SetupScope;
  readonly file: string;
  /** Whatever the agent's own notation has besides. */
  readonly key: string;
  readonly name: string;
}

export interface SetupDescription {
  /** Names in the catalog that use these files. */
  readonly agents: readonly string[];
  readonly places: readonly SetupPlaceDescription[];
  readonly hookEvents: readonly string[];
  /** Limits of a kind that the user should know. */
  readonly notes?: Readonly<Partial<Record<SetupKind, string>>> | undefined;
  /** Applies the rules to a shell command; `rules` are in the order of places and of lines. */
  decide(
    rules: readonly PlacedRule[],
    command: string,
  ): { decision: SetupVerdict; rule?: PlacedRule | undefined };
}
