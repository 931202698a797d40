import { oneLine } from '../../platform/index.ts';
import type { AlertMessage } from './alert-message.ts';

const states = { open: '', reminder: 'Still open: ', recovered: 'Recovered: ', test: 'Test: ', summary: '' } as const;
const marks = { critical: '🔴', warning: '🟠', info: '🔵' } as const;

/** The title with the state of the incident, on one line, not truncated. */
export const alertHeading = ({ state, title, kind }: AlertMessage): string => `${states[state]}${oneLine(title) || kind}`;

/** A coloured mark for chats, so that severity and recovery are seen at a glance. */
export const alertMark = ({ state, severity }: AlertMessage): string => {
  if (state === 'recovered') return '✅';
  return state === 'test' ? '🔔' : marks[severity];
};
