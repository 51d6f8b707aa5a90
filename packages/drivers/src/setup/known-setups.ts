/** The setup of each known agent (A61). Pure descriptions; `machine/setup` reads and writes the files. */
import { CLAUDE_SETUP } from '../claude/setup.ts';
import { CODEX_SETUP } from '../codex/setup.ts';
import { GEMINI_SETUP } from '../gemini/setup.ts';
import type { SetupDescription } from '../kit/setup/setup.ts';
import { OPENCODE_SETUP } from '../opencode/setup.ts';

export { commandLine } from '../kit/setup/forms.ts';
export type {
  ItemsForm,
  PlacedRule,
  SetupContext,
  SetupDescription,
  SetupPlaceDescription,
  SwitchedItem,
} from '../kit/setup/setup.ts';

export const KNOWN_SETUPS: readonly SetupDescription[] = [
  CLAUDE_SETUP,
  CODEX_SETUP,
  GEMINI_SETUP,
  OPENCODE_SETUP,
];
