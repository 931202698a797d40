/** Faults of the stage's Firestore, for one source project at a time: tests share the server. */
import { stageVariable } from './client.ts';

const admin = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(`http://${stageVariable('STAGE_FIRESTORE')}/admin/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

/** Puts a fault in; the answer takes it out again. */
export const addFault = async (rule: { readonly project: string } & Record<string, unknown>): Promise<() => Promise<void>> => {
  const answer = await admin('POST', 'faults', rule);
  const { id } = (await answer.json()) as { id?: number };
  if (id === undefined) throw new Error(`the fault was not taken: ${answer.status}`);
  return async () => void (await admin('DELETE', `faults/${id}`));
};

/** The project's owner takes our access back, or with null gives it again. */
export const revokeSource = async (project: string, status: 'PERMISSION_DENIED' | null = 'PERMISSION_DENIED'): Promise<void> => {
  const answer = await admin('POST', 'revoke', { project, status });
  if (!answer.ok) throw new Error(`access was not changed: ${answer.status}`);
};
