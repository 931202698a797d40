/** Which entries of the audit log a report lists, and under what. */
import type { AuditRecord } from '../audit/index.ts';
import type { AuditAction } from '../contract/audit-actions.ts';

/** What happened to backups beside their making: they were deleted, found damaged, or are not locked as they should be. */
const removals: ReadonlySet<string> = new Set<AuditAction>([
  'backup.deleted',
  'backup.found_damaged',
  'backup.objects_kept',
  'backup.lock_incomplete',
  'export.objects_kept',
  'pitr.objects_kept',
  'pitr.lock_incomplete',
]);

/** Settings, members and keys. All actions of these kinds are changes, except the listed ones, which are work. */
const changed = ['organization', 'member', 'invitation', 'service_account', 'api_key', 'encryption', 'project', 'storage'];
const work: ReadonlySet<string> = new Set<AuditAction>(['project.unauthorized', 'storage.tested', 'api_key.expired_use']);
/** Of the other kinds, a change of the thing itself. */
const changeWords = ['created', 'updated', 'deleted', 'enabled', 'disabled', 'toggled', 'secret_rotated'];
const changedByWord = ['schedule', 'restore_test', 'pitr', 'webhook', 'alert'];

export type Section = 'erasures' | 'removals' | 'changes';

/** Undefined for what other parts of the report have, and for sign-ins and reads. */
export const sectionOf = ({ action }: Pick<AuditRecord, 'action'>): Section | undefined => {
  const [kind = '', word = ''] = action.split('.');
  if (kind === 'erasure') return 'erasures';
  if (removals.has(action)) return 'removals';
  if (work.has(action)) return undefined;
  return changed.includes(kind) || (changedByWord.includes(kind) && changeWords.includes(word)) ? 'changes' : undefined;
};
