import { alertSeverities } from '../../contract/models/alert-enums.ts';
import type { AlertRecord, IncidentRecord } from './record.ts';

type Matched = Pick<IncidentRecord, 'kind' | 'severity' | 'project' | 'coveredBy' | 'openedAt'>;

/** Whether an alert is told of an incident. Incidents that concern no project pass every list of projects. */
export const matchesAlert = (alert: AlertRecord, { kind, severity, project, coveredBy, openedAt }: Matched): boolean =>
  alert.enabled &&
  alertSeverities.indexOf(severity) >= alertSeverities.indexOf(alert.severity) &&
  hasKind(alert, kind) &&
  !(coveredBy && hasKind(alert, coveredBy)) &&
  (alert.projectIds.length === 0 || project === null || alert.projectIds.includes(project.id)) &&
  // What failed before the alert existed is history. A lapse goes on, so that a new alert is told of it, too.
  (alert.createdAt <= openedAt || kind === 'protection_lapsed');

const hasKind = ({ kinds }: AlertRecord, kind: IncidentRecord['kind']): boolean => kinds.length === 0 || kinds.includes(kind);
