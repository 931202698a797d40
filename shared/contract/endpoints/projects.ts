import * as z from 'zod/mini';
import { apiPrefix, group } from '../endpoint.ts';
import { BucketName, GoogleCredentials, id, MaxReads, Name } from '../fields.ts';
import { Labels, LabelsChange } from '../labels.ts';
import {
  backupTimeoutMinutes,
  backupTimeoutMinutesMax,
  backupTimeoutMinutesMin,
  outsideShare,
  searchFieldsMax,
} from '../limits.ts';
import { Project } from '../models/project.ts';
import { ProjectReads } from '../models/project-reads.ts';
import {
  bucketRoles,
  PoolId,
  ProjectNumber,
  ProviderId,
  ServiceAccountEmail,
  sourceRoles,
  WorkloadIdentity,
  WorkloadIdentitySetup,
} from '../workload-identity.ts';

/** Google's ids, legacy domain-scoped ids (`example.com:name`) and ids of emulators; never several path segments. */
const SourceProjectId = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9.:_-]{0,99}$/, 'must be the id of a Google Cloud project'),
    z.meta({ examples: ['my-project'] }),
  );
const DatabaseId = z
  .string()
  .check(
    z.regex(/^(\(default\)|[a-z0-9][a-z0-9-]{0,62})$/, 'must be (default) or the id of a named database'),
    z.meta({ examples: ['(default)'] }),
  );

const TimeoutMinutes = z
  .int(`must be a whole number from ${backupTimeoutMinutesMin} to ${backupTimeoutMinutesMax}`)
  .check(
    z.minimum(backupTimeoutMinutesMin, `must be at least ${backupTimeoutMinutesMin}`),
    z.maximum(backupTimeoutMinutesMax, `must be at most ${backupTimeoutMinutesMax}`),
    z.meta({ examples: [backupTimeoutMinutes] }),
  );

/** In documents (of the Enterprise edition: read units), or in dollars at the list price of the database's location. */
const ReadBudgetPerDay = z.union(
  [
    z.strictObject({ documents: z.int('must be a whole number').check(z.minimum(1, 'must be at least 1')) }),
    z.strictObject({ usd: z.number('must be a number').check(z.positive('must be more than 0')) }),
  ],
  'must be {documents} or {usd}',
);

/** Of characters that every text can have; in backticks with any. */
const fieldName = '(?:`(?:[^`\\\\\\u0000-\\u001f\\ufffd]|\\\\[^\\u0000-\\u001f\\ufffd])+`|[^`.\\u0000-\\u001f\\ufffd]+)';
const fieldPath = new RegExp(`^${fieldName}(?:\\.${fieldName})*$`);
/** The path of the document is no field. */
const documentName = /^(?:__name__|`__name__`)(?:\.|$)/;

const SearchFields = z
  .array(
    z.string('must be a text').check(
      z.maxLength(200, 'must have at most 200 characters'),
      z.regex(fieldPath, 'must be a field path, such as email or address.city; put names with dots in backticks'),
      z.refine((path) => !documentName.test(path), 'must be a field: __name__ is the path of the document'),
    ),
  )
  .check(
    z.maxLength(searchFieldsMax, `must name at most ${searchFieldsMax} fields`),
    z.refine((fields) => new Set(fields).size === fields.length, 'must name each field once'),
    z.meta({ examples: [['email', 'address.city']] }),
  );

/** Only the given fields change; null resets a field to its default. */
const SettingsChange = z.strictObject({
  backupTimeoutMinutes: z.optional(TimeoutMinutes),
  defaultStorageId: z.optional(z.nullable(id('storageDestination'))),
  maxReads: z.optional(z.nullable(MaxReads)),
  readBudgetPerDay: z.optional(z.nullable(ReadBudgetPerDay)),
  searchFields: z.optional(z.nullable(SearchFields)),
});

const read = { role: 'viewer', scope: 'projects:read', projects: 'named' } as const;
const manage = { role: 'member', scope: 'projects:write', projects: 'named' } as const;
const connects = ['table:write', 'source:read', 'source:seal', 'link:make'] as const;

export const projects = group('projects', `${apiPrefix}/projects`, {
  create: {
    route: 'POST',
    access: { ...manage, projects: 'organization' },
    summary: 'Connect a project; access to its database is checked immediately',
    body: z.strictObject({
      name: Name,
      sourceProjectId: SourceProjectId,
      databaseId: z._default(DatabaseId, '(default)'),
      credentials: z.optional(GoogleCredentials),
      workloadIdentity: z.optional(WorkloadIdentity),
      labels: z.optional(Labels),
      settings: z.optional(SettingsChange),
    }),
    data: Project,
    status: 201,
    location: `${apiPrefix}/projects/{id}`,
    audit: 'project.created',
    errors: ['SOURCE_AUTH_ERROR', 'SOURCE_NOT_FOUND', 'SOURCE_NOT_SUPPORTED', 'STORAGE_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: [...connects],
  },
  list: {
    route: 'GET',
    access: { ...read, projects: 'listed' },
    summary: 'List connected projects, newest first',
    list: Project,
    capabilities: ['table:read'],
  },
  workloadIdentity: {
    route: 'GET /workload-identity',
    access: { ...read, projects: 'unrelated' },
    summary: 'Get the three gcloud commands that let this organization access a Google Cloud project, or a bucket, without a key',
    query: z.strictObject({
      sourceProjectId: SourceProjectId,
      projectNumber: z.optional(ProjectNumber),
      poolId: z.optional(PoolId),
      providerId: z.optional(ProviderId),
      serviceAccountEmail: z.optional(ServiceAccountEmail),
      bucket: z.optional(BucketName),
      role: z.optional(z.enum([...sourceRoles, ...bucketRoles])),
    }),
    data: WorkloadIdentitySetup,
    capabilities: ['table:read', 'google:name'],
  },
  get: {
    route: 'GET /{projectId}',
    access: read,
    summary: 'Get a project',
    data: Project,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    route: 'PATCH /{projectId}',
    access: manage,
    summary: 'Update the name, labels or settings of a project; only the given fields change',
    note: 'With organizationId the project moves with its backups to another organization.',
    body: z.strictObject({
      name: z.optional(Name),
      labels: z.optional(LabelsChange),
      settings: z.optional(SettingsChange),
      organizationId: z.optional(id('organization')),
    }),
    data: Project,
    audit: 'project.updated',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT', 'PERMISSION_DENIED'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'move:seal'],
  },
  remove: {
    route: 'DELETE /{projectId}',
    access: manage,
    summary: 'Disconnect a project. Its backups are kept; its captured changes are deleted',
    audit: 'project.deleted',
    errors: ['PROJECT_NOT_FOUND', 'JOB_IN_PROGRESS'],
    capabilities: ['table:write'],
  },
  reads: {
    route: 'GET /{projectId}/reads',
    access: read,
    summary:
      'What capture, counts, audit, bases and backups read a day: the last 30 days, a forecast, and what each setting changes',
    data: ProjectReads,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  reconnect: {
    route: 'POST /{projectId}/reconnect',
    access: manage,
    summary: 'Reconnect a project with the caller’s grant, the given credentials or a workload identity',
    body: z.strictObject({ credentials: z.optional(GoogleCredentials), workloadIdentity: z.optional(WorkloadIdentity) }),
    bodyOptional: true,
    data: Project,
    audit: 'project.reconnected',
    errors: ['PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR', 'SOURCE_NOT_FOUND', 'SOURCE_NOT_SUPPORTED', 'CONFLICT', 'FORBIDDEN'],
    outboundShare: outsideShare,
    capabilities: [...connects],
  },
  collections: {
    route: 'GET /{projectId}/collections',
    access: read,
    summary: 'List the root collections of the database with their document counts',
    list: z.object({ id: z.string(), count: z.nullable(z.int()) }),
    errors: ['PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR', 'SOURCE_NOT_FOUND'],
    // table:write, because the provider may issue a new refresh token, which must be stored.
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read'],
  },
});
