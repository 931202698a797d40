/** Access to Google without a key, as a person enters it. */
import type { InputOf } from '../../../../../shared/client/index.ts';

/** What a person enters to connect without a key. No secret. */
export interface Keyless {
  readonly projectNumber: string;
  readonly serviceAccountEmail: string;
  readonly role: 'roles/datastore.viewer' | 'roles/datastore.user';
}

export const emptyKeyless: Keyless = { projectNumber: '', serviceAccountEmail: '', role: 'roles/datastore.viewer' };

/** What the commands to paste depend on. */
export interface KeylessSetup extends Omit<Keyless, 'role'> {
  /** The Google Cloud project that gets the pool. Empty: nothing is asked for. */
  readonly sourceProjectId: string;
  /** Undefined: the commands are for the database of the project. */
  readonly bucket?: string;
  readonly role: Keyless['role'] | 'roles/storage.objectUser' | 'roles/storage.objectAdmin';
}

/** The commands need only the project's id; a number that is still being typed is not sent. */
export const setupQuery = (setup: KeylessSetup): InputOf<'GET /projects/workload-identity'>['query'] => {
  const { sourceProjectId, bucket, projectNumber, serviceAccountEmail, role } = setup;
  return {
    sourceProjectId,
    role,
    ...(bucket !== undefined && { bucket }),
    ...(/^\d{6,20}$/.test(projectNumber) && { projectNumber }),
    ...(serviceAccountEmail.endsWith('.gserviceaccount.com') && { serviceAccountEmail }),
  };
};

/** The fields of a request that connects a project or a bucket. */
export const workloadIdentityOf = ({ projectNumber, serviceAccountEmail }: Omit<Keyless, 'role'>) => ({
  workloadIdentity: { projectNumber, ...(serviceAccountEmail && { serviceAccountEmail }) },
});

/** The provider in a few words; its full name if it has an unknown form. */
export const describeProvider = (audience: string): string => {
  const [, number, pool, provider] = /projects\/(\d+)\/.*\/workloadIdentityPools\/([^/]+)\/providers\/(.+)$/.exec(audience) ?? [];
  return number ? `${pool}/${provider} of project ${number}` : audience;
};
