/** The Settings card (W6): shows the configuration file's values; changes apply at once. */
import { settings as settingsArea } from '@tugdeck/protocol/areas/settings';
import type { ReactNode } from 'react';
import type { CardProps } from '../../kit/card-kinds.ts';
import { useArea } from '../../kit/use-area.ts';
import { AgentFilesView } from './AgentFilesView.tsx';
import { AgentSettings } from './AgentSettings.tsx';
import { Appearance } from './Appearance.tsx';
import { ConfigurationFile } from './ConfigurationFile.tsx';
import { Exposure } from './Exposure.tsx';
import './settings.css';

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
              <AgentSettings settings={settings} act={act} />
            </Section>
            <Section title="Permission rules and MCP servers">
              <AgentFilesView project={params.project} />
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
