import { env } from '../../platform/index.ts';
import type { AlertMessage } from '../message/index.ts';
import type { IncidentRecord } from '../model/record.ts';

interface OrganizationName {
  readonly id: string;
  readonly name: string;
}

/** The message about an incident, as it is now. */
export const messageOfIncident = (
  incident: IncidentRecord,
  state: 'open' | 'reminder' | 'recovered',
  { id, name }: OrganizationName,
): AlertMessage => ({
  incidentId: incident.id,
  state,
  kind: incident.kind,
  severity: incident.severity,
  title: incident.title,
  text: state === 'recovered' ? incident.message : incident.failure,
  facts: state === 'recovered' ? [] : incident.facts,
  organization: { id, name },
  ...(incident.project && { project: incident.project }),
  link: consoleLink(incident.page),
  openedAt: incident.openedAt,
  ...(incident.recoveredAt !== null && state === 'recovered' && { recoveredAt: incident.recoveredAt }),
  count: incident.count,
  ...(incident.acknowledgement && { acknowledgedBy: incident.acknowledgement.by.email ?? incident.acknowledgement.by.id }),
  ...(incident.assignee && { assignedTo: incident.assignee.email }),
});

/** `page` begins with a slash. */
export const consoleLink = (page: string): string => `${env('CONSOLE_URL').replace(/\/$/, '')}${page}`;
