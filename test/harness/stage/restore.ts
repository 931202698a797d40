/** Restores through the API, and the contents of databases. */
import type * as z from 'zod/mini';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import type { DryRun, RestoreJob } from '../../../shared/contract/models/restore.ts';
import { lookUntil } from '../time/look-until.ts';
import { call, type Result, stageVariable } from './client.ts';
import type { TestOrganization } from './organization.ts';

export type RestoreData = z.output<typeof RestoreJob>;
export type PlanData = z.output<typeof DryRun>;

const expectStatus = <D>(result: Result<D>, status: number): D => {
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}: ${result.text}`);
  return result.body.data;
};
const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

export const startRestore = async (organization: TestOrganization, body: object): Promise<RestoreData> =>
  expectStatus(await call(restores.create, { ...by(organization), body }), 202) as RestoreData;

export const planRestore = async (
  organization: TestOrganization,
  { options, ...body }: { readonly options?: object; readonly [field: string]: unknown },
): Promise<PlanData> =>
  expectStatus(
    await call(restores.create, { ...by(organization), body: { ...body, options: { ...options, dryRun: true } } }),
    200,
  ) as PlanData;

export const readRestore = async (organization: TestOrganization, restoreJobId: string): Promise<RestoreData> =>
  expectStatus(await call(restores.get, { ...by(organization), params: { restoreJobId } }), 200);

/** Waits until the restore has ended, with any status, and its target is unlocked. */
export const endOfRestore = (organization: TestOrganization, restoreJobId: string): Promise<RestoreData> =>
  lookUntil(
    () => readRestore(organization, restoreJobId),
    ({ status }) => status !== 'pending' && status !== 'running',
  );

/** A restore that must complete. */
export const restore = async (organization: TestOrganization, body: object): Promise<RestoreData> =>
  completed(await endOfRestore(organization, (await startRestore(organization, body)).restoreJobId));

export const undo = async (organization: TestOrganization, restoreJobId: string): Promise<RestoreData> => {
  const begun = expectStatus(await call(restores.undo, { ...by(organization), params: { restoreJobId }, body: {} }), 202);
  return completed(await endOfRestore(organization, begun.restoreJobId));
};

const completed = (ended: RestoreData): RestoreData => {
  if (ended.status !== 'completed') throw new Error(`the restore ended with status ${ended.status}: ${JSON.stringify(ended)}`);
  return ended;
};

type Fields = Readonly<Record<string, unknown>>;

/** All documents of a database by path, with fields in REST form. */
export const contentsOf = async (sourceProjectId: string, databaseId = '(default)'): Promise<Record<string, Fields>> => {
  const root = `projects/${sourceProjectId}/databases/${databaseId}/documents`;
  const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}/v1/${root}:runQuery`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
    body: JSON.stringify({ structuredQuery: { from: [{ allDescendants: true }] } }),
  });
  if (!answer.ok) throw new Error(`the documents were not read: ${answer.status} ${await answer.text()}`);
  const rows = (await answer.json()) as readonly { document?: { name: string; fields?: Fields } }[];
  return Object.fromEntries(
    rows.flatMap(({ document }) => (document ? [[document.name.slice(root.length + 1), document.fields ?? {}]] : [])),
  );
};

/** Deletes documents by path. */
export const erase = async (sourceProjectId: string, paths: readonly string[]): Promise<void> => {
  const database = `projects/${sourceProjectId}/databases/(default)`;
  for (let n = 0; n < paths.length; n += 500) {
    const writes = paths.slice(n, n + 500).map((path) => ({ delete: `${database}/documents/${path}` }));
    const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}/v1/${database}/documents:commit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
      body: JSON.stringify({ writes }),
    });
    if (!answer.ok) throw new Error(`the documents were not removed: ${answer.status} ${await answer.text()}`);
  }
};
