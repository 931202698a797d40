/** Entries of the audit log in words. */
export { actionName, actorName, groupName } from '../../../../shared/contract/audit-names.ts';

/** The types of resources that entries name, for the filter. */
export const resourceTypes = [
  ['project', 'Projects'],
  ['backup', 'Backups'],
  ['restore', 'Restores'],
  ['export', 'Exports'],
  ['schedule', 'Schedules'],
  ['restore_test', 'Restore tests'],
  ['erasure', 'Erasures'],
  ['storage_destination', 'Storage'],
  ['alert', 'Alerts'],
  ['incident', 'Incidents'],
  ['webhook', 'Webhooks'],
  ['member', 'Members'],
  ['invitation', 'Invitations'],
  ['service_account', 'Service account'],
  ['api_key', 'API keys'],
  ['organization', 'Organization'],
] as const;

/** Something that was to happen did not. */
export const isFailure = (action: string): boolean => /[._](failed|missed)$/.test(action);
