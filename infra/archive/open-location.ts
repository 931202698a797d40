/** Opens the location of backups: a local folder or a folder of a bucket, and its parent. */

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { openGcsAddress, openS3Address } from '../../shared/destination/index.ts';
import { cliCredentials } from './cli-credentials.ts';
import { unusable } from './failure.ts';
import { listHidden } from './store/list-hidden.ts';
import { ReadOnlyDirectoryStore, type ReadOnlyStore } from './store/read-only-directory-store.ts';

export interface BackupLocation {
  /** As given, without a trailing slash. */
  readonly displayName: string;
  readonly store: ReadOnlyStore;
  /** The parent folder with the backups that an incremental one references; undefined for a whole bucket. */
  readonly parentStore: ReadOnlyStore | undefined;
  readonly parentPath: string;
  close(): void;
}

export interface BucketAccess {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Profile of the AWS configuration for the bucket. */
  readonly profile?: string | undefined;
}

export const openLocation = async (location: string, access: BucketAccess): Promise<BackupLocation> => {
  const displayName = location.replace(/(?<=[^/:])\/+$/, '');
  const address = /^(s3|gs):\/\/([^/]+)(?:\/(.*))?$/s.exec(displayName);
  if (!address && /^[a-z][a-z\d+.-]+:\/\//i.test(displayName))
    throw unusable('the location must be s3://bucket/path, gs://bucket/path or a folder');
  const open = address ? bucketOpener(address[1] === 's3' ? 's3' : 'gs', address[2] ?? '', access) : openFolder;
  const folder = address ? (address[3] ?? '').split('/').filter(Boolean).join('/') : folderOf(displayName);
  const store = await open(folder);
  const isTop = address ? folder === '' : basename(folder) === '';
  const parentPath = address ? folder.split('/').slice(0, -1).join('/') : dirname(folder);
  const parentStore = isTop ? undefined : await open(parentPath);
  return {
    displayName: displayName,
    store: store,
    parentStore: parentStore,
    parentPath: address ? `${address[1]}://${[address[2], parentPath].filter(Boolean).join('/')}` : parentPath,
    close: () => {
      store.close();
      parentStore?.close();
    },
  };
};

const folderOf = (path: string): string => {
  const folder = resolve(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw unusable(`folder not found: ${path}`);
  return folder;
};

type Open = (folder: string) => Promise<ReadOnlyStore>;

const openFolder: Open = async (folder) => new ReadOnlyDirectoryStore(folder);

const bucketOpener = (kind: 's3' | 'gs', bucket: string, { endpoint, region, profile }: BucketAccess): Open => {
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw unusable('--endpoint: must be a URL, such as http://localhost:4566');
  if (kind === 's3') {
    const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
    const at = endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL;
    const signedFor = region ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? 'us-east-1';
    const credentials = cliCredentials(profile);
    return async (folder) => listHidden(await openS3Address({ bucket, folder, endpoint: at, region: signedFor, credentials }));
  }
  const account = googleAccount();
  return async (folder) => listHidden(await openGcsAddress({ bucket, folder, endpoint, account }));
};

const googleAccount = (): { clientEmail: string; privateKey: string } => {
  const file = process.env.GOOGLE_APPLICATION_CREDENTIALS;
  if (!file)
    throw unusable('GOOGLE_APPLICATION_CREDENTIALS must name the key file of a service account with read access to the bucket');
  const { client_email, private_key, token_uri } = keyFile(file);
  if (typeof client_email !== 'string' || typeof private_key !== 'string')
    throw unusable(`${file} is not the key file of a Google service account`);
  process.env.GOOGLE_TOKEN_URL ??= typeof token_uri === 'string' ? token_uri : 'https://oauth2.googleapis.com/token';
  return { clientEmail: client_email, privateKey: private_key };
};

const keyFile = (file: string): Record<string, unknown> => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (cause) {
    throw unusable(`${file} cannot be read as the key file of a Google service account`, cause);
  }
};
