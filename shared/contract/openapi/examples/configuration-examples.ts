/** What surrounds the documents of the example's database. */
import type * as z from 'zod/mini';
import type { BackupConfiguration, ConfigurationDiff, ConfigurationRestore } from '../../models/configuration.ts';
import { backup } from './job-examples.ts';

const { id: backupId, projectId, createdAt: capturedAt } = backup;
const rules =
  "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /orders/{order} { allow read: if request.auth != null; }\n  }\n}\n";

export const backupConfiguration: z.output<typeof BackupConfiguration> = {
  backupId,
  configuration: {
    capturedAt,
    settings: {
      state: 'captured',
      reason: null,
      value: {
        locationId: 'eur3',
        type: 'FIRESTORE_NATIVE',
        edition: 'STANDARD',
        deleteProtection: true,
        pointInTimeRecovery: false,
      },
    },
    indexes: {
      state: 'captured',
      reason: null,
      items: [
        {
          collectionGroup: 'orders',
          queryScope: 'COLLECTION',
          apiScope: 'ANY_API',
          density: 'SPARSE_ALL',
          fields: [
            { fieldPath: 'customer', order: 'ASCENDING' },
            { fieldPath: 'createdAt', order: 'DESCENDING' },
            { fieldPath: '__name__', order: 'DESCENDING' },
          ],
        },
      ],
    },
    fields: {
      state: 'captured',
      reason: null,
      items: [{ collectionGroup: 'sessions', fieldPath: 'expiresAt', indexes: [], ttl: true }],
    },
    rules: {
      state: 'captured',
      reason: null,
      items: [{ release: 'cloud.firestore', updatedAt: capturedAt, files: [{ name: 'firestore.rules', content: rules }] }],
    },
  },
};

const index = {
  part: 'indexes',
  kind: 'index',
  name: 'orders: customer ascending, createdAt descending',
  collectionGroup: 'orders',
} as const;

export const configurationDiff: z.output<typeof ConfigurationDiff> = {
  backupId,
  against: 'live',
  capturedAt: { backup: capturedAt, against: capturedAt },
  withoutConfiguration: [],
  unknown: ['rules'],
  equal: 7,
  differences: [{ ...index, change: 'removed', before: 'exists', after: null }],
};

export const configurationRestore: z.output<typeof ConfigurationRestore> = {
  backupId,
  targetProjectId: projectId,
  dryRun: true,
  complete: false,
  counts: { create: 0, change: 0, equal: 0, building: 1, kept: 0, impossible: 0, failed: 0 },
  unknown: [
    {
      part: 'rules',
      side: 'target',
      reason: 'The caller does not have permission. It needs the role roles/firebaserules.viewer',
    },
  ],
  steps: [{ ...index, action: 'building', reason: null, percent: 40, outcome: null, error: null }],
};
