/** One message about several incidents: beyond the hourly limit, and when the hour is over. */
import { alertMessagesPerHour } from '../../contract/limits.ts';
import { alertSeverities } from '../../contract/models/alert-enums.ts';
import { iso } from '../../platform/index.ts';
import type { AlertMessage } from '../message/index.ts';
import type { HeldMessage } from '../model/record.ts';
import { consoleLink } from './message-of-incident.ts';

type Summarized = Pick<HeldMessage, 'title' | 'state' | 'severity' | 'at'>;

interface SummaryContext {
  readonly organization: { readonly id: string; readonly name: string };
  /** Identifies the summary. */
  readonly id: string;
  readonly now: Date;
}

/** Says that messages are held from now on. `first` is the one that exceeded the limit. */
export const limitReachedMessage = (first: Summarized, context: SummaryContext): AlertMessage =>
  summaryOf([first], context, {
    title: 'More incidents',
    text: `This alert has sent ${alertMessagesPerHour} messages in this hour. Further ones are grouped and follow in one message when the hour is over. The first of them: ${lineOf(first)}`,
  });

const linesMax = 20;

/** The messages that were held in an hour. */
export const groupedMessage = (held: readonly Summarized[], context: SummaryContext): AlertMessage => {
  const more = held.length - linesMax;
  const lines = held.slice(0, linesMax).map((one) => `• ${lineOf(one)}`);
  return summaryOf(held, context, {
    title: `${held.length} grouped ${held.length === 1 ? 'message' : 'messages'}`,
    text: [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
  });
};

const words = { open: 'Open', reminder: 'Still open', recovered: 'Recovered', test: 'Test', summary: 'Summary' } as const;

const lineOf = ({ title, state }: Summarized): string => `${words[state]}: ${title}`;

const summaryOf = (
  all: readonly Summarized[],
  { organization, id, now }: SummaryContext,
  { title, text }: Pick<AlertMessage, 'title' | 'text'>,
): AlertMessage => ({
  incidentId: id,
  state: 'summary',
  kind: 'summary',
  severity: alertSeverities[Math.max(...all.map(({ severity }) => alertSeverities.indexOf(severity)))] ?? 'warning',
  title,
  text,
  facts: [],
  organization: { id: organization.id, name: organization.name },
  link: consoleLink('/alerts'),
  openedAt: all.map(({ at }) => at).sort()[0] ?? iso(now),
  count: all.length,
});
