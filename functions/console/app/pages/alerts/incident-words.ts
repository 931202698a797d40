import type { IncidentEntryType } from '../../../../../shared/contract/models/alert-enums.ts';
import type { Incident, IncidentDetails } from '../../data/incidents.ts';
import { formatCount } from '../../format/format-number.ts';
import type { ShownEntry } from '../../parts/timeline-card.tsx';

type Entry = IncidentDetails['timeline'][number];

/** What to call the page that shows the cause, by the first part of its address. */
const causes: Readonly<Record<string, string>> = {
  backups: 'Show backup',
  restores: 'Show restore',
  'restore-tests': 'Show test run',
  schedules: 'Show schedule',
  storage: 'Check storage',
  webhooks: 'Show webhook',
  'api-keys': 'Show API keys',
};

export const causeWords = ({ page }: Pick<Incident, 'page'>): string => causes[page.split('/')[1] ?? ''] ?? 'Show project';

const entryWords: Readonly<Record<IncidentEntryType, readonly [what: string, tone: ShownEntry['tone']]>> = {
  opened: ['Opened', 'bad'],
  failed_again: ['Failed again', 'warn'],
  finding: ['Found', 'bad'],
  reminded: ['Reminder', 'plain'],
  acknowledged: ['Acknowledged', 'good'],
  assigned: ['Assigned', 'plain'],
  unassigned: ['No longer assigned', 'plain'],
  muted: ['Muted', 'plain'],
  unmuted: ['No longer muted', 'plain'],
  recovered: ['Recovered', 'good'],
  message: ['Message', 'plain'],
};

/** What an entry says, such as “Acknowledged by ada@example.com”. */
export const entryTitle = ({ type, by }: Entry): string => {
  const [what] = entryWords[type];
  return by ? `${what} by ${by.email ?? by.name ?? 'a member'}` : what;
};

export const entryTone = ({ type, message }: Entry): ShownEntry['tone'] =>
  type === 'message' && message?.includes('not delivered') ? 'warn' : entryWords[type][1];

/** How often a failure was reported. Some are reported only after several attempts. */
export const reportedWords = (count: number): string => (count === 1 ? 'once' : `${formatCount(count)} times`);
