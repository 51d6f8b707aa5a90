/**
 * Settings (W6): one page with its sections listed at the left. Shows the configuration file's values; changes apply at
 * once.
 */
import { settings as settingsArea } from '@tugdeck/protocol/areas/settings';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AttentionChecks } from '../../features/attention/AttentionChecks.tsx';
import { PushSettings } from '../../features/attention/PushSettings.tsx';
import { MachineSelect } from '../../features/machines/MachineSelect.tsx';
import type { CardProps } from '../../kit/card-kinds.ts';
import { isLimited } from '../../kit/limited.ts';
import { useArea } from '../../kit/use-area.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { AgentRegistry } from './AgentRegistry.tsx';
import { AgentSettings } from './AgentSettings.tsx';
import { Appearance } from './Appearance.tsx';
import { ConfigurationFile } from './ConfigurationFile.tsx';
import { Exposure } from './Exposure.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { SignOutHere } from './SignIns.tsx';
import { SlotSettings } from './SlotSettings.tsx';
import { AgentSetup } from './setup/AgentSetup.tsx';
import { TrustedProjects } from './TrustedProjects.tsx';
import './settings.css';

interface SectionContent {
  readonly title: string;
  readonly view: ReactNode;
}

export default function SettingsCard({ params }: CardProps) {
  const [machine, setMachine] = useState<string>();
  const isPlain = useReadable(isLimited);
  const { state: settings, fault, act, channel } = useArea(settingsArea, isPlain ? undefined : { machine });
  if (isPlain) return <PlainSettings />;
  const sections: readonly SectionContent[] = [
    {
      title: 'General',
      view: (
        <>
          <MachineSelect machine={machine} onMachine={setMachine} />
          <AttentionChecks />
          <PushSettings />
          {settings ? <SlotSettings settings={settings} act={act} /> : null}
        </>
      ),
    },
    { title: 'Appearance', view: <Appearance /> },
    ...(settings
      ? [
          {
            title: 'Agents',
            view: (
              <>
                <AgentSettings settings={settings} act={act} project={params.project} machine={machine} />
                <AgentRegistry key={machine} machine={machine} />
              </>
            ),
          },
          { title: 'Agent setup', view: <AgentSetup project={params.project} /> },
          {
            title: 'Permissions',
            view: (
              <>
                <p>
                  A trusted project can add servers, hooks and rules for agents. Rules that you add with
                  “Always allow” are in the agents’ own files, under Agent setup.
                </p>
                <TrustedProjects />
              </>
            ),
          },
          { title: 'Access', view: <Exposure settings={settings} act={act} channel={channel} /> },
          { title: 'Shortcuts', view: <Shortcuts /> },
          {
            title: 'Data',
            view: (
              <>
                <p>
                  Sessions, drafts and logs are stored in <code>{settings.dataDirectory}</code>. Only your
                  user can read them.
                </p>
                <h4>Configuration file</h4>
                <ConfigurationFile settings={settings} act={act} />
                <p className="settings-quiet">Build {settings.build}</p>
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <fieldset className="pane-page settings" aria-label="Settings">
      {fault ? (
        <p className="fault" role="alert">
          {fault}
        </p>
      ) : null}
      <Sections sections={sections} />
    </fieldset>
  );
}

/** On a device that may only read and answer (N55): what concerns this browser alone. */
function PlainSettings() {
  return (
    <fieldset className="pane-page settings" aria-label="Settings">
      <Sections
        sections={[
          {
            title: 'General',
            view: (
              <>
                <AttentionChecks />
                <PushSettings />
              </>
            ),
          },
          { title: 'Appearance', view: <Appearance /> },
          { title: 'Access', view: <SignOutHere /> },
        ]}
      />
    </fieldset>
  );
}

/** The sections, and links to them that mark the one in view. */
function Sections({ sections }: { sections: readonly SectionContent[] }) {
  const body = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(sections[0]?.title);
  const titles = sections.map(({ title }) => title).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sections arrive later
  useEffect(() => {
    const parts = [...(body.current?.querySelectorAll<HTMLElement>('[data-section]') ?? [])];
    const watcher = new IntersectionObserver(
      (seen) => {
        const top = seen.findLast(({ isIntersecting }) => isIntersecting)?.target;
        if (top instanceof HTMLElement) setCurrent(top.dataset.section);
      },
      // A section is current while it crosses a line near the top.
      { rootMargin: '-12% 0px -84% 0px' },
    );
    for (const part of parts) watcher.observe(part);
    return () => watcher.disconnect();
  }, [titles]);
  // On a narrow page the links scroll sideways.
  useEffect(() => {
    const link = body.current?.querySelector<HTMLElement>(`.settings-nav [data-link="${current}"]`);
    const list = link?.parentElement;
    if (!link || !list || list.scrollWidth <= list.clientWidth) return;
    list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  const show = (title: string) => {
    const part = body.current?.querySelector<HTMLElement>(`[data-section="${title}"]`);
    part?.scrollIntoView({ block: 'start' });
    part?.focus({ preventScroll: true });
    setCurrent(title);
  };
  return (
    <div ref={body} className="settings-page">
      <nav className="settings-nav" aria-label="Sections">
        {sections.map(({ title }) => (
          <button
            key={title}
            type="button"
            data-link={title}
            aria-current={title === current ? 'true' : undefined}
            onClick={() => show(title)}
          >
            {title}
          </button>
        ))}
      </nav>
      <div className="settings-sections">
        {sections.map(({ title, view }) => (
          <section key={title} className="pane-section" data-section={title} tabIndex={-1}>
            <h3>{title}</h3>
            {view}
          </section>
        ))}
      </div>
    </div>
  );
}
