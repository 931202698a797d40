/** The resources of the test: an organization, a destination and a project, created unless they are given. */
import { type Client, openClient, StepError } from './client.ts';
import type { ResourceOption, SmokeOptions } from './options.ts';
import { pollUntil } from './poll-until.ts';
import type { StepRunner } from './step-runner.ts';

export const testName = 'Smoke test';

/** A client for the organization. */
export const enterOrganization = (runner: StepRunner, { url, organizationId }: SmokeOptions, token: string): Promise<Client> =>
  runner.step('organization', async () => {
    if (organizationId !== undefined) {
      const client = openClient(url, { token, organizationId });
      const { name } = await client.call<{ name: string }>('GET', '/organizations/current');
      return [`${organizationId} is ${name}`, client];
    }
    const organization = await openClient(url, { token }).call<{ id: string }>('POST', '/organizations', { name: testName });
    const client = openClient(url, { token, organizationId: organization.id });
    runner.created(`organization ${organization.id}`, () =>
      client.call('POST', '/organizations/current/delete', { confirmName: testName, force: true, deleteBackupData: true }),
    );
    return [`created ${organization.id}`, client];
  });

interface Destination {
  readonly id: string;
  readonly type: string;
  readonly bucket: string;
}

export const addDestination = (runner: StepRunner, client: Client, option: ResourceOption): Promise<string> =>
  runner.step('destination', async () => {
    const { id, type, bucket } = await madeOrFound<Destination>(client, '/storage-destinations', option);
    if ('body' in option)
      runner.created(`destination ${id}`, () => retryWhileInUse(() => client.call('DELETE', `/storage-destinations/${id}`)));
    return [`${id}, ${type} bucket ${bucket}, write and read succeeded`, id];
  });

interface Project {
  readonly id: string;
  readonly sourceProjectId: string;
  readonly databaseId: string;
}

export const connectProject = (runner: StepRunner, client: Client, option: ResourceOption): Promise<string> =>
  runner.step('project', async () => {
    const { id, sourceProjectId, databaseId } = await madeOrFound<Project>(client, '/projects', option);
    if ('body' in option) runner.created(`project ${id}`, () => retryWhileInUse(() => client.call('DELETE', `/projects/${id}`)));
    return [`${id}, database ${databaseId} of ${sourceProjectId}`, id];
  });

const madeOrFound = <T>(client: Client, path: string, option: ResourceOption): Promise<T> =>
  'id' in option ? client.call('GET', `${path}/${option.id}`) : client.call('POST', path, { name: testName, ...option.body });

/** Retries while the resource is in use: objects are deleted and jobs end shortly after their calls. */
export const retryWhileInUse = (remove: () => Promise<unknown>): Promise<unknown> =>
  pollUntil(
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
