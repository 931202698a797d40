/** Examples of accounts, organizations, projects, destinations, schedules and webhooks. */
import type * as z from 'zod/mini';
import type { AuditEntry } from '../../endpoints/audit-logs.ts';
import type { SignInSession, TokenSet, User } from '../../endpoints/auth.ts';
import type { DeviceCode, DeviceRequest } from '../../endpoints/device.ts';
import type { ServiceAccount } from '../../endpoints/service-account.ts';
import type { StorageTest } from '../../endpoints/storage-destinations.ts';
import { idPrefixes } from '../../ids.ts';
import { auditDays, backupTimeoutMinutes, deviceCodeSeconds, devicePollSeconds } from '../../limits.ts';
import type { ApiKey } from '../../models/api-key.ts';
import type { Encryption } from '../../models/encryption.ts';
import type { Invitation } from '../../models/invitation.ts';
import type { Member } from '../../models/member.ts';
import type { Pitr, PitrDivergence, PitrWindows } from '../../models/pitr.ts';
import type { Project } from '../../models/project.ts';
import type { Schedule } from '../../models/schedule.ts';
import type { StorageDestination } from '../../models/storage-destination.ts';
import type { ProjectStorage, StorageUsage } from '../../models/storage-usage.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const { project: named, fullProject, storage, schedule: sample, person, ago } = sampleResourcesAt(exampleTime);
const ulid = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const now = exampleTime.toISOString();
const inAWeek = '2026-02-07T12:00:00.000Z';
const yesterday = ago(24 * 3_600);
const organizationId = `${idPrefixes.organization}_${ulid}`;
const secret = '********';

export const user: z.output<typeof User> = {
  id: person.id,
  email: person.email,
  name: 'Ada Lovelace',
  picture: null,
  organizations: [{ id: organizationId, name: 'Example', role: 'owner' }],
  createdAt: yesterday,
};

export const tokenSet: z.output<typeof TokenSet> = {
  accessToken: 'eyJhbGciOiJSUzI1NiIs…',
  refreshToken: 'eyJhbGciOiJkaXIi…',
  expiresIn: 3_600,
  tokenType: 'Bearer',
};

export const deviceCode: z.output<typeof DeviceCode> = {
  deviceCode: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS2Q',
  userCode: 'WDJB-MJHT',
  verificationUri: 'https://app.example.com/console/device',
  verificationUriComplete: 'https://app.example.com/console/device?userCode=WDJB-MJHT',
  expiresIn: deviceCodeSeconds,
  interval: devicePollSeconds,
};

export const deviceRequest: z.output<typeof DeviceRequest> = {
  clientName: 'bms on build-7',
  ip: '203.0.113.7',
  location: 'DE, Berlin',
  userAgent: 'bms/2.0.0 node/24.21.0 linux',
  createdAt: now,
  expiresAt: '2026-01-31T12:10:00.000Z',
};

export const signInSession: z.output<typeof SignInSession> = {
  id: `${idPrefixes.session}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`,
  kind: 'device',
  name: 'bms on build-7',
  createdAt: now,
  lastUsedAt: now,
  address: '203.0.113.7',
  country: 'DE',
  current: false,
};

export const member: z.output<typeof Member> = {
  userId: person.id,
  email: person.email,
  name: 'Ada Lovelace',
  picture: null,
  role: 'admin',
  status: 'active',
  joinedAt: yesterday,
  lastActiveAt: now,
};

export const invitation: z.output<typeof Invitation> = {
  id: `${idPrefixes.invitation}_${ulid}`,
  email: 'grace@example.com',
  role: 'member',
  status: 'pending',
  expiresAt: inAWeek,
  createdAt: now,
  invitedBy: person,
  acceptUrl: 'https://app.example.com/invitations/eyJpbnYiOiI…',
  resentAt: now,
};

export const serviceAccountExample: z.output<typeof ServiceAccount> = {
  id: `${idPrefixes.serviceAccount}_${ulid}`,
  name: 'Deployments',
  email: `deployments@${ulid.toLowerCase()}.example.com`,
  apiKey: 'fb_sa_…',
  permissions: ['backups:read', 'backups:write'],
  lastUsedAt: now,
  createdAt: yesterday,
  createdBy: person.id,
  status: 'active',
  previousKeyExpiresAt: null,
};

export const apiKeyExample: z.output<typeof ApiKey> = {
  id: `${idPrefixes.apiKey}_${ulid}`,
  name: 'Backup before deploy',
  role: 'member',
  permissions: ['backups:read', 'backups:write'],
  projectIds: [named.id],
  allowedAddresses: ['203.0.113.0/24'],
  status: 'active',
  expiresAt: inAWeek,
  lastUsedAt: now,
  createdBy: { type: 'user', ...person, role: 'admin' },
  grantedBy: { type: 'user', ...person, role: 'admin' },
  createdAt: yesterday,
  updatedAt: yesterday,
  rotatedAt: null,
  previousKeyExpiresAt: null,
};

export const encryptionExample: z.output<typeof Encryption> = {
  mode: 'kms',
  keyId: 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  rewrap: 'idle',
  updatedAt: null,
};

export const projectExample: z.output<typeof Project> = {
  ...fullProject,
  settings: { backupTimeoutMinutes, defaultStorageId: storage.id },
  lastBackupAt: now,
};

export const pitrExample: z.output<typeof Pitr> = {
  projectId: named.id,
  enabled: true,
  status: 'active',
  retentionDays: 7,
  captureIntervalSeconds: 60,
  precision: 'second',
  auditDays,
  storageDestinationId: storage.id,
  enabledAt: yesterday,
  baseBackupId: `${idPrefixes.backup}_${ulid}`,
  earliestRestorableAt: yesterday,
  latestRestorableAt: ago(5),
  lastCapture: { at: ago(5), changes: 12, cost: { reads: 12, estimatedUsd: 0.000007 } },
  changesCaptured: 1_804,
  problem: null,
  anomaly: null,
  audit: {
    auditedSince: yesterday,
    lastAt: ago(3_600),
    dueAt: now,
    documents: 41_200,
    differences: 0,
    cost: { reads: 41_240, estimatedUsd: 0.024744 },
    problem: null,
  },
  cost: { reads: 1_804, estimatedUsd: 0.001082 },
};

export const pitrDivergence: z.output<typeof PitrDivergence> = {
  id: `${idPrefixes.capture}_${ulid}`,
  path: 'orders/1042',
  captured: { updateTime: yesterday, sha256: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' },
  source: { updateTime: ago(3_600), sha256: 'YDA7ffWKF-5xKSbNu7wwV8LJmnXQVQ1u6i0RPb7zqYU' },
  from: yesterday,
  to: ago(5),
};

export const pitrWindows: z.output<typeof PitrWindows> = {
  windows: [{ from: yesterday, to: ago(5), complete: true, precision: 'second' }],
  gaps: [],
  sampled: [],
  diverged: [],
  collections: { count: 3, ids: ['customers', 'invoices', 'orders'] },
  undetectedUpToSeconds: 60,
};

export const storageDestination: z.output<typeof StorageDestination> = {
  ...storage,
  credentials: { accessKeyId: `${secret}MPLE`, secretAccessKey: secret },
};

export const storageTest: z.output<typeof StorageTest> = {
  success: true,
  checks: ['write', 'read', 'range', 'list', 'delete'].map((name) => ({ name, ok: true })),
  warnings: [],
  duration: 412,
};

export const projectStorageExample: z.output<typeof ProjectStorage> = {
  id: named.id,
  name: named.name,
  uses: ['default', 'schedule', 'point-in-time', 'backups'],
  backups: 30,
  lockedBackups: 7,
  storedBytes: 1_237_094_400,
  objects: 412,
  captured: { objects: 96, bytes: 3_145_728 },
};

export const storageUsageExample: z.output<typeof StorageUsage> = {
  storageDestinationId: storage.id,
  source: 'records',
  computedAt: now,
  isDefault: true,
  backups: 30,
  lockedBackups: 7,
  lockedUntil: inAWeek,
  storedBytes: 1_237_094_400,
  objects: 412,
  captured: { objects: 96, bytes: 3_145_728 },
  monthlyCost: {
    estimatedUsd: 0.030309,
    usdPerGigabyte: 0.0245,
    price: 'Amazon S3 Standard',
    source: 'https://aws.amazon.com/s3/pricing/',
    asOf: '2026-05-01',
  },
  projects: [projectStorageExample],
  schedules: [{ id: sample.id, name: sample.name, projectId: named.id, enabled: true }],
};

const { cronExpression: _cron, projectName: _name, ...scheduled } = sample;
export const schedule: z.output<typeof Schedule> = scheduled;

export const auditEntryExample: z.output<typeof AuditEntry> = {
  id: `${idPrefixes.audit}_${ulid}`,
  timestamp: now,
  action: 'backup.created',
  actor: { type: 'user', ...person },
  resource: { type: 'backup', id: `${idPrefixes.backup}_${ulid}` },
  organization: { id: organizationId },
  context: { ip: '203.0.113.7', userAgent: 'curl/8.9.1', location: 'DE', requestId: 'Ab12CdEf34Gh' },
  details: { projectId: named.id, type: 'full' },
};
