/** Faults of the stage's Firestore, limited to one source project because tests share the server. */
import { stageVariable } from './client.ts';

const admin = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(`http://${stageVariable('STAGE_FIRESTORE')}/admin/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

/** Adds a fault and returns the function that removes it. */
export const addFault = async (rule: { readonly project: string } & Record<string, unknown>): Promise<() => Promise<void>> => {
  const answer = await admin('POST', 'faults', rule);
  const { id } = (await answer.json()) as { id?: number };
  if (id === undefined) throw new Error(`the fault was not accepted: ${answer.status}`);
  return async () => void (await admin('DELETE', `faults/${id}`));
};

/** Revokes the service's access to the project; null restores it. */
export const revokeSource = async (project: string, status: 'PERMISSION_DENIED' | null = 'PERMISSION_DENIED'): Promise<void> => {
  const answer = await admin('POST', 'revoke', { project, status });
  if (!answer.ok) throw new Error(`access was not changed: ${answer.status}`);
};
