import { cleanText, oneLine, utcMinute } from '../../platform/index.ts';
import type { AlertFact, AlertMessage } from './alert-message.ts';

const factsMax = 10;

/** The details that every format shows, at most 10: those of the message, then project, organization and times. None is empty. */
export const alertFacts = (message: AlertMessage): readonly AlertFact[] => {
  const { facts, project, organization, state, openedAt, recoveredAt, count, acknowledgedBy, assignedTo } = message;
  const own: readonly AlertFact[] = [
    ...(project ? [{ name: 'Project', value: project.name }] : []),
    { name: 'Organization', value: organization.name },
    ...(state === 'test' ? [] : [{ name: 'Since', value: utcMinute(openedAt) }]),
    ...(state === 'recovered' && recoveredAt ? [{ name: 'Recovered', value: utcMinute(recoveredAt) }] : []),
    ...(acknowledgedBy ? [{ name: 'Acknowledged by', value: acknowledgedBy }] : []),
    ...(assignedTo ? [{ name: 'Assigned to', value: assignedTo }] : []),
    ...(count > 1 ? [{ name: 'Occurrences', value: String(count) }] : []),
  ];
  const names = new Set(own.map(({ name }) => name));
  const given = facts
    .map(({ name, value }) => ({ name: oneLine(name), value: cleanText(value) }))
    .filter(({ name, value }) => name !== '' && value !== '' && !names.has(name));
  return [...given.slice(0, factsMax - own.length), ...own.map(({ name, value }) => ({ name, value: oneLine(value) || '–' }))];
};
