import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { storagePriceOf } from '../../../shared/contract/list-prices.ts';
import { summarizeUsage } from '../../../shared/overview/storage-usage.ts';

const now = new Date('2030-01-10T00:00:00.000Z');
const settings = { backupTimeoutMinutes: 30, defaultStorageId: null };
const backup = {
  projectId: 'prj_1',
  projectName: 'Shop',
  status: 'completed',
  size: 1e9,
  objectCount: 4,
  lockedUntil: null,
} as const;

const nothing = { objects: 0, bytes: 0 };

const usage = summarizeUsage({
  destination: { id: 'dst_1', type: 's3', region: 'eu-central-1', endpoint: null },
  organization: { defaultStorageId: 'dst_1' },
  projects: [
    { id: 'prj_1', name: 'Web shop', settings },
    { id: 'prj_2', name: 'Blog', settings: { ...settings, defaultStorageId: 'dst_2' } },
    { id: 'prj_3', name: 'Elsewhere', settings: { ...settings, defaultStorageId: 'dst_2' } },
  ],
  schedules: [
    { id: 'sch_1', name: 'By default', projectId: 'prj_1', enabled: true, storageDestinationId: null },
    { id: 'sch_2', name: 'By name', projectId: 'prj_2', enabled: false, storageDestinationId: 'dst_1' },
    { id: 'sch_3', name: 'Elsewhere', projectId: 'prj_2', enabled: true, storageDestinationId: null },
  ],
  captures: [
    { projectId: 'prj_1', status: 'active', isCurrent: true, stored: { objects: 3, bytes: 700 } },
    // Its batches have expired.
    { projectId: 'prj_3', status: 'disabled', isCurrent: true, stored: nothing },
    { projectId: 'prj_3', status: 'active', isCurrent: false, stored: nothing },
    { projectId: 'prj_2', status: 'disabled', isCurrent: false, stored: { objects: 2, bytes: 50 } },
  ],
  backups: [
    { ...backup, lockedUntil: '2030-01-11T00:00:00.000Z' },
    { ...backup, lockedUntil: '2030-01-09T00:00:00.000Z' },
    { ...backup, projectId: 'prj_gone', projectName: 'Old shop', size: 3e9 },
    // Its objects could not be deleted.
    {
      ...backup,
      projectId: 'prj_2',
      status: 'expired',
      size: 5,
      objectsKept: { reason: 'locked', since: '2030-01-01T00:00:00.000Z' },
    },
    { ...backup, status: 'deleted' },
    { ...backup, status: 'failed', size: 0 },
    { ...backup, arriving: 'mov_1' },
  ],
  now,
});

test('summarizeUsage: what is in the bucket, by project, the largest first', () => {
  deepEqual(usage.projects, [
    {
      id: 'prj_gone',
      name: 'Old shop',
      uses: ['backups'],
      backups: 1,
      lockedBackups: 0,
      storedBytes: 3e9,
      objects: 4,
      captured: nothing,
    },
    {
      id: 'prj_1',
      name: 'Web shop',
      uses: ['default', 'schedule', 'point-in-time', 'backups'],
      backups: 2,
      lockedBackups: 1,
      storedBytes: 2e9 + 700,
      objects: 11,
      captured: { objects: 3, bytes: 700 },
    },
    {
      id: 'prj_2',
      name: 'Blog',
      uses: ['schedule', 'point-in-time', 'backups'],
      backups: 1,
      lockedBackups: 0,
      storedBytes: 55,
      objects: 6,
      captured: { objects: 2, bytes: 50 },
    },
  ]);
  deepEqual([usage.backups, usage.storedBytes, usage.objects], [4, 5_000_000_755, 21]);
  deepEqual([usage.lockedBackups, usage.lockedUntil, usage.isDefault], [1, '2030-01-11T00:00:00.000Z', true]);
  deepEqual(
    usage.schedules.map(({ name, enabled }) => [name, enabled]),
    [
      ['By default', true],
      ['By name', false],
    ],
  );
  equal(usage.monthlyCost?.estimatedUsd, 0.1225);
});

test('summarizeUsage: one backup whose objects were not counted makes their number unknown', () => {
  const { objectCount: _, ...uncounted } = backup;
  const records = { organization: { defaultStorageId: null }, projects: [], schedules: [], captures: [], now };
  const destination = { id: 'dst_1', type: 's3', region: null, endpoint: 'https://minio.example.com' } as const;
  const { objects, monthlyCost } = summarizeUsage({ ...records, destination, backups: [backup, uncounted] });
  deepEqual([objects, monthlyCost], [null, null]);
});

test('summarizeUsage: captured changes that are too many to read are not counted as none', () => {
  const records = { organization: { defaultStorageId: null }, projects: [], schedules: [], backups: [backup], now };
  const destination = { id: 'dst_1', type: 's3', region: null, endpoint: null } as const;
  const captures = [
    { projectId: 'prj_1', status: 'active', isCurrent: true, stored: { objects: 3, bytes: 700 } },
    { projectId: 'prj_2', status: 'active', isCurrent: true, stored: undefined },
  ] as const;
  const { objects, captured, storedBytes, projects } = summarizeUsage({ ...records, destination, captures });
  deepEqual([objects, captured, storedBytes], [null, null, 1e9]);
  deepEqual(
    projects.map(({ id, captured: own }) => [id, own?.bytes]),
    [
      ['prj_1', 700],
      ['prj_2', undefined],
    ],
  );
});

for (const [endpoint, expected] of [
  [null, 'Amazon S3 Standard'],
  ['https://s3.eu-central-1.amazonaws.com', 'Amazon S3 Standard'],
  ['https://abc.r2.cloudflarestorage.com', 'Cloudflare R2'],
  ['https://s3.us-west-004.backblazeb2.com', 'Backblaze B2'],
  ['https://amazonaws.com.example.org', undefined],
] as const)
  test(`storagePriceOf: ${endpoint} is ${expected}`, () =>
    equal(storagePriceOf({ type: 's3', region: 'eu-central-1', endpoint })?.provider, expected));
