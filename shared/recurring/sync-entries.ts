/** Makes the Scheduler's entries match a record. */
import { organizationKey, whileActive } from '../organization/index.ts';
import {
  absentOr,
  type Clock,
  commit,
  present,
  removeAll,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  type Write,
} from '../platform/index.ts';
import { whileConnected } from '../project/index.ts';
import { nextRunAfter } from './cron/next-run.ts';
import { dueItemKey, type RecurringKind, type RecurringRecord } from './record.ts';
import { isActive, isStaleContext, loadContext, type RecurringContext } from './recurring-context.ts';
import { recurringWrites } from './recurring-writes.ts';
import { removeEntries, replaceEntries, type Scheduler } from './scheduler-entries.ts';

/**
 * Entries exist exactly while the record is active. The result is committed only if nothing has changed since it was read, else
 * the sync starts again: of two concurrent runs, the one that ends last has seen the current state. A change that exhausts the
 * attempts has enqueued a sync of its own. False if there is no such record.
 */
export const syncEntries = <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string },
  { time, entries }: { readonly time: Clock; readonly entries: Scheduler },
): Promise<boolean> =>
  retryOnConflict({ attempts: 5, isRetryable: isStaleContext }, async () => {
    const context = await loadContext(kind, tenant, id);
    const active = context && isActive(context) ? context.record : undefined;
    await replaceEntries({ tenant, id, active, task: kind.runTask(id) }, entries, time.now());
    if (context) await commit(syncedWrites(kind, context, time.now()));
    // A schedule can come back with its project from another organization.
    else if (await loadContext(kind, tenant, id)) throw new StaleReadError();
    return context !== undefined;
  });

/** An inactive record has no next run. One that has become active runs next after now. */
const syncedWrites = <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  context: RecurringContext<R>,
  now: Date,
): readonly Write[] => {
  const { tenant, record } = context;
  const active = isActive(context);
  const nextRunAt = active ? (record.nextRunAt ?? nextRunAfter(record, now)) : null;
  const attributes = { enteredRevision: record.revision, nextRunAt, ...(!active && { putOff: undefined }) };
  return [
    ...recurringWrites<RecurringRecord>(kind).set(tenant, record, attributes),
    ...(active ? [whileActive(tenant)] : checkInactive(context)),
    ...(active && record.projectId !== null ? [whileConnected(tenant, record.projectId)] : []),
  ];
};

/** Activating a record changes either the organization, which is checked here, or its revision. */
const checkInactive = ({ tenant, organization }: RecurringContext<RecurringRecord>): readonly Write[] =>
  organization?.deletedAt === undefined
    ? []
    : [
        {
          check: organizationKey.organization(tenant),
          ...absentOr({ deletedAt: present }),
          onConditionFailed: () => new StaleReadError(),
        },
      ];

interface Purge {
  readonly tenant: Tenant;
  readonly until: Date;
  readonly time: Clock;
  readonly remove: Scheduler['remove'];
}

/** Deletes records with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeRecurring = async <R extends RecurringRecord>(
  kind: RecurringKind<R>,
  records: AsyncIterable<R>,
  { tenant, until, time, remove }: Purge,
): Promise<boolean> => {
  for await (const { id, nextRunAt, pk, sk } of records) {
    if (time.now() >= until) return false;
    // The record goes last: it leads to the rest.
    await removeEntries(tenant, id, remove);
    await removeAll([...(nextRunAt === null ? [] : [dueItemKey(kind, tenant, { id, at: nextRunAt })]), { pk, sk }]);
  }
  return true;
};
