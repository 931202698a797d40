/** Organizations in an in-memory table, one of them with a project and its backups, and a KMS that checks contexts. */

import type { MoveCaller } from '../../../shared/move/index.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { commit, type Item, newId, sealSecret, type Tenant, unsafeTenant, warm } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import { type BackupRecord, backupKey, listBackups } from '../../../shared/stored-backup/index.ts';
import { Fault, scriptAws } from '../aws/scripted-aws.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

export const start = new Date('2026-01-01T12:00:00.000Z');
const at = start.toISOString();
export const userId = newId('user');
export const projectId = newId('project');
const otherProjectId = newId('project');
export const [from, to, elsewhere] = [1, 2, 3].map(() => unsafeTenant(newId('organization'), 'record')) as [
  Tenant,
  Tenant,
  Tenant,
];
export const [used, unused] = [newId('storageDestination'), newId('storageDestination')] as [string, string];
export const privateKey = 'canary-private-key';

const kms = {
  Encrypt: ({ Plaintext, EncryptionContext }: Record<string, unknown>) => ({
    CiphertextBlob: Buffer.from(JSON.stringify([Plaintext, EncryptionContext])).toString('base64'),
  }),
  Decrypt: ({ CiphertextBlob, EncryptionContext }: Record<string, unknown>) => {
    const [plain, context] = JSON.parse(Buffer.from(String(CiphertextBlob), 'base64').toString()) as [string, object];
    const isSame = JSON.stringify(context) === JSON.stringify(EncryptionContext);
    return isSame ? { Plaintext: plain } : new Fault('InvalidCiphertextException');
  },
};

const scripted = warm(() => scriptAws());

export const createMoveEnv = async (backups = 30): Promise<InMemoryTable> => {
  const table = new InMemoryTable();
  const aws = await scripted();
  process.env.SECRETS_KEY_ID = 'secrets';
  aws.play({ ...table.script, ...kms });
  await commit((await initialItems(backups)).map((item) => ({ put: item })));
  return table;
};
export const stopEnv = async (): Promise<void> => (await scripted()).stop();

export const organizationOf = (tenant: Tenant): OrganizationRecord => ({
  ...organizationKey.organization(tenant),
  id: tenant.organizationId,
  name: tenant === from ? 'From' : 'To',
  slug: tenant.organizationId.toLowerCase(),
  ownerId: userId,
  timezone: 'UTC',
  defaultStorageId: null,
  memberCount: 1,
  projectCount: tenant === from ? 2 : 0,
  backupCount: tenant === from ? 100 : 0,
  storageUsed: tenant === from ? 1_000_000 : 0,
  createdAt: at,
  updatedAt: at,
});

export const moveCaller = (): MoveCaller => ({
  tenant: from,
  organization: organizationOf(from),
  role: 'owner',
  actor: { type: 'user', id: userId, email: 'ann@example.com' },
  origin: { ip: null, userAgent: null, requestId: 'request' },
});

export const project: ProjectRecord = {
  ...projectKey.project(from, projectId),
  id: projectId,
  name: 'Shop',
  sourceProjectId: 'shop',
  databaseId: '(default)',
  status: 'connected',
  connection: { type: 'user', userId, email: 'ann@example.com' },
  settings: { backupTimeoutMinutes: 30, defaultStorageId: unused },
  pitr: { enabled: false },
  lastBackupAt: at,
  createdAt: at,
  updatedAt: at,
};

export const newBackup = (more: Partial<BackupRecord> = {}): BackupRecord => {
  const id = newId('backup', start);
  return {
    ...backupKey.backup(from, id),
    ...{ id, projectId, type: 'full', parentBackupId: null, status: 'completed', phase: 'finished', trigger: 'manual' },
    ...{ scheduleId: null, collections: ['*'], excludedCollections: [], includeAuthUsers: false },
    storageDestination: { id: used, name: 'Bucket', type: 's3' },
    path: `${projectId}/${id}`,
    archive: { organization: from.organizationId, project: projectId, backup: id },
    keyFile: Buffer.from(`key of ${id}`),
    encryption: { mode: 'kms', keyId: 'key' },
    ...{ documents: 10, totalDocuments: 10, toldPercent: 100, reads: 10, readTime: at, unknownCollections: [], size: 1_000 },
    ...{ originalSize: 2_000, documentCount: 10, collectionCounts: [['users', 10]], countVerified: true, verification: null },
    ...{ verifiedAt: null, restoreTestedAt: null, lockedUntil: null, expiresAt: null, createdAt: at, startedAt: at },
    ...{ completedAt: at, deadline: null, error: null, createdBy: { type: 'user', id: userId } },
    ...more,
  } as BackupRecord;
};

export const destination = async (id: string, backupCount: number): Promise<Item> => ({
  ...organizationKey.storageDestination(from, id),
  ...{ id, name: 'Bucket', type: 's3', bucket: 'bucket', prefix: '', region: null, endpoint: null, immutable: false },
  sealed: await sealSecret(JSON.stringify({ secretAccessKey: privateKey }), {
    organization: from.organizationId,
    destination: id,
    purpose: 'destination-credentials',
  }),
  ...{ masked: { secretAccessKey: '********' }, objectLock: null, status: 'connected', backupCount },
  ...{ lastTestedAt: null, createdAt: at, updatedAt: at },
});

/** The project's backups, a failed and a deleted one, one of another project, and one of that project that shares an archive. */
const initialItems = async (backups: number): Promise<readonly Item[]> => {
  const own = Array.from({ length: backups }, () => newBackup());
  const failed = newBackup({ status: 'failed' });
  const deleted = newBackup({ status: 'deleted', ttl: Math.floor(start.getTime() / 1_000) + 3_600 });
  const other = newBackup({ projectId: otherProjectId });
  const sharing = newBackup({ projectId: otherProjectId, ...(own[0] && { archive: own[0].archive }) });
  const rows = [...own, failed, deleted, other, sharing];
  const member = (tenant: Tenant) => ({ ...organizationKey.member(tenant, userId), userId, role: 'owner', joinedAt: at });
  return [
    ...[from, to, elsewhere].flatMap((tenant) => [organizationOf(tenant), member(tenant)]),
    project,
    await destination(used, backups + 2),
    await destination(unused, 0),
    ...rows,
    ...rows
      .filter(({ status }) => status === 'completed')
      .map(({ id, archive }) => ({ ...backupKey.archive(from, archive.backup, id), backupId: id })),
  ];
};

/** The project as an organization sees it. */
export const seenIn = async (table: InMemoryTable, tenant: Tenant) => {
  const { backups } = await listBackups(tenant, { filter: { projectId }, page: { limit: 500, after: undefined }, now: start });
  const { projectCount, backupCount, storageUsed } = table.get<OrganizationRecord>(organizationKey.organization(tenant))!;
  const destinations = table
    .find(`ORG#${tenant.organizationId}`, 'DESTINATION#')
    .map(({ id, backupCount: count }) => [id, count]);
  return {
    project: table.get<ProjectRecord>(projectKey.project(tenant, projectId)),
    backups: backups.map(({ id }) => id).sort(),
    counts: { projectCount, backupCount, storageUsed },
    destinations: Object.fromEntries(destinations) as Record<string, number>,
  };
};
