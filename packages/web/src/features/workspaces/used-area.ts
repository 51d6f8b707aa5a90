import type { workspaces } from '@tugdeck/protocol/areas/workspaces';
import type { UsedArea } from '../../kit/use-area.ts';

export type WorkspacesArea = UsedArea<typeof workspaces>;
