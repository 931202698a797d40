/** The resources of the test: an organization, a destination and a project, created unless they are given. */
import { type Client, openClient, StepError } from './client.ts';
import type { Thing, Wish } from './options.ts';
import { until } from './poll-until.ts';
import type { Walk } from './step-runner.ts';

export const thingName = 'Smoke test';

/** A client for the organization. */
export const enterOrganization = (walk: Walk, { url, organizationId }: Wish, token: string): Promise<Client> =>
  walk.step('organization', async () => {
    if (organizationId !== undefined) {
      const client = openClient(url, { token, organizationId });
      const { name } = await client.call<{ name: string }>('GET', '/organizations/current');
      return [`${organizationId} is ${name}`, client];
    }
    const made = await openClient(url, { token }).call<{ id: string }>('POST', '/organizations', { name: thingName });
    const client = openClient(url, { token, organizationId: made.id });
    walk.made(`organization ${made.id}`, () =>
      client.call('POST', '/organizations/current/delete', { confirmName: thingName, force: true, deleteBackupData: true }),
    );
    return [`created ${made.id}`, client];
  });

interface Destination {
  readonly id: string;
  readonly type: string;
  readonly bucket: string;
}

export const addDestination = (walk: Walk, client: Client, thing: Thing): Promise<string> =>
  walk.step('destination', async () => {
    const { id, type, bucket } = await madeOrFound<Destination>(client, '/storage-destinations', thing);
    if ('body' in thing)
      walk.made(`destination ${id}`, () => onceFree(() => client.call('DELETE', `/storage-destinations/${id}`)));
    return [`${id}, ${type} bucket ${bucket}, write and read succeeded`, id];
  });

interface Project {
  readonly id: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
}

export const connectProject = (walk: Walk, client: Client, thing: Thing): Promise<string> =>
  walk.step('project', async () => {
    const { id, sourceProjectId, databaseId } = await madeOrFound<Project>(client, '/projects', thing);
    if ('body' in thing) walk.made(`project ${id}`, () => onceFree(() => client.call('DELETE', `/projects/${id}`)));
    return [`${id}, database ${databaseId} of ${sourceProjectId}`, id];
  });

const madeOrFound = <T>(client: Client, path: string, thing: Thing): Promise<T> =>
  'id' in thing ? client.call('GET', `${path}/${thing.id}`) : client.call('POST', path, { name: thingName, ...thing.body });

/** Retries while the resource is in use: objects are deleted and jobs end shortly after their calls. */
export const onceFree = (remove: () => Promise<unknown>): Promise<unknown> =>
  until(
    // Runs even after an interruption.
    { what: 'removing it', minutes: 3, signal: new AbortController().signal },
    () =>
      remove().then(
        () => undefined,
        (error: Error) => error,
      ),
    (error) => {
      if (error instanceof StepError && error.status === 409) return false;
      if (error) throw error;
      return true;
    },
  );
