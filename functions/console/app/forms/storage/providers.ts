/** The kinds of stores a person can choose, and what each needs. */
import type { ElementOf } from '../../../../../shared/client/index.ts';

type StorageDestination = ElementOf<'GET /storage-destinations'>;

export type ProviderId = 's3' | 'gcs' | 'r2' | 'b2' | 'wasabi' | 'spaces' | 'compatible';

export interface Provider {
  readonly id: ProviderId;
  readonly label: string;
  readonly type: StorageDestination['type'];
  readonly credentials: 'aws' | 'keys' | 'google';
  readonly region: 'none' | 'optional' | 'required';
  readonly regionExample?: string;
  /** Undefined: the store has one address of its own. */
  readonly endpointExample?: string;
  /** Whether the store can lock objects. */
  readonly hasObjectLock?: true;
}

export const providers: readonly Provider[] = [
  {
    id: 's3',
    label: 'Amazon S3',
    type: 's3',
    credentials: 'aws',
    region: 'optional',
    regionExample: 'eu-central-1',
    hasObjectLock: true,
  },
  { id: 'gcs', label: 'Google Cloud Storage', type: 'gcs', credentials: 'google', region: 'none', hasObjectLock: true },
  {
    id: 'r2',
    label: 'Cloudflare R2',
    type: 's3',
    credentials: 'keys',
    region: 'required',
    regionExample: 'auto',
    endpointExample: 'https://<account>.r2.cloudflarestorage.com',
  },
  {
    id: 'b2',
    label: 'Backblaze B2',
    type: 's3',
    credentials: 'keys',
    region: 'required',
    regionExample: 'us-west-004',
    endpointExample: 'https://s3.us-west-004.backblazeb2.com',
    hasObjectLock: true,
  },
  {
    id: 'wasabi',
    label: 'Wasabi',
    type: 's3',
    credentials: 'keys',
    region: 'required',
    regionExample: 'eu-central-2',
    endpointExample: 'https://s3.eu-central-2.wasabisys.com',
    hasObjectLock: true,
  },
  {
    id: 'spaces',
    label: 'DigitalOcean Spaces',
    type: 'spaces',
    credentials: 'keys',
    region: 'required',
    regionExample: 'fra1',
  },
  {
    id: 'compatible',
    label: 'MinIO or another S3-compatible store',
    type: 's3',
    credentials: 'keys',
    region: 'optional',
    regionExample: 'us-east-1',
    endpointExample: 'https://minio.example.com',
    hasObjectLock: true,
  },
];

export const providerById = (id: string): Provider =>
  providers.find((provider) => provider.id === id) ?? (providers[0] as Provider);

const hosts = [
  ['r2.cloudflarestorage', 'r2'],
  ['backblazeb2', 'b2'],
  ['wasabisys', 'wasabi'],
] as const;

/** The provider of a saved destination, by its type and endpoint. */
export const providerOf = ({ type, endpoint }: Pick<StorageDestination, 'type' | 'endpoint'>): Provider => {
  if (type !== 's3' || !endpoint) return providerById(type);
  const [, id = 'compatible'] = hosts.find(([host]) => endpoint.includes(host)) ?? [];
  return providerById(id);
};
