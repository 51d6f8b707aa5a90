/** The Attempts card (B39, B40): sessions that work on one message, compared side by side. Nothing is ranked. */
import { attempts as attemptsArea } from '@tugdeck/protocol/areas/attempts';
import type { AttemptsRow } from '@tugdeck/protocol/attempts/attempts';
import { useEffect, useState } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useClient } from '../../kit/client-context.tsx';
import { projectOfPlace } from '../../kit/place.ts';
import { useArea, useReply } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { Button } from '../../ui/Button.tsx';
import { AttemptColumn } from './AttemptColumn.tsx';
import { ChooseDialog } from './ChooseDialog.tsx';
import { Differences } from './Differences.tsx';
import { FollowUp } from './FollowUp.tsx';
import './attempts-card.css';

export default function AttemptsCard({ params: { project, item }, isVisible, setTitle }: CardProps) {
  const deck = useReadable(useClient().deck);
  const owner = project === undefined ? undefined : projectOfPlace(deck, project);
  const groups = (deck?.attempts ?? []).filter((one) => one.project === owner);
  const [chosen, setChosen] = useState(item);
  const group = groups.find(({ id }) => id === chosen) ?? groups.at(-1);
  const title = group?.title;
  useEffect(() => setTitle(title === undefined ? 'Attempts' : `Attempts: ${title}`), [setTitle, title]);
  return (
    <fieldset className="pane attempts" aria-label="Attempts">
      {group ? (
        <Body
          key={group.id}
          group={group}
          groups={groups}
          isVisible={isVisible}
          onChoose={(id) => setChosen(id)}
        />
      ) : (
        <p className="pane-empty">No attempts yet. Choose ×2 or more below the message of a new session.</p>
      )}
    </fieldset>
  );
}

interface BodyProps {
  group: AttemptsRow;
  groups: readonly AttemptsRow[];
  isVisible: boolean;
  onChoose: (group: string) => void;
}

function Body({ group, groups, isVisible, onChoose }: BodyProps) {
  const { id, project, title, base, baseCommit } = group;
  const [changed, setChanged] = useState(0);
  // A hidden card keeps its figures and reads nothing.
  const about = isVisible ? { project } : undefined;
  const area = useArea(attemptsArea, about, () => setChanged((count) => count + 1));
  const moment = `${changed} ${JSON.stringify(group)}`;
  const { value, fault } = useReply(area.channel, 'compare', { group: id }, moment);
  const [choosing, setChoosing] = useState<string>();
  const shown = area.fault ?? fault;
  const isChecking = value?.attempts.some(({ check }) => check?.state === 'running') ?? false;
  return (
    <>
      <header className="pane-head attempts-head">
        {groups.length > 1 ? (
          <select
            className="field attempts-groups"
            aria-label="Group of attempts"
            value={id}
            onChange={({ target }) => onChoose(target.value)}
          >
            {groups.map((one) => (
              <option key={one.id} value={one.id}>
                {visibleText(one.title)}
              </option>
            ))}
          </select>
        ) : (
          <h2 className="attempts-title truncate" title={visibleText(title)}>
            {visibleText(title)}
          </h2>
        )}
        <span className="pane-fact">{`from ${visibleText(base ?? '')} ${baseCommit.slice(0, 8)}`}</span>
        {value?.check === undefined ? null : (
          <Button
            look="quiet"
            title={visibleText(value.check)}
            disabled={isChecking}
            onClick={() => void area.act((channel) => channel.call('check', { group: id }))}
          >
            {isChecking ? 'Checking…' : 'Run check'}
          </Button>
        )}
      </header>
      {shown === undefined ? null : (
        <p className="pane-fault" role="alert">
          {visibleText(shown)}
        </p>
      )}
      <div className="attempts-scroll">
        <ul className="attempt-columns" aria-label="Attempts">
          {group.attempts.map((attempt, index) => (
            <AttemptColumn
              key={attempt.session}
              attempt={attempt}
              number={index + 1}
              group={group}
              figures={value?.attempts.find(({ session }) => session === attempt.session)}
              hasCheck={value?.check !== undefined}
              onChoose={() => setChoosing(attempt.session)}
            />
          ))}
        </ul>
        {value ? (
          <Differences group={group} compared={value} />
        ) : (
          <div className="pane-waiting" aria-busy="true" />
        )}
      </div>
      {group.chosen === undefined ? <FollowUp group={group} area={area} /> : null}
      {choosing === undefined ? null : (
        <ChooseDialog group={group} session={choosing} area={area} onClose={() => setChoosing(undefined)} />
      )}
    </>
  );
}
