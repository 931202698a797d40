/** An organization's backups in an in-memory table; a test can act before each response of the table. */

import { organizationKey } from '../../../../shared/organization/index.ts';
import { type Item, newId, newIdOf, type Write, warm } from '../../../../shared/platform/index.ts';
import { applyRetention } from '../../../../shared/retention/index.ts';
import { type BackupRecord, backupKey, retentionKey } from '../../../../shared/stored-backup/index.ts';
import { answerInProcess } from '../../aws/in-process.ts';
import { Fault, type Input, type Script } from '../../aws/scripted-aws.ts';
import { backupOf, tenant } from '../../builders/sample-backup.ts';
import { InMemoryTable, marshalled } from '../../table/in-memory-table.ts';

export { tenant };
export const now = new Date('2026-06-01T12:00:00.000Z');
const dayMs = 24 * 3_600_000;
export const ago = (days: number): Date => new Date(now.getTime() - days * dayMs);
export const storageDestination = { id: newId('storageDestination'), name: 'Bucket', type: 's3' } as const;

export let table = new InMemoryTable();
/** Called before each response of the table, with its number. */
let between: (call: number) => void = () => undefined;
let calls = 0;
const counted =
  (answer: Script[string] | undefined): Script[string] =>
  (input) => {
    between(++calls);
    return answer?.(input) ?? new Fault('AccessDeniedException');
  };
const answering = warm(() =>
  answerInProcess({
    BatchGetItem: (input) => counted(table.script.BatchGetItem)(input),
    // One item per read, so that a test can act between any two.
    Query: (input) => counted(table.script.Query)({ ...input, Limit: 1 }),
    TransactWriteItems: (input) => counted(table.script.TransactWriteItems)(input),
  }),
);

/** A backup made that many days ago, with a retention of one day. */
export const over = (days: number, more: Partial<BackupRecord> = {}): BackupRecord => {
  const at = ago(days).toISOString();
  return backupOf({
    id: newIdOf('backup', ago(days)),
    storageDestination,
    createdAt: at,
    readTime: at,
    completedAt: at,
    retentionDays: 1,
    expiresAt: ago(days - 1).toISOString(),
    size: 100,
    ...more,
  });
};

export const put = (...items: readonly Item[]): void => {
  for (const item of items) table.put(item);
};

/** A new table with these backups, their counts, and retention due. */
export const begin = (...backups: readonly BackupRecord[]): void => {
  answering();
  table = new InMemoryTable();
  between = () => undefined;
  const completed = backups.filter(({ status }) => status === 'completed');
  put(
    {
      ...organizationKey.organization(tenant),
      id: tenant.organizationId,
      backupCount: completed.length,
      storageUsed: 100 * completed.length,
    },
    {
      ...organizationKey.storageDestination(tenant, storageDestination.id),
      id: storageDestination.id,
      immutable: false,
      backupCount: completed.length,
    },
    { ...retentionKey(tenant), organizationId: tenant.organizationId, dueAt: now.toISOString() },
    ...backups,
    ...backups.map(({ id, archive }) => ({ ...backupKey.archive(tenant, archive.backup, id), backupId: id })),
  );
};

export const apply = async (
  pins: readonly string[] = [],
  onCall: (call: number) => void = () => undefined,
  until = ago(-1),
): Promise<number> => {
  [calls, between] = [0, onCall];
  try {
    await applyRetention(tenant, { until, time: { now: () => now }, pinsOf: async () => new Set(pins) });
    return calls;
  } finally {
    between = () => undefined;
  }
};

export const recordOf = ({ id }: { readonly id: string }): BackupRecord | undefined =>
  table.get<BackupRecord>(backupKey.backup(tenant, id));
export const statusOf = (backup: BackupRecord): string | undefined => recordOf(backup)?.status;
export const statuses = (...backups: readonly BackupRecord[]) => backups.map(statusOf);
export const audits = () => table.find('AUDIT#').filter(({ action }) => action === 'backup.expired');
export const tasks = () =>
  table.find('ORG#', 'TASK#').map(({ message }) => (JSON.parse(String(message)) as { task: { kind: string } }).task);
export const dueAt = (): unknown => table.get(retentionKey(tenant))?.dueAt;
export const counts = () => {
  const { backupCount, storageUsed } = table.get(organizationKey.organization(tenant)) ?? {};
  const destination = table.get(organizationKey.storageDestination(tenant, storageDestination.id));
  return [backupCount, storageUsed, destination?.backupCount];
};

/** A concurrent transaction; whether it succeeded. */
export const transact = (writes: readonly Write[]): boolean => {
  const all = (values: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, marshalled(value)]),
    );
  const TransactItems = writes.map((write) => {
    const common = {
      ...(write.condition && { ConditionExpression: write.condition }),
      ...(write.names && { ExpressionAttributeNames: write.names }),
      ...(write.values && { ExpressionAttributeValues: all(write.values) }),
    };
    if ('put' in write) return { Put: { ...common, Item: all(write.put) } };
    if ('update' in write) return { Update: { ...common, Key: all(keyOf(write.update)), UpdateExpression: write.expression } };
    if ('remove' in write) return { Delete: { ...common, Key: all(keyOf(write.remove)) } };
    return { ConditionCheck: { ...common, Key: all(keyOf(write.check)) } };
  });
  return !(table.script.TransactWriteItems?.({ TransactItems } as Input) instanceof Fault);
};
const keyOf = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => ({ pk, sk });
