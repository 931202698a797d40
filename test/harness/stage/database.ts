/** What the stage's Firestore tells about its databases. */
import { stageVariable } from './client.ts';

const admin = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const answer = await fetch(`http://${stageVariable('STAGE_FIRESTORE')}/admin/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!answer.ok) throw new Error(`${method} /admin/${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** Sets edition, location, type or modes of the (default) database, in the words of the Admin API. */
export const describeDatabase = (project: string, info: Readonly<Record<string, string>>): Promise<unknown> =>
  admin('PATCH', 'databases', { project, info });

/** Makes the next calls of `databases.get` fail. */
export const refuseDatabaseInfo = (project: string, times = 100): Promise<unknown> =>
  admin('POST', 'faults', { method: 'GetDatabase', project, times, status: 'PERMISSION_DENIED' });

interface Metered {
  readonly project: string;
  readonly reads: { readonly total: number; readonly counts: number; readonly queries: number };
}

/** What the reads of a project are billed, by documents. */
export const billedReads = async (project: string): Promise<Metered['reads'] | undefined> => {
  const { databases } = (await admin('GET', 'reads')) as { readonly databases: readonly Metered[] };
  return databases.find((one) => one.project === project)?.reads;
};
