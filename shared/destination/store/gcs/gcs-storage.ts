import { PassThrough, type Readable } from 'node:stream';
import { StorageError } from '../object-store.ts';
import { Crc32c } from './crc32c.ts';
import { Storage } from './gcs-library.ts';
import type { GcsCall, GcsRequest, GcsTransport } from './gcs-transport.ts';

type MakeRequest = Storage['makeAuthenticatedRequest'];
type RequestOptions = Parameters<MakeRequest>[0] & { readonly call?: GcsCall };
type Callback = (error: Error | null, body?: unknown, response?: unknown) => void;

/**
 * The library's client with one transport. By itself it sends uploads through its auth client but everything else through a
 * second HTTP client that has no time limit, no size limit and no cancellation. Here all goes through the auth client.
 */
export class GcsStorage extends Storage {
  constructor(transport: GcsTransport, baseUrl: string) {
    const { origin } = new URL(baseUrl);
    super({
      apiEndpoint: origin,
      authClient: transport,
      // Set, so that the library never looks for one in the environment or at the metadata server.
      projectId: 'none',
      // The local stage, too, asks for a token.
      useAuthWithCustomEndpoint: true,
      // `persist` retries, with the patience of the caller.
      retryOptions: { autoRetry: false, retryableErrorFn: () => false },
      crc32cGenerator: () => new Crc32c(),
    });
    const { authClient, getCredentials } = this.makeAuthenticatedRequest;
    const makeRequest = (options: RequestOptions, callback?: Callback): unknown =>
      callback ? answer(transport, options, callback) : open(transport, options);
    this.makeAuthenticatedRequest = Object.assign(makeRequest, { authClient, getCredentials }) as MakeRequest;
  }
}

/** One request whose answer is JSON, or nothing. */
const answer = (transport: GcsTransport, options: RequestOptions, callback: Callback): void => {
  transport.request(requestOf(options)).then(
    ({ data, status, headers }) => {
      if (status !== 204 && (typeof data !== 'object' || data === null))
        callback(new StorageError('unavailable', 'The store answered something other than JSON.'));
      else callback(null, data, { statusCode: status, headers: Object.fromEntries(headers) });
    },
    (error: Error) => callback(error),
  );
};

/** One request whose answer is read as a stream; the library takes the `response` event and pipes from its argument. */
const open = (transport: GcsTransport, options: RequestOptions): Readable => {
  const events = new PassThrough();
  transport.request<Readable>(requestOf(options)).then(
    ({ data, status, headers: given }) => {
      const headers = Object.fromEntries(given);
      events.emit('response', Object.assign(data, { statusCode: status, headers, toJSON: () => ({ headers }) }));
    },
    (error: Error) => events.destroy(error),
  );
  return events;
};

const requestOf = ({ uri, method, headers, json, qs, multipart, call }: RequestOptions): GcsRequest => ({
  url: uri,
  method: (method ?? 'GET') as 'GET',
  headers: headers as Record<string, string>,
  params: Object.fromEntries(Object.entries(qs ?? {}).filter(([, value]) => value !== undefined)),
  ...(json !== undefined && { data: json }),
  ...(multipart && {
    multipart: multipart.map((part) => ({
      headers: new Headers({ 'content-type': (part as { readonly 'Content-Type'?: string })['Content-Type'] ?? '' }),
      content: part.body as Readable,
    })),
  }),
  ...(call && { call }),
});
