import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { GoogleCredentials, id, Name } from '../fields.ts';
import { backupTimeoutMinutes, backupTimeoutMinutesMax, backupTimeoutMinutesMin, outsideShare } from '../limits.ts';
import { Project } from '../models/project.ts';

/** Google's ids, legacy domain-scoped ones (`example.com:name`) and those of emulators; never a path of several parts. */
const SourceProjectId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9.:_-]{0,99}$/, 'must be the id of a Google Cloud project')
  .meta({ examples: ['my-project'] });
const DatabaseId = z
  .string()
  .regex(/^(\(default\)|[a-z0-9][a-z0-9-]{0,62})$/, 'must be (default) or the id of a named database')
  .meta({ examples: ['(default)'] });

const TimeoutMinutes = z
  .int(`must be a whole number from ${backupTimeoutMinutesMin} to ${backupTimeoutMinutesMax}`)
  .min(backupTimeoutMinutesMin, `must be at least ${backupTimeoutMinutesMin}`)
  .max(backupTimeoutMinutesMax, `must be at most ${backupTimeoutMinutesMax}`)
  .meta({ examples: [backupTimeoutMinutes] });
export const MaxReads = z.int('must be a whole number').min(1, 'must be at least 1');

/** Only what is given changes; null takes a choice back. */
const SettingsChange = z.strictObject({
  backupTimeoutMinutes: TimeoutMinutes.optional(),
  defaultStorageId: id('storageDestination').nullable().optional(),
  maxReads: MaxReads.nullable().optional(),
});

const read = { role: 'viewer', scope: 'projects:read' } as const;
const manage = { role: 'member', scope: 'projects:write' } as const;
const connects = ['table:write', 'source:read', 'source:seal', 'link:make'] as const;

export const projects = group('projects', `${apiPrefix}/projects`, {
  create: {
    method: 'POST',
    path: '',
    access: manage,
    summary: 'Connect a project; its database is asked for at once',
    body: z.strictObject({
      name: Name,
      sourceProjectId: SourceProjectId,
      databaseId: DatabaseId.default('(default)'),
      credentials: GoogleCredentials.optional(),
      settings: SettingsChange.optional(),
    }),
    data: Project,
    status: 201,
    audit: 'project.created',
    errors: ['SOURCE_AUTH_ERROR', 'STORAGE_NOT_FOUND', 'CONFLICT'],
    idempotent: true,
    outboundShare: outsideShare,
    capabilities: [...connects],
  },
  list: {
    method: 'GET',
    path: '',
    access: read,
    summary: 'The connected projects, newest first',
    list: Project,
    capabilities: ['table:read'],
  },
  get: {
    method: 'GET',
    path: '/{projectId}',
    access: read,
    summary: 'A project',
    data: Project,
    errors: ['PROJECT_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  update: {
    method: 'PATCH',
    path: '/{projectId}',
    access: manage,
    summary: 'Change a project’s name or settings, or move it with its backups into another organization',
    body: z.strictObject({
      name: Name.optional(),
      settings: SettingsChange.optional(),
      organizationId: id('organization').optional(),
    }),
    data: Project,
    audit: 'project.updated',
    errors: ['PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND', 'JOB_IN_PROGRESS', 'CONFLICT', 'PERMISSION_DENIED'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'move:seal'],
  },
  remove: {
    method: 'DELETE',
    path: '/{projectId}',
    access: manage,
    summary: 'Disconnect a project; its backups stay, what point-in-time recovery captured of it goes',
    audit: 'project.deleted',
    errors: ['PROJECT_NOT_FOUND', 'JOB_IN_PROGRESS'],
    capabilities: ['table:write'],
  },
  reconnect: {
    method: 'POST',
    path: '/{projectId}/reconnect',
    access: manage,
    summary: 'Connect a project again, with the caller’s grant or the credentials given',
    body: z.strictObject({ credentials: GoogleCredentials.optional() }),
    bodyOptional: true,
    data: Project,
    audit: 'project.reconnected',
    errors: ['PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR', 'CONFLICT'],
    outboundShare: outsideShare,
    capabilities: [...connects],
  },
  collections: {
    method: 'GET',
    path: '/{projectId}/collections',
    access: read,
    summary: 'The root collections of the project’s database, with how many documents each has',
    list: z.object({ id: z.string(), count: z.int().nullable() }),
    errors: ['PROJECT_NOT_FOUND', 'SOURCE_AUTH_ERROR'],
    // A provider may give a new refresh token with each use, and it must be kept.
    outboundShare: outsideShare,
    capabilities: ['table:write', 'source:read'],
  },
});
