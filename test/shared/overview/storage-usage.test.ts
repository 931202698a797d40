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
    { projectId: 'prj_1', status: 'active' },
    { projectId: 'prj_3', status: 'disabled' },
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
    { id: 'prj_gone', name: 'Old shop', uses: ['backups'], backups: 1, lockedBackups: 0, storedBytes: 3e9, objects: 4 },
    {
      id: 'prj_1',
      name: 'Web shop',
      uses: ['default', 'schedule', 'point-in-time', 'backups'],
      backups: 2,
      lockedBackups: 1,
      storedBytes: 2e9,
      objects: 8,
    },
    { id: 'prj_2', name: 'Blog', uses: ['schedule', 'backups'], backups: 1, lockedBackups: 0, storedBytes: 5, objects: 4 },
  ]);
  deepEqual([usage.backups, usage.storedBytes, usage.objects], [4, 5_000_000_005, 16]);
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

for (const [endpoint, expected] of [
  [null, 'Amazon S3 Standard'],
  ['https://s3.eu-central-1.amazonaws.com', 'Amazon S3 Standard'],
  ['https://abc.r2.cloudflarestorage.com', 'Cloudflare R2'],
  ['https://s3.us-west-004.backblazeb2.com', 'Backblaze B2'],
  ['https://amazonaws.com.example.org', undefined],
] as const)
  test(`storagePriceOf: ${endpoint} is ${expected}`, () =>
    equal(storagePriceOf({ type: 's3', region: 'eu-central-1', endpoint })?.provider, expected));
