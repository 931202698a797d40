import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { RpcError } from '../base/types.ts';
import { isZodError } from '../base/zod-error.ts';
import type { Faults } from '../faults/faults.ts';
import { DatabaseInfo } from '../storage/database-info.ts';
import type { Databases } from '../storage/databases.ts';
import { decodeSegments } from './rest-routes.ts';

// zod/mini has no messages of its own.
z.config(en());

interface AdminParts {
  readonly databases: Databases;
  readonly faults: Faults;
}

interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const Revoke = z.strictObject({
  project: z._default(z.string(), '*'),
  status: z._default(z.nullable(z.enum(['UNAUTHENTICATED', 'PERMISSION_DENIED'])), 'PERMISSION_DENIED'),
});
const Limit = z.strictObject({ project: z._default(z.string(), '*'), perSecond: z.nullable(z.number().check(z.minimum(0))) });
const DatabaseId = z.strictObject({ project: z.string(), database: z._default(z.string(), '(default)') });
const NewDatabase = z.extend(DatabaseId, { pointInTimeRecovery: z._default(z.boolean(), false) });
const Description = z.extend(DatabaseId, { info: z.partial(DatabaseInfo) });

type Route = (parts: AdminParts, body: unknown) => unknown;

const routes: Readonly<Record<string, Route>> = {
  'GET /admin/faults': ({ faults }) => ({ faults: faults.list() }),
  'POST /admin/faults': ({ faults }, body) => ({ id: faults.add(body as Parameters<Faults['add']>[0]) }),
  'DELETE /admin/faults': ({ faults }) => faults.clear(),
  'GET /admin/calls': ({ faults }) => ({ calls: faults.calls }),
  'DELETE /admin/calls': ({ faults }) => faults.resetCalls(),
  'POST /admin/revoke': ({ faults }, body) => {
    const { project, status } = Revoke.parse(body);
    if (status === null) faults.restore(project);
    else faults.revoke(project, status);
  },
  'POST /admin/write-limit': ({ faults }, body) => {
    const { project, perSecond } = Limit.parse(body);
    faults.limitWrites(project, perSecond ?? undefined);
  },
  'POST /admin/expire-snapshots': ({ databases }, body) => {
    const { project, database } = DatabaseId.parse(body);
    databases.open({ projectId: project, databaseId: database }).expireSnapshots();
  },
  'POST /admin/databases': ({ databases }, body) => {
    const { project, database, pointInTimeRecovery } = NewDatabase.parse(body);
    databases.create({ projectId: project, databaseId: database }, { pointInTimeRecovery });
  },
  'PATCH /admin/databases': ({ databases }, body) => {
    const { project, database, info } = Description.parse(body);
    const name = { projectId: project, databaseId: database };
    databases.describe(name, DatabaseInfo.parse({ ...databases.open(name).info, ...info }));
  },
  'GET /admin/reads': ({ databases }) => ({
    databases: databases.list().map(({ projectId, databaseId, info, meter: { reads, readUnits } }) => ({
      project: projectId,
      database: databaseId,
      edition: info.databaseEdition,
      reads,
      readUnits,
    })),
  }),
  'DELETE /admin/reads': ({ databases }) => {
    for (const { meter } of databases.list()) meter.reset();
  },
  'DELETE /admin/databases': ({ databases }, body) => {
    const { project, database } = DatabaseId.parse(body);
    databases.delete({ projectId: project, databaseId: database });
  },
};

const clearing = /^\/emulator\/v1\/projects\/([^/]+\/databases\/[^/]+)\/documents$/;
const oneFault = /^\/admin\/faults\/(\d+)$/;

/** Handles the server's own admin calls; undefined if the path is not one. */
export async function adminRoutes(parts: AdminParts, request: AdminRequest): Promise<{ readonly answer: unknown } | undefined> {
  try {
    const route = routes[`${request.method} ${request.path}`];
    if (route) return { answer: (await route(parts, request.body)) ?? {} };
    const fault = oneFault.exec(request.path)?.[1];
    if (fault !== undefined && request.method === 'DELETE') return { answer: { removed: parts.faults.remove(Number(fault)) } };
    const [, names] = clearing.exec(request.path) ?? [];
    if (names === undefined || request.method !== 'DELETE') return undefined;
    const [projectId = '', , databaseId = ''] = decodeSegments(names);
    await clear(parts.databases, projectId, databaseId);
    return { answer: {} };
  } catch (error) {
    if (isZodError(error)) throw new RpcError('INVALID_ARGUMENT', z.prettifyError(error));
    throw error;
  }
}

/** Test suites for Google's emulator call this between tests. */
async function clear(databases: Databases, projectId: string, databaseId: string): Promise<void> {
  const name = { projectId, databaseId };
  databases.delete(name);
  databases.create(name, {});
}
