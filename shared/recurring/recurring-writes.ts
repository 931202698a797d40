/**
 * The writes of a record and of its due item, by which the watchdog finds a run whose tick did not arrive. The due item moves with
 * `nextRunAt`, in the same transaction.
 */
import { create, type Item, remove, StaleReadError, set, type Tenant, type Write } from '../platform/index.ts';
import { dueItemKey, type RecurringKind, type RecurringRecord } from './record.ts';

type Read = Pick<RecurringRecord, 'pk' | 'sk' | 'id' | 'revision' | 'nextRunAt'>;

interface RecurringWrites<R extends RecurringRecord> {
  create(tenant: Tenant, record: R): readonly Write[];
  /** The two below fail if the record has changed since it was read, or if a concurrent run has advanced `nextRunAt`. */
  set(tenant: Tenant, record: Read, attributes: { readonly [K in keyof R]?: R[K] | undefined }): readonly Write[];
  remove(tenant: Tenant, record: Read): readonly Write[];
}

const staleRead = (): StaleReadError => new StaleReadError();

export const recurringWrites = <R extends RecurringRecord>(
  kind: Pick<RecurringKind<R>, 'idName' | 'duePartition'>,
): RecurringWrites<R> => {
  const moveDue = (tenant: Tenant, id: string, { from, to }: Record<'from' | 'to', string | null>): readonly Write[] => {
    if (from === to) return [];
    const { organizationId } = tenant;
    const dueItem = (at: string): Item => ({ ...dueItemKey(kind, tenant, { id, at }), organizationId, [kind.idName]: id, at });
    return [
      ...(from === null ? [] : [{ remove: dueItemKey(kind, tenant, { id, at: from }) }]),
      ...(to === null ? [] : [{ put: dueItem(to) }]),
    ];
  };
  return {
    create: (tenant, record) => [create(record), ...moveDue(tenant, record.id, { from: null, to: record.nextRunAt })],
    set: (tenant, { pk, sk, id, revision, nextRunAt }, attributes) => [
      set({ pk, sk }, attributes, { expected: { revision, nextRunAt }, onConditionFailed: staleRead }),
      ...moveDue(tenant, id, { from: nextRunAt, to: attributes.nextRunAt === undefined ? nextRunAt : attributes.nextRunAt }),
    ],
    remove: (tenant, { pk, sk, id, revision, nextRunAt }) => [
      remove({ pk, sk }, staleRead, { revision, nextRunAt }),
      ...moveDue(tenant, id, { from: nextRunAt, to: null }),
    ],
  };
};
