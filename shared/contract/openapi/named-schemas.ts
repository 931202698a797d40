/** Names, descriptions and examples of the schemas that become components of the OpenAPI document. */
import type * as z from 'zod/mini';
import type { Endpoint } from '../endpoint.ts';
import { eventNames, simpleEventNames } from '../events/event-names.ts';
import { eventSummaries } from '../events/event-summaries.ts';
import { simpleEventData } from '../events/simple-event-data.ts';
import { type contract, endpoints } from '../index.ts';
import { simpleBodies, standardBodies } from './event-bodies.ts';
import { requestExamples } from './examples/request-examples.ts';
import { standardExample } from './examples/webhook-examples.ts';
import { resources } from './resource-schemas.ts';

export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodMiniType;
  readonly io: 'input' | 'output';
  readonly description: string;
  readonly example: unknown;
}

/** The noun of a group's requests. */
const nouns: Readonly<Record<keyof typeof contract, string>> = {
  auth: '',
  device: 'DeviceSignIn',
  sessions: 'SignIn',
  organizations: 'Organization',
  members: 'Member',
  invites: 'Invitation',
  invitations: 'Invitation',
  serviceAccount: 'ServiceAccount',
  apiKeys: 'ApiKey',
  encryption: 'Encryption',
  projects: 'Project',
  pitr: 'Pitr',
  erasures: 'Erasure',
  storageDestinations: 'StorageDestination',
  storageUsage: 'StorageUsage',
  backups: 'Backup',
  backupContents: 'Backup',
  documents: 'Document',
  search: 'Search',
  restores: 'Restore',
  exports: 'Export',
  schedules: 'Schedule',
  restoreTests: 'RestoreTest',
  evidence: 'Evidence',
  reports: 'Report',
  webhooks: 'Webhook',
  alerts: 'Alert',
  incidents: 'Incident',
  auditLogs: 'AuditLog',
  overview: 'Overview',
  system: 'System',
  description: 'Description',
  console: 'Console',
};

/** Verbs that read better than the name of the operation. */
const verbs: Readonly<Record<string, string>> = {
  'backupContents.register': 'Import',
  'backupContents.configurationRestore': 'RestoreConfigurationOf',
  'device.token': 'Poll',
  'organizations.remove': 'Delete',
  'serviceAccount.rotateKey': 'RotateKeyOf',
  'webhooks.rotateSecret': 'RotateSecretOf',
  'webhooks.retry': 'RetryDeliveryOf',
  'alerts.retry': 'RetryDeliveryOf',
  'restoreTests.answerCheck': 'AnswerCheckOf',
  'restoreTests.cancelRun': 'CancelRunOf',
  'webhooks.replay': 'ReplayEventsOf',
};

const pascal = (text: string): string => text.replaceAll(/(^|[._])(\w)/g, (_, _gap, letter: string) => letter.toUpperCase());

/** `backups.create` → `CreateBackupRequest` */
const requestName = ({ id }: Endpoint): string => {
  const [group = '', operation = ''] = id.split('.');
  return `${verbs[id] ?? pascal(operation)}${nouns[group as keyof typeof nouns]}Request`;
};

/** Operations with the same body share its first name. */
const requests = (): readonly NamedSchema[] =>
  endpoints.flatMap((endpoint) => {
    const { id, body, method, path, summary } = endpoint;
    if (!body || Object.keys(body.shape).length === 0) return [];
    const example = (requestExamples as Readonly<Record<string, unknown>>)[id];
    return [{ name: requestName(endpoint), schema: body, io: 'input', description: `${method} ${path}: ${summary}`, example }];
  });

const standardEvents = (): readonly NamedSchema[] =>
  eventNames.map((name) => ({
    name: `${pascal(name)}Event`,
    schema: standardBodies[name],
    io: 'output',
    description: eventSummaries[name],
    example: standardExample(name),
  }));

const simpleEvents = (): readonly NamedSchema[] =>
  simpleEventNames.map((name) => {
    const { timestamp, data } = standardExample(name);
    return {
      name: `${pascal(name)}SimpleEvent`,
      schema: simpleBodies[name],
      io: 'output',
      description: `${eventSummaries[name]}, in the simple format`,
      example: { event: name, timestamp, data: simpleEventData(name, data) },
    };
  });

const all: readonly NamedSchema[] = [
  ...Object.entries(resources).map(([name, resource]): NamedSchema => ({ name, io: 'output', ...resource })),
  ...requests(),
  ...standardEvents(),
  ...simpleEvents(),
];

const byZodSchema = new Map<z.core.$ZodType, NamedSchema>();
for (const named of all) if (!byZodSchema.has(named.schema)) byZodSchema.set(named.schema, named);

export const namedSchemas: readonly NamedSchema[] = [...byZodSchema.values()];

/** The name of the component of a schema. */
export const componentNameOf = (schema: z.core.$ZodType): string | undefined => byZodSchema.get(schema)?.name;
