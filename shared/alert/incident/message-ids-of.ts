import type { IncidentRecord } from '../model/record.ts';
import { messageId } from './create-message.ts';

/** The ids of the messages that an alert sends about an incident. Reminders are numbered from 1. */
export const messageIdsOf = ({ id, openedAt, recoveredAt }: IncidentRecord, alertId: string) => ({
  open: messageId(openedAt, id, alertId, 'open'),
  reminder: (at: string, number: number): string => messageId(at, id, alertId, `reminder ${number}`),
  recovered: messageId(recoveredAt ?? openedAt, id, alertId, 'recovered'),
});
