import type { Build } from '@tugdeck/protocol/stats/stats-messages';
import { useClient } from '../../kit/client-context.tsx';
import { ago, duration, elapsed } from '../../kit/format.ts';
import { useNow } from '../../kit/use-now.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleExact, visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';

export interface CommandsProps {
  readonly builds: readonly Build[];
  readonly onRun: (build: Build) => void;
  readonly onStop: (build: Build) => void;
}

export function Commands({ builds, onRun, onStop }: CommandsProps) {
  const deck = useReadable(useClient().deck);
  if (builds.length === 0) {
    return (
      <p className="stats-note">
        Add commands to <code>config.json</code> to run and watch them here:{' '}
        <code>{'"builds": { "test": "npm test" }'}</code>, for all projects or under one of{' '}
        <code>"projects"</code>.
      </p>
    );
  }
  return (
    <ul className="builds">
      {builds.map((build) => (
        <li key={`${build.project} ${build.name}`} className="build" data-state={build.state}>
          <div className="build-head">
            <b className="truncate">{visibleText(build.name)}</b>
            <span className="build-where truncate">
              {visibleText(deck?.projects.find(({ id }) => id === build.project)?.name ?? '')}
            </span>
            <BuildState build={build} />
            {build.state === 'running' ? (
              <Button onClick={() => onStop(build)}>Stop</Button>
            ) : (
              <Button onClick={() => onRun(build)}>Run</Button>
            )}
          </div>
          <code className="truncate">{visibleExact(build.command)}</code>
          {build.tail === '' || build.state === 'passed' ? null : (
            <pre className="build-tail">{build.tail.split('\n').slice(-12).join('\n')}</pre>
          )}
        </li>
      ))}
    </ul>
  );
}

function BuildState({ build }: { build: Build }) {
  const now = useNow(build.state === 'running' ? 'second' : 'half-minute');
  const took = build.tookMs === undefined ? '' : ` in ${duration(build.tookMs)}`;
  const when = build.startedAt === undefined ? '' : `, ${ago(build.startedAt, now)}`;
  switch (build.state) {
    case 'never':
      return <span className="build-state">Not run yet</span>;
    case 'running':
      return <span className="build-state">Running {elapsed(now - (build.startedAt ?? now))}</span>;
    case 'passed':
      return <span className="build-state">{`Passed${took}${when}`}</span>;
    case 'failed':
      return <span className="build-state">{`Failed (exit ${build.exitCode ?? '?'})${took}${when}`}</span>;
    case 'stopped':
      return <span className="build-state">{`Stopped${took}${when}`}</span>;
  }
}
