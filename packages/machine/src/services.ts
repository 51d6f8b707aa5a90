/** Creates the machine's services, part by part: each part gets only those before it. */
import type { Closing } from '@tugdeck/local/closing';
import { createAgentSetup } from './services/agent-setup.ts';
import { createAttempts } from './services/attempts.ts';
import { contextOf, type ServicesOptions } from './services/context.ts';
import { routeNotifications } from './services/notifications.ts';
import { createProcesses } from './services/processes.ts';
import { createProjectServices } from './services/project-services.ts';
import { createPublished } from './services/published.ts';
import { createReading } from './services/reading.ts';
import { createRecords } from './services/records.ts';
import { createStats } from './services/statistics.ts';

export type { ServicesOptions } from './services/context.ts';

export type Services = ReturnType<typeof createServices>;

export function createServices(options: ServicesOptions, closing: Closing) {
  const context = contextOf(options, closing);
  const records = createRecords(context);
  const processes = createProcesses(context, records);
  const reading = createReading(context, records);
  const published = createPublished(context, records, processes, reading);
  const projectServices = createProjectServices(context, records, published);
  const attempts = createAttempts(context, records, processes, published, projectServices);
  const setup = createAgentSetup(context, records, processes);
  const stats = createStats(context, records, reading);
  routeNotifications(context, records, processes, reading, published);
  return {
    ledger: context.ledger,
    ...records,
    ...processes,
    ...reading,
    ...published,
    ...projectServices,
    ...attempts,
    ...setup,
    stats,
  };
}
