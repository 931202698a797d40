/** Entries of the audit log in words. */
import type { AuditEntry } from './audit.ts';

const resources: Readonly<Record<string, string>> = { pitr: 'point in time', auth: 'session', api_key: 'API key' };

/** 'service_account' → 'Service account' */
export const groupName = (group: string): string => {
  const subject = (resources[group] ?? group).replaceAll('_', ' ');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
};

/** 'service_account.key_rotated' → 'Service account: key rotated' */
export const actionName = (action: string): string => {
  const [group = '', ...did] = action.split('.');
  return `${groupName(group)}: ${did.join(' ').replaceAll('_', ' ')}`;
};

export const actorName = ({ type, email, name, id }: AuditEntry['actor']): string => {
  if (type === 'system') return `Service (${id})`;
  return type === 'api_key' ? `API key ${name ?? id}` : (email ?? id);
};

/** The types of resources that entries name, for the filter. */
export const resourceTypes = [
  ['project', 'Projects'],
  ['backup', 'Backups'],
  ['restore', 'Restores'],
  ['schedule', 'Schedules'],
  ['restore_test', 'Restore tests'],
  ['erasure', 'Erasures'],
  ['storage_destination', 'Storage'],
  ['alert', 'Alerts'],
  ['webhook', 'Webhooks'],
  ['member', 'Members'],
  ['invitation', 'Invitations'],
  ['service_account', 'Service account'],
  ['api_key', 'API keys'],
  ['organization', 'Organization'],
] as const;
