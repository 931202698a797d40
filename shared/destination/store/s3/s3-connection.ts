import type { Agent } from 'node:http';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { StorageError } from '../object-store.ts';
import { S3Client, S3ServiceException } from './s3-library.ts';
import { S3RequestHandler } from './s3-request-handler.ts';

export interface S3ConnectionOptions {
  readonly region: string;
  /** The region is a guess. If it is wrong, the store names the right one. */
  readonly isGuessed?: boolean;
  /** Default: AWS. */
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

/** AWS rejects a signature that is five or more minutes old. */
const skewNoticedMs = 4 * 60_000;

/** The SDK client of one bucket. It adapts to the bucket's region and the store's clock; retries are up to the caller. */
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
      // The SDK changes the object it receives.
      credentials: (typeof credentials === 'function' ? credentials : { ...credentials }) as Credentials,
      // Certificates of other stores rarely cover one host name per bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      requestHandler: new S3RequestHandler({ agent, connectMs }),
      maxAttempts: 1,
      // We choose the checksums: not every store accepts the SDK's default, a CRC-32 trailer.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Runs a call, and repeats it if the bucket is in another region. */
  async run<T>(send: (client: S3Client) => Promise<T>): Promise<T> {
    const { config } = this.#client;
    const region = this.#region;
    const offsetMs = config.systemClockOffset;
    try {
      return await send(this.#client);
    } catch (error) {
      if (this.#learnRegion(error, region)) return await send(this.#client);
      // The SDK has adopted the store's time from the error response; the call was signed with another time.
      if (error instanceof S3ServiceException && Math.abs(config.systemClockOffset - offsetMs) >= skewNoticedMs)
        throw new StorageError('unavailable', 'The clocks of the store and of this service differ.');
      throw error;
    }
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * Whether the store names another region than the call was signed for; a concurrent call may have learned it already. Later calls
   * use it at once, unlike with `followRegionRedirects`.
   */
  #learnRegion(error: unknown, signedFor: string): boolean {
    const region = this.#isGuessed ? regionIn(error) : undefined;
    // It becomes part of a host name.
    if (region === undefined || region === signedFor || !/^[a-z]{2,5}(-[a-z]+)+-\d{1,2}$/.test(region)) return false;
    this.#region = region;
    return true;
  }
}

/** Environment variables and configuration files of this process must not affect customers' buckets. */
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
  const region = $response?.headers['x-amz-bucket-region'] ?? Region;
  return typeof region === 'string' ? region : undefined;
};
