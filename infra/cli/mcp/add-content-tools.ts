/** Tools that read the content of backups: browse, search, one document, its history, a document at a moment, differences. */
import * as z from 'zod/mini';
import { type Client, documentHistory } from '../../../shared/client/index.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { findDocumentAt } from '../context/find-document-at.ts';
import { findBackupId, findRecord, findRecordId } from '../context/find-resource.ts';
import { readDocument, type StoredDocument } from '../context/read-document.ts';
import { needsOlder, searchDocument } from '../context/search-document.ts';
import { plainFields, plainValue } from '../output/plain-value.ts';
import { backup, defineTool, listOf, moment, nextCursor, ofLatest, paging, path, project, type ToolHost } from './define-tool.ts';

/** A document with its fields as plain values. */
const shownDocument = { path: z.string(), updateTime: z.optional(z.string()), fields: z.record(z.string(), z.unknown()) };

export const addContentTools = (host: ToolHost): void => {
  defineTool(host, {
    name: 'browse_backup',
    title: 'Browse a backup',
    description:
      'The collections of a backup (no path), the documents of a collection (path users) or the collections of a document (path users/ada). Does not return fields; read_document does.',
    input: { ...paging, backupId: backup, projectId: ofLatest, path: z.optional(path) },
    output: { entries: listOf({ type: z.string(), path: z.string() }), nextCursor },
    run: async (client, { backupId: wanted, projectId: of, path: below = '', limit, cursor }, signal) => {
      const id = await idOf(client, wanted, of);
      const query = { path: below, showMissing: 'true', limit, cursor } as const;
      const page = await client.page('GET /backups/{backupId}/documents', { params: { backupId: id }, query, signal });
      const entries = page.data.map(({ type, path: at, documents, missing, updateTime }) => ({
        type,
        path: at,
        documents,
        missing,
        updateTime,
      }));
      return { entries, nextCursor: page.pagination.nextCursor };
    },
  });

  defineTool(host, {
    name: 'read_document',
    title: 'Read a document of a backup',
    description: 'The fields of one document as it was when the backup was made, as plain values.',
    input: { backupId: backup, projectId: ofLatest, path, fields },
    output: { backupId: z.string(), ...shownDocument },
    run: async (client, { backupId: named, projectId: of, path: at, fields: wanted }, signal) => {
      const id = await idOf(client, named, of);
      const found = await readDocument(client, { backupId: id, path: at, signal });
      if (!found)
        throw new CliFailure(
          exitCodes.notFound,
          `the backup has no document ${JSON.stringify(at)}; browse_backup lists what it has`,
        );
      return { backupId: id, ...shown(found, wanted) };
    },
  });

  defineTool(host, {
    name: 'find_document',
    title: 'Find a document',
    description:
      "Where a document exists: live, in which backups and at which moments, when it last changed or vanished, and which state to restore (recommended: pass it to plan_restore). Takes a path, an id, a resource name, or the address of a document in Google's console. Does not return fields; read_document does.",
    input: {
      path: path.check(z.describe('Such as users/ada, ada, or https://console.firebase.google.com/project/…')),
      projectId: z.optional(project).check(z.describe('May be left out if the address names the Google Cloud project')),
      cursor: paging.cursor.check(z.describe('nextCursor of the previous answer: searches older backups')),
    },
    output: {
      path: z.nullable(z.string()),
      projectId: z.string(),
      candidates: z.array(z.string()),
      summary: z.looseObject({ found: z.boolean() }),
      recommended: z.nullable(z.looseObject({ backupId: z.nullable(z.string()), pointInTime: z.nullable(z.string()) })),
      examined: z.int().check(z.describe('How many backups were searched')),
      nextCursor: z.nullable(z.string()).check(z.describe('Pass it as cursor to search older backups; null if there are none')),
    },
    run: async (client, { path: document, projectId: wanted, cursor }, signal) => {
      const projectId = await findRecordId(client, 'project', wanted);
      const untilMs = Date.now() + searchMs;
      for await (const searched of searchDocument(client, { query: { projectId, path: document, cursor }, signal })) {
        const { located, nextCursor: next } = searched;
        if (next !== null && needsOlder(located) && Date.now() < untilMs) continue;
        const { live, backups, moments, ...about } = located;
        return {
          ...about,
          live: live && withoutFields(live),
          backups: backups.map(withoutFields),
          moments: moments && { ...moments, changes: moments.changes.map(withoutFields) },
          nextCursor: next,
        };
      }
      throw new Error('the service returned no page');
    },
  });

  defineTool(host, {
    name: 'search_backup',
    title: 'Search a backup',
    description:
      'Documents of a backup by the values of their fields: conditions joined by "and", such as email == "ada@example.com" and total > 100, with ==, !=, <, <=, >, >=, contains or exists; or a text in double quotes that is looked for in every field. Text is in double quotes; numbers, true, false, null, dates and paths of documents are not. Without backupId the newest completed backup of the project. A large backup takes several calls: pass nextCursor, even if nothing was found so far.',
    input: {
      ...paging,
      query: z.string().check(z.minLength(1), z.maxLength(2_000)),
      projectId: z.optional(project),
      backupId: z.optional(backup),
      collection: z.optional(path).check(z.describe('Only the collection with this id or path')),
      fields,
    },
    output: {
      backupId: z.string(),
      projectId: z.string(),
      matches: listOf({ path: z.string() }),
      documentsSearched: z.int().check(z.describe('By this call, of documentsInAll')),
      documentsInAll: z.int(),
      nextCursor,
    },
    run: async (client, { query: q, projectId: of, backupId: named, collection, limit, cursor, fields: wanted }, signal) => {
      const given = named === undefined ? undefined : await idOf(client, named, of);
      const projectId =
        (await findRecordId(client, 'project', of)) ??
        (given && (await client.request('GET /backups/{backupId}', { params: { backupId: given }, signal })).projectId);
      if (projectId === undefined) throw badInput('projectId: is required without backupId');
      const query = { q, projectId, backupId: given, collection };
      const untilMs = Date.now() + searchMs;
      const matches: StoredDocument[] = [];
      let documentsSearched = 0;
      let from = cursor;
      for (;;) {
        const page = { ...query, limit: limit - matches.length, cursor: from };
        const { data, pagination } = await client.page('GET /search', { query: page, signal });
        matches.push(...data.matches);
        documentsSearched += data.scanned.documents;
        from = pagination.nextCursor ?? undefined;
        if (from !== undefined && matches.length < limit && Date.now() < untilMs) continue;
        return {
          backupId: data.backupId,
          projectId,
          readTime: data.readTime,
          matches: matches.map((match) => shown(match, wanted)),
          documentsSearched,
          documentsInAll: data.plan.documents,
          nextCursor: from ?? null,
        };
      }
    },
  });

  defineTool(host, {
    name: 'document_history',
    title: 'The history of a document',
    description:
      'Every state of a document that backups, captured changes and the live database have, newest first: when it was written, what changed against the state before, and what to pass to plan_restore to get it back (source; null if it cannot be restored). A time that is not exact is that of the first backup with the state.',
    input: {
      path: path.check(z.describe("Such as users/ada, or the address of the document in Google's console")),
      projectId: z.optional(project),
      limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 20),
      fields,
    },
    output: {
      path: z.nullable(z.string()),
      projectId: z.string(),
      candidates: z.array(z.string()),
      states: z.array(
        z.looseObject({ at: z.string(), isExact: z.boolean(), change: z.enum(['first', 'created', 'changed', 'deleted']) }),
      ),
      searchedAll: z.boolean().check(z.describe('Whether all backups were examined; older states may be missing otherwise')),
    },
    run: async (client, { path: document, projectId: wanted, limit, fields: chosen }, signal) => {
      const projectId = await findRecordId(client, 'project', wanted);
      const untilMs = Date.now() + searchMs;
      for await (const { located, nextCursor } of searchDocument(client, { query: { projectId, path: document }, signal })) {
        const states = documentHistory(located);
        if (nextCursor !== null && states.length <= limit && Date.now() < untilMs) continue;
        return {
          path: located.path,
          projectId: located.projectId,
          candidates: located.candidates,
          states: states.slice(0, limit).map(({ document: stored, changes, ...state }) => ({
            ...state,
            changes: changes?.map(({ path: field, change, before, after }) => ({
              ...{ path: field, change },
              ...{ before: before && plainValue(before), after: after && plainValue(after) },
            })),
            ...(stored?.fields && shown(stored, chosen)),
          })),
          searchedAll: nextCursor === null,
        };
      }
      throw new Error('the service returned no page');
    },
  });

  defineTool(host, {
    name: 'document_at',
    title: 'A document at a moment',
    description:
      'The state of one document at a moment, from the stored backups of its project. `exact` tells whether it certainly is the state at that moment, or that of the last backup before it.',
    input: { projectId: project, path, at: moment, fields },
    output: {
      at: z.string(),
      exact: z.boolean(),
      backupId: z.string(),
      readTime: z.string(),
      explanation: z.string(),
      document: z.nullable(z.looseObject(shownDocument)).check(z.describe('Null if it did not exist')),
    },
    run: async (client, { projectId: of, path: name, at, fields: wanted }, signal) => {
      const { id: projectId } = await findRecord(client, 'project', of);
      const { document, ...about } = await findDocumentAt(client, { projectId, path: name, at, signal });
      return { ...about, document: document ? shown(document, wanted) : null };
    },
  });

  defineTool(host, {
    name: 'diff_backups',
    title: 'Compare backups',
    description:
      'Which documents differ between a backup and another one, or the live database (against: live). With path the fields of one document before and after. Comparing with the live database reads it, which its owner is billed for.',
    input: {
      ...paging,
      backupId: backup,
      projectId: ofLatest,
      against: backup.check(z.describe('Another backup, or live')),
      path: z.optional(path),
    },
    output: {
      counts: z.looseObject({ added: z.int(), changed: z.int(), removed: z.int(), unchanged: z.int() }),
      changes: listOf({ path: z.string(), change: z.string() }),
      before: z.nullable(z.looseObject(shownDocument)),
      after: z.nullable(z.looseObject(shownDocument)),
      nextCursor,
    },
    run: async (client, { backupId: wanted, projectId: of, against: other, path: at, limit, cursor }, signal) => {
      const id = await idOf(client, wanted, of);
      const against = other === 'live' ? other : await idOf(client, other, of);
      const query = { against, path: at, limit, cursor };
      const { data, pagination } = await client.page('GET /backups/{backupId}/diff', { params: { backupId: id }, query, signal });
      const { document, ...diff } = data;
      const sides = document && {
        before: document.before && shown(document.before, undefined),
        after: document.after && shown(document.after, undefined),
      };
      return { ...diff, ...sides, nextCursor: pagination.nextCursor };
    },
  });
};

/** A client may wait for a minute. */
const searchMs = 30_000;

const idOf = async (client: Client, wanted: string, of: string | undefined): Promise<string> =>
  findBackupId(client, wanted, await findRecordId(client, 'project', of));

const withoutFields = <S extends { readonly document: unknown }>({ document: _, ...state }: S): Omit<S, 'document'> => state;

const fields = z
  .optional(z.array(z.string().check(z.minLength(1), z.maxLength(1_500))).check(z.maxLength(100)))
  .check(z.describe('Only these fields, for a large document'));

/** Beside each other, so that the sizes of single fields are known if all of them are too large. */
const shown = (
  { path: at, fields: all, createTime, updateTime, fieldsTooLarge }: StoredDocument,
  wanted: readonly string[] | undefined,
) => {
  const plain = Object.entries(plainFields((all ?? {}) as never));
  const chosen = wanted ? plain.filter(([name]) => wanted.includes(name)) : plain;
  return { path: at, createTime, updateTime, fieldsTooLarge, fields: Object.fromEntries(chosen) };
};
