/** What a person has typed into the form of a storage destination, and the request it becomes. */
import type { ElementOf, InputOf } from '../../../../../shared/client/index.ts';
import { type GoogleKey, googleCredentials } from '../google-key/google-key.ts';
import { workloadIdentityOf } from '../keyless/keyless.ts';
import { type Provider, providerById, providerOf } from './providers.ts';

/** Everything that is not secret. */
export interface StorageDraft {
  readonly providerId: string;
  readonly name: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  readonly endpoint: string;
  readonly usesRole: boolean;
  readonly roleArn: string;
  /** Google trusts this organization, instead of a key file. */
  readonly isKeyless: boolean;
  /** Only for the commands that are shown. */
  readonly googleProjectId: string;
  readonly projectNumber: string;
  readonly serviceAccountEmail: string;
  readonly immutable: boolean;
  /** Empty: new backups are not locked. */
  readonly lockMode: '' | 'governance' | 'compliance';
  readonly lockDays: string;
}

/** Credentials are never shown again and never kept in the browser. */
export interface StorageSecrets {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly googleKey: GoogleKey | undefined;
}

export const noSecrets: StorageSecrets = { accessKeyId: '', secretAccessKey: '', googleKey: undefined };

export const draftOf = (saved: ElementOf<'GET /storage-destinations'> | undefined): StorageDraft => ({
  providerId: saved ? providerOf(saved).id : 's3',
  name: saved?.name ?? '',
  bucket: saved?.bucket ?? '',
  prefix: saved?.prefix ?? '',
  region: saved?.region ?? '',
  endpoint: saved?.endpoint ?? '',
  usesRole: saved?.credentials.roleArn !== undefined,
  roleArn: '',
  isKeyless: saved?.workloadIdentity !== undefined,
  googleProjectId: '',
  projectNumber: '',
  serviceAccountEmail: '',
  immutable: saved?.immutable ?? false,
  lockMode: saved?.objectLock?.mode ?? '',
  lockDays: String(saved?.objectLock?.days ?? 30),
});

/** Another provider: what was typed for the one before does not apply. */
export const withProvider = (providerId: string): Partial<StorageDraft> => ({
  providerId,
  usesRole: false,
  roleArn: '',
  isKeyless: false,
  region: '',
  endpoint: '',
});

type Body = InputOf<'POST /storage-destinations'>['body'];

/** Undefined: nothing was typed, so the saved access stays. */
export const accessOf = (
  draft: StorageDraft,
  secrets: StorageSecrets,
): Pick<Body, 'credentials' | 'workloadIdentity'> | undefined => {
  if (providerById(draft.providerId).credentials === 'google' && draft.isKeyless)
    return draft.projectNumber === '' ? undefined : workloadIdentityOf(draft);
  const credentials = credentialsOf(draft, secrets);
  return credentials && { credentials };
};

const credentialsOf = (draft: StorageDraft, secrets: StorageSecrets): Body['credentials'] => {
  const { accessKeyId, secretAccessKey, googleKey } = secrets;
  if (providerById(draft.providerId).credentials === 'google') return googleKey && googleCredentials(googleKey);
  if (draft.usesRole) return draft.roleArn ? { roleArn: draft.roleArn } : undefined;
  return accessKeyId || secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
};

/** The fields that a new destination and a changed one have in common. */
export const fieldsOf = (draft: StorageDraft, { region, endpointExample, hasObjectLock }: Provider) => ({
  name: draft.name.trim() || draft.bucket,
  bucket: draft.bucket,
  // Empty removes the folder of a saved destination.
  prefix: draft.prefix,
  ...(region !== 'none' && { region: draft.region || null }),
  ...(endpointExample && { endpoint: draft.endpoint || null }),
  immutable: draft.immutable,
  ...(hasObjectLock && { objectLock: draft.lockMode ? { mode: draft.lockMode, days: Number(draft.lockDays) } : null }),
});
