import { PassThrough, type Readable } from 'node:stream';
import { Crc32c } from '../../../platform/crc32c.ts';
import { StorageError } from '../object-store.ts';
import { Storage } from './gcs-library.ts';
import type { GcsCall, GcsRequest, GcsTransport } from './gcs-transport.ts';

type MakeRequest = Storage['makeAuthenticatedRequest'];
type RequestOptions = Parameters<MakeRequest>[0] & { readonly call?: GcsCall };
type Callback = (error: Error | null, body?: unknown, response?: unknown) => void;

/**
 * The library's client with a single transport. By default it sends uploads through its auth client but all other requests through a
 * second HTTP client without timeout, size limit or cancellation. Here all requests go through the auth client.
 */
export class GcsStorage extends Storage {
  constructor(transport: GcsTransport, baseUrl: string) {
    const { origin } = new URL(baseUrl);
    super({
      apiEndpoint: origin,
      authClient: transport,
      // Keeps the library from searching the environment and the metadata server.
      projectId: 'none',
      // The local stage requires a token, too.
      useAuthWithCustomEndpoint: true,
      // `retryTransient` retries with the caller's policy.
      retryOptions: { autoRetry: false, retryableErrorFn: () => false },
      crc32cGenerator: () => new Crc32c(),
    });
    const { authClient, getCredentials } = this.makeAuthenticatedRequest;
    const makeRequest = (options: RequestOptions, callback?: Callback): unknown =>
      callback ? sendForJson(transport, options, callback) : sendForStream(transport, options);
    this.makeAuthenticatedRequest = Object.assign(makeRequest, { authClient, getCredentials }) as MakeRequest;
  }
}

/** Sends a request whose response is JSON or empty. */
const sendForJson = (transport: GcsTransport, options: RequestOptions, callback: Callback): void => {
  transport.request(requestOf(options)).then(
    ({ data, status, headers }) => {
      if (status !== 204 && (typeof data !== 'object' || data === null))
        callback(new StorageError('unavailable', 'The store did not return JSON.'));
      else callback(null, data, { statusCode: status, headers: Object.fromEntries(headers) });
    },
    (error: Error) => callback(error),
  );
};

/** Sends a request whose response is a stream. The library listens for the `response` event and pipes from its argument. */
const sendForStream = (transport: GcsTransport, options: RequestOptions): Readable => {
  const events = new PassThrough();
  transport.request<Readable>(requestOf(options)).then(
    ({ data, status, headers: received }) => {
      const headers = Object.fromEntries(received);
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
