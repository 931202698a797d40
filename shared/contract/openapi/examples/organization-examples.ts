/** Examples of organizations. */
import type * as z from 'zod/mini';
import type { CurrentOrganization, Deletion, Organization } from '../../endpoints/organizations.ts';
import { idPrefixes } from '../../ids.ts';
import { organizationLimits } from '../../limits.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const { storage, person, ago } = sampleResourcesAt(exampleTime);
const organizationId = `${idPrefixes.organization}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`;
const now = exampleTime.toISOString();
const yesterday = ago(24 * 3_600);

export const organizationExample: z.output<typeof Organization> &
  Pick<z.output<typeof CurrentOrganization>, 'awsAccountId' | 'hasServiceAccount' | 'limits'> = {
  id: organizationId,
  name: 'Example',
  slug: 'example',
  ownerId: person.id,
  owner: { id: person.id, email: person.email, name: 'Ada Lovelace' },
  settings: { timezone: 'Europe/Berlin', defaultStorageId: storage.id },
  statistics: { memberCount: 2, projectCount: 1, backupCount: 30, storageUsed: 1_237_094_400 },
  subscription: { plan: 'starter', status: 'active', billingCycle: 'monthly' },
  role: 'owner',
  memberCount: 2,
  projectCount: 1,
  limits: {
    schedules: { limit: organizationLimits.schedules, used: 12 },
    webhooks: { limit: organizationLimits.webhooks, used: 2 },
    alerts: { limit: organizationLimits.alerts, used: 1 },
    restoreTests: { limit: organizationLimits.restoreTests, used: 1 },
    concurrentBackups: { limit: organizationLimits.concurrentBackups, used: 3 },
    concurrentRestores: { limit: organizationLimits.concurrentRestores, used: 0 },
    concurrentExports: { limit: organizationLimits.concurrentExports, used: 1 },
    concurrentVerifications: { limit: organizationLimits.concurrentVerifications, used: 0 },
  },
  awsAccountId: '123456789012',
  hasServiceAccount: false,
  createdAt: yesterday,
  updatedAt: now,
};

export const deletion: z.output<typeof Deletion> = {
  id: organizationId,
  deleted: true,
  deletionType: 'soft',
  recoveryDeadline: '2026-03-02T12:00:00.000Z',
};
