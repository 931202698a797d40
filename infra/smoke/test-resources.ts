/** The resources of the test: an organization, a destination and a project, created unless they are given. */
import type { InputOf } from '../../shared/client/index.ts';
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
      const { name } = await client.request('GET /organizations/current');
      return [`${organizationId} is ${name}`, client];
    }
    const organization = await openClient(url, { token }).request('POST /organizations', { body: { name: testName } });
    const client = openClient(url, { token, organizationId: organization.id });
    runner.created(`organization ${organization.id}`, () =>
      client.request('POST /organizations/current/delete', {
        body: { confirmName: testName, force: true, deleteBackupData: true },
      }),
    );
    return [`created ${organization.id}`, client];
  });

export const addDestination = (runner: StepRunner, client: Client, option: ResourceOption): Promise<string> =>
  runner.step('destination', async () => {
    const { id, type, bucket } = await ('id' in option
      ? client.request('GET /storage-destinations/{storageId}', { params: { storageId: option.id } })
      : client.request('POST /storage-destinations', { body: namedBody<InputOf<'POST /storage-destinations'>['body']>(option) }));
    const params = { storageId: id };
    if ('body' in option)
      runner.created(`destination ${id}`, () =>
        retryWhileInUse(() => client.request('DELETE /storage-destinations/{storageId}', { params })),
      );
    return [`${id}, ${type} bucket ${bucket}, write and read succeeded`, id];
  });

export const connectProject = (runner: StepRunner, client: Client, option: ResourceOption): Promise<string> =>
  runner.step('project', async () => {
    const { id, sourceProjectId, databaseId } = await ('id' in option
      ? client.request('GET /projects/{projectId}', { params: { projectId: option.id } })
      : client.request('POST /projects', { body: namedBody<InputOf<'POST /projects'>['body']>(option) }));
    const params = { projectId: id };
    if ('body' in option)
      runner.created(`project ${id}`, () => retryWhileInUse(() => client.request('DELETE /projects/{projectId}', { params })));
    return [`${id}, database ${databaseId} of ${sourceProjectId}`, id];
  });

/** The service checks what the option contains. */
const namedBody = <T>({ body }: { readonly body: object }): T => ({ name: testName, ...body }) as T;

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
