/** The Settings card (W6): shows the configuration file's values; changes apply at once. */
import { settings as settingsArea } from '@tugdeck/protocol/areas/settings';
import type { ReactNode } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useArea } from '../../kit/use-area.ts';
import { AgentRegistry } from './AgentRegistry.tsx';
import { AgentSettings } from './AgentSettings.tsx';
import { ConfigurationFile } from './ConfigurationFile.tsx';
import { Exposure } from './Exposure.tsx';
import { SlotSettings } from './SlotSettings.tsx';
import { AgentSetup } from './setup/AgentSetup.tsx';

import './settings.css';
import { AttentionChecks } from '../../features/attention/AttentionChecks.tsx';
import { THEME_LABELS, THEMES, theme } from '../../kit/theme.ts';
import { useReadable } from '../../kit/use-readable.ts';

export default function SettingsCard({ params }: CardProps) {
  const { state: settings, fault, act } = useArea(settingsArea, {});
  return (
    <fieldset className="pane-page settings" aria-label="Settings">
      <div className="pane-body">
        {fault ? (
          <p className="fault" role="alert">
            {fault}
          </p>
        ) : null}
        <Section title="Appearance and notifications">
          <Appearance />
        </Section>
        {settings ? (
          <>
            <Section title="Agents">
              <AgentSettings settings={settings} act={act} project={params.project} />
              <AgentRegistry />
              <SlotSettings settings={settings} act={act} />
            </Section>
            <Section title="Agent setup">
              <AgentSetup project={params.project} />
            </Section>
            <Section title="Access">
              <Exposure settings={settings} act={act} />
            </Section>
            <Section title="Configuration file">
              <ConfigurationFile settings={settings} act={act} />
            </Section>
            <Section title="Data">
              <p>
                Sessions, drafts and logs are stored in <code>{settings.dataDirectory}</code>. Only your user
                can read them.
              </p>
              <p className="settings-quiet">Build {settings.build}</p>
            </Section>
          </>
        ) : null}
      </div>
    </fieldset>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="pane-section">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Preferences of this browser: theme and notifications. */
function Appearance() {
  const chosen = useReadable(theme);
  return (
    <div className="settings-rows">
      <label className="settings-row">
        <span>Theme</span>
        <select
          className="field"
          value={chosen}
          onChange={(event) => theme.set(THEMES.find((name) => name === event.target.value) ?? chosen)}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {THEME_LABELS[name]}
            </option>
          ))}
        </select>
      </label>
      <AttentionChecks />
    </div>
  );
}
