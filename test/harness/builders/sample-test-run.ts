/** Runs of restore tests, and a key that signs their evidence as KMS does. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { type EvidenceSigner, parseEvidenceKey } from '../../../shared/archive/index.ts';
import type { RestoreTestRun } from '../../../shared/contract/models/restore-test.ts';
import type { TestedRun } from '../../../shared/restore-test/evidence/make-evidence.ts';

export const newSigner = (modulusLength = 2_048): EvidenceSigner => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    key: parseEvidenceKey(publicKey.export({ format: 'jwk' })),
    sign: async (text) => sign('sha256', Buffer.from(text), privateKey),
  };
};

const compared = { compared: true, reason: null, readTime: null, documents: 98, collections: 4, share: 1, differences: 0 };

export const sampleRun = (change: Partial<RestoreTestRun> = {}): RestoreTestRun => ({
  id: 'rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  restoreTestId: 'rtp_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  name: 'Weekly',
  trigger: 'scheduled',
  scheduledFor: '2026-11-16T03:00:00.000Z',
  projectId: 'prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  projectName: 'Shop',
  status: 'passed',
  phase: 'finished',
  progress: { percent: 100, documents: 98, totalDocuments: 98 },
  backup: { pick: 'random', days: 7 },
  choice: { seed: 'c2VlZA', candidates: 12, chosenAt: '2026-11-16T03:00:01.000Z' },
  backupId: 'bkp_full',
  pointInTime: null,
  readTime: '2026-11-15T03:00:00.000000Z',
  scope: { type: 'all' },
  target: null,
  restoreJobId: null,
  counts: { objects: 2, collections: 4, documents: 98, authUsers: 0, decoded: 98, bytes: 12_345 },
  documentsWritten: null,
  comparisons: {
    index: compared,
    source: { ...compared, compared: false, reason: 'the history of the source ends before', documents: 0, share: 0 },
    target: { ...compared, compared: false, reason: 'nothing was restored', documents: 0, share: 0 },
  },
  warnings: [
    {
      code: 'SOURCE_NOT_COMPARED',
      message: 'The backup was not compared with the source: the history of the source ends before',
    },
  ],
  digests: { manifest: 'ab'.repeat(32), documents: 'cd'.repeat(32) },
  durations: { total: 4_200, read: 3_000, restore: null, compare: 900, check: null, remove: null },
  rtoSeconds: null,
  differences: { total: 0, items: [] },
  check: null,
  removal: null,
  evidence: null,
  createdBy: null,
  createdAt: '2026-11-16T03:00:00.000Z',
  startedAt: '2026-11-16T03:00:00.500Z',
  completedAt: '2026-11-16T03:00:04.700Z',
  error: null,
  ...change,
});

export const testedRun = (change: Partial<RestoreTestRun> = {}): TestedRun => ({
  run: sampleRun(change),
  organization: { id: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', name: 'Demo' },
  source: 'projects/shop/databases/(default)',
  collections: [
    { id: 'hard', documents: 14 },
    { id: 'large', documents: 80 },
  ],
  service: { version: '2.0.0', url: 'https://backups.example.com' },
});
