/** Access to Google without a key, as options of commands. */
import type { Client, InputOf } from '../../../shared/client/index.ts';
import type { Output } from '../output/output.ts';

export interface WorkloadIdentityOptions {
  /** True without a value: only the commands are shown. */
  readonly workloadIdentity?: string | true | undefined;
  readonly serviceAccount?: string | undefined;
  readonly role?: string | undefined;
}

export const workloadIdentityOf = ({ workloadIdentity, serviceAccount: serviceAccountEmail }: WorkloadIdentityOptions) =>
  typeof workloadIdentity === 'string'
    ? {
        ...(workloadIdentity.includes('/') ? { audience: workloadIdentity } : { projectNumber: workloadIdentity }),
        serviceAccountEmail,
      }
    : undefined;

type Query = InputOf<'GET /projects/workload-identity'>['query'];

interface SetupOutput {
  readonly client: Client;
  readonly output: Output;
  /** The command that uses what was set up, without the project number. */
  readonly next: string;
}

/** Prints what to paste, and how to go on. */
export const printWorkloadIdentitySetup = async (
  { sourceProjectId, bucket }: Pick<Query, 'sourceProjectId' | 'bucket'>,
  { serviceAccount: serviceAccountEmail, role }: WorkloadIdentityOptions,
  { client, output, next }: SetupOutput,
): Promise<void> => {
  const setup = await client.request('GET /projects/workload-identity', {
    query: { sourceProjectId, bucket, serviceAccountEmail, role: role as Query['role'] },
  });
  const lines = setup.commands.flatMap(({ title, command }) => [`# ${title}`, command]);
  output.result(setup, setup.commands.map(({ command }) => command).join('\n'), lines.join('\n'));
  output.note(`Then: ${next} --workload-identity $(gcloud projects describe ${sourceProjectId} --format='value(projectNumber)')`);
};
