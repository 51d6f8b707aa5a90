import { expect, test } from 'vitest';
import { type Area, wireOf } from '../src/areas/area.ts';
import { files } from '../src/areas/files.ts';
import { git } from '../src/areas/git.ts';
import { review } from '../src/areas/review.ts';
import { search } from '../src/areas/search.ts';
import { settings } from '../src/areas/settings.ts';
import { stats } from '../src/areas/stats.ts';
import { terminals } from '../src/areas/terminals.ts';
import { feedByte } from '../src/wire/feeds.ts';

const AREAS: readonly Area[] = [files, git, review, search, settings, stats, terminals];

test('H10 the names and fields that pages and servers of other versions use do not change', () => {
  const shown = AREAS.map((area) => {
    const { tag, only, state, read } = wireOf(area);
    const naming = only === undefined ? tag : 'unnamed';
    const pushed = area.state ? ` pushes ${state} reads ${read}` : '';
    const byte = feedByte(area.name).toString(16);
    return `${area.name} 0x${byte} ${naming}${pushed}: ${Object.keys(area.calls).join(' ')}`;
  });
  expect(shown).toEqual([
    'files 0x10 do: list leave follow unfollow find create rename delete restore trash search stop',
    'git 0x20 type pushes status reads status: status init diff stage unstage discard hunk.stage hunk.unstage hunk.discard commit resolve abort branches branch.create branch.switch branch.delete log commit.files commit.diff stashes stash.push stash.apply stash.drop blame worktrees worktree.add fetch pull push.look push network.stop worktree.remove',
    'review 0x51 type: state diff branches viewed accept revert undo comment.add comment.edit comment.remove comment.sent comment.answered timeline',
    'search 0x52 unnamed: search',
    'settings 0x53 type pushes settings reads read: read write set agents pair revoke',
    'stats 0x30 type: watch usage builds build.run build.stop',
    'terminal 0x2 type: list create rename close restart tmux attach resize ack',
  ]);
  expect(feedByte('a new area')).toBe(0x54);
  expect(feedByte('constructor')).toBe(0x54);
});

test('S2 a call without a reply accepts what any server sends', () => {
  for (const value of [null, {}, 'text', undefined]) {
    expect(stats.calls['build.stop'].output.safeParse(value)).toEqual({ success: true, data: undefined });
  }
});
