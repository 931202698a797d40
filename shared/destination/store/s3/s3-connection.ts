import type { Agent } from 'node:http';
import { S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { StorageError } from '../object-store.ts';
import { S3RequestHandler } from './s3-request-handler.ts';

export interface S3ConnectionOptions {
  readonly region: string;
  /** Set if the region is a guess: the store then names the right one. */
  readonly isGuessed?: boolean;
  /** AWS, unless given. */
  readonly endpoint?: string | undefined;
  readonly credentials: S3Keys | (() => Promise<S3Keys>);
  readonly agent: Agent;
  readonly connectMs: number;
}

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

type Credentials = NonNullable<S3ClientConfig['credentials']>;

/** AWS refuses a signature that is five minutes old or more. */
const skewNoticedMs = 4 * 60_000;

/** The SDK's client of one bucket. Each call is tried once; the caller retries. Follows the bucket to its region and the store's clock. */
export class S3Connection {
  readonly #client: S3Client;
  readonly #isGuessed: boolean;
  #region: string;

  constructor({ region, isGuessed = false, endpoint, credentials, agent, connectMs }: S3ConnectionOptions) {
    this.#region = region;
    this.#isGuessed = isGuessed;
    this.#client = new S3Client({
      ...isolated,
      region: async () => this.#region,
      // The SDK writes into the object that it is given.
      credentials: (typeof credentials === 'function' ? credentials : { ...credentials }) as Credentials,
      // Certificates of other stores rarely cover a host name for each bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestHandler: new S3RequestHandler({ agent, connectMs }),
      maxAttempts: 1,
      // Checksums are ours to choose: not every store accepts the SDK's default, a CRC-32 in a trailer.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Runs a call, and once more if the bucket turns out to be in another region. */
  async run<T>(send: (client: S3Client) => Promise<T>): Promise<T> {
    const { config } = this.#client;
    const region = this.#region;
    const offsetMs = config.systemClockOffset;
    try {
      return await send(this.#client);
    } catch (error) {
      if (this.#learnRegion(error, region)) return await send(this.#client);
      // The SDK has taken over the store's time from the refusal; the call was signed with another.
      if (error instanceof S3ServiceException && Math.abs(config.systemClockOffset - offsetMs) >= skewNoticedMs)
        throw new StorageError('unavailable', 'The clock of the store differs from ours.');
      throw error;
    }
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * Whether the store names another region than the call was signed for, which concurrent calls may have learned already. Later calls go
   * there at once, unlike with `followRegionRedirects`.
   */
  #learnRegion(error: unknown, signedFor: string): boolean {
    const told = this.#isGuessed ? regionIn(error) : undefined;
    // It becomes part of a host name.
    if (told === undefined || told === signedFor || !/^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/.test(told)) return false;
    this.#region = told;
    return true;
  }
}

/** Nothing in the environment or the configuration files of this process applies to the bucket of a customer. */
const isolated = {
  defaultsMode: 'standard',
  retryMode: 'standard',
  ignoreConfiguredEndpointUrls: true,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  useArnRegion: false,
  disableS3ExpressSessionAuth: true,
  authSchemePreference: ['sigv4'],
  userAgentAppId: '',
  disableClockSkewCorrection: false,
} as const satisfies S3ClientConfig;

const regionIn = (error: unknown): string | undefined => {
  const { $response, Region } = error as { readonly $response?: S3ServiceException['$response']; readonly Region?: unknown };
  const told = $response?.headers['x-amz-bucket-region'] ?? Region;
  return typeof told === 'string' ? told : undefined;
};
