/** Tools that list what there is: overview, projects, backups, incidents, audit log. */
import * as z from 'zod/mini';
import { alertKinds, incidentStatuses } from '../../../shared/contract/models/alert-enums.ts';
import { backupStatuses, protections } from '../base/choices.ts';
import { findRecordId } from '../context/find-resource.ts';
import { defineTool, listOf, moment, nextCursor, paging, project, type ToolHost } from './define-tool.ts';

const protectionNames = Object.keys(protections) as [keyof typeof protections];

export const addListTools = (host: ToolHost): void => {
  defineTool(host, {
    name: 'overview',
    title: 'Protection overview',
    description:
      'Whether each project is protected now, the least protected first, what needs attention first, and which jobs failed within a week. Totals are of all projects; projects is one page of those that match.',
    input: {
      ...paging,
      search: z.optional(z.string().check(z.maxLength(100))).check(z.describe('Text in the name, source or labels of a project')),
      protection: z.optional(z.enum(protectionNames)),
      label: z.optional(z.string().check(z.maxLength(500))).check(z.describe('key=value, or key')),
    },
    output: {
      totals: z.looseObject({ projects: z.int(), protected: z.int(), atRisk: z.int(), unprotected: z.int(), proven: z.int() }),
      matching: z.int(),
      projects: listOf({ id: z.string(), name: z.string(), protection: z.enum(protectionNames) }),
      attention: listOf({ kind: z.string(), severity: z.string(), message: z.string() }),
      nextCursor,
    },
    run: async (client, query, signal) => {
      const { data, pagination } = await client.page('GET /overview', { query, signal });
      const { history: _history, ...overview } = data;
      return { ...overview, nextCursor: pagination.nextCursor };
    },
  });

  defineTool(host, {
    name: 'list_projects',
    title: 'List projects',
    description: 'The connected Firestore projects, newest first.',
    input: paging,
    output: {
      projects: listOf({ id: z.string(), name: z.string(), sourceProjectId: z.string(), status: z.string() }),
      nextCursor,
    },
    run: async (client, query, signal) => {
      const { data, pagination } = await client.page('GET /projects', { query, signal });
      return { projects: data, nextCursor: pagination.nextCursor };
    },
  });

  defineTool(host, {
    name: 'list_backups',
    title: 'List backups',
    description:
      'Backups, newest first, of one project or of all. A good backup is completed and its verification found no damage.',
    input: {
      ...paging,
      projectId: z.optional(project),
      status: z
        .optional(z.enum(Object.keys(backupStatuses) as [keyof typeof backupStatuses]))
        .check(z.describe('Deleted and expired backups are listed only with their status')),
      from: z.optional(moment).check(z.describe('Created at this time or later')),
      to: z.optional(moment).check(z.describe('Created at this time or earlier')),
    },
    output: {
      backups: listOf({
        id: z.string(),
        projectId: z.string(),
        status: z.string(),
        createdAt: z.string(),
        documentCount: z.int(),
        verifiedAt: z.nullable(z.string()),
      }),
      nextCursor,
    },
    run: async (client, { projectId: wanted, ...filters }, signal) => {
      const query = { ...filters, projectId: await findRecordId(client, 'project', wanted) };
      const { data, pagination } = await client.page('GET /backups', { query, signal });
      const backups = data.map(({ progress: _progress, encryption: _encryption, ...backup }) => backup);
      return { backups, nextCursor: pagination.nextCursor };
    },
  });

  defineTool(host, {
    name: 'list_incidents',
    title: 'List incidents',
    description:
      'What fails or has failed, newest first: since when, how often, who has acknowledged it and who takes care of it. Open ones unless another status is given.',
    input: {
      ...paging,
      projectId: z.optional(project),
      status: z._default(z.enum([...incidentStatuses, 'all']), 'open'),
      kind: z.optional(z.enum(alertKinds)),
    },
    output: {
      incidents: listOf({
        id: z.string(),
        status: z.string(),
        title: z.string(),
        openedAt: z.string(),
        project: z.nullable(z.looseObject({ id: z.string(), name: z.string() })),
        acknowledgement: z.nullable(z.looseObject({ at: z.string() })),
        assignee: z.nullable(z.looseObject({ email: z.string() })),
      }),
      nextCursor,
    },
    run: async (client, { projectId: wanted, status, ...filters }, signal) => {
      const query = {
        ...filters,
        status: status === 'all' ? undefined : status,
        projectId: await findRecordId(client, 'project', wanted),
      };
      const { data, pagination } = await client.page('GET /alerts/incidents', { query, signal });
      return { incidents: data, nextCursor: pagination.nextCursor };
    },
  });

  defineTool(host, {
    name: 'audit_log',
    title: 'Audit log',
    description: 'Who did what, when and from where, newest first. Needs the role admin or the scope organization:read.',
    input: {
      ...paging,
      from: z.optional(moment),
      to: z.optional(moment),
      action: z.optional(z.string().check(z.maxLength(100))).check(z.describe('Such as backup.created or restore.created')),
      resourceType: z.optional(z.string().check(z.maxLength(100))).check(z.describe('Such as backup, project or webhook')),
      resourceId: z.optional(z.string().check(z.maxLength(100))).check(z.describe('The id of one resource')),
      search: z.optional(z.string().check(z.maxLength(200))).check(z.describe('Words that must all occur, in any case')),
    },
    output: { entries: listOf({ id: z.string(), action: z.string(), timestamp: z.string() }), nextCursor },
    run: async (client, query, signal) => {
      const { data, pagination } = await client.page('GET /audit-logs', { query, signal });
      return { entries: data, nextCursor: pagination.nextCursor };
    },
  });
};
