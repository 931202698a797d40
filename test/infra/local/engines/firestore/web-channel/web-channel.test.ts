/** WebChannel on the wire, without the SDK: what a browser sends and receives. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Firestore as Client } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { rpcMethods } from '../../../../../../infra/local/engines/firestore/rpc-methods.ts';
import { openDatabases } from '../../../../../../infra/local/engines/firestore/storage/databases.ts';
import { chunkOf } from '../../../../../../infra/local/engines/firestore/web-channel/back-channel.ts';
import { parseForward, parseHeaders } from '../../../../../../infra/local/engines/firestore/web-channel/forward-data.ts';
import { webChannels } from '../../../../../../infra/local/engines/firestore/web-channel/index.ts';
import { Outbox } from '../../../../../../infra/local/engines/firestore/web-channel/outbox.ts';

let server: Firestore;
let client: Client;
const tokens: (string | undefined)[] = [];
beforeAll(async () => {
  server = await startFirestore({ authorize: (token) => void tokens.push(token) });
  client = new Client({ projectId: 'p', host: server.address, ssl: false });
});
afterAll(async () => {
  await client.terminate();
  await server.stop();
});

const database = 'projects/p/databases/(default)';
type Payload = readonly [id: number, message: readonly unknown[]];
type Query = Readonly<Record<string, string>>;

/** The messages of complete chunks. */
const payloadsOf = (text: string): readonly Payload[] => {
  const payloads: Payload[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const length = Number(text.slice(at, end));
    if (end < 0 || end + 1 + length > text.length) break;
    payloads.push(...(JSON.parse(text.slice(end + 1, end + 1 + length)) as Payload[]));
    at = end + 1 + length;
  }
  return payloads;
};

const formOf = (messages: readonly unknown[], offset: number, headers = ''): string =>
  new URLSearchParams({
    ...(headers !== '' && { headers }),
    count: String(messages.length),
    ofs: String(offset),
    ...Object.fromEntries(messages.map((message, n) => [`req${n}___data__`, JSON.stringify(message)])),
  }).toString();

/** A channel without browser. */
class Channel {
  readonly sid: string;
  readonly url: string;

  constructor(url: string, sid: string) {
    this.sid = sid;
    this.url = url;
  }

  static async open(
    method: 'Listen' | 'Write',
    messages: readonly unknown[],
    { url = server.url, query = {}, headers = '' }: { url?: string; query?: Query; headers?: string } = {},
  ): Promise<Channel> {
    const channel = `${url}/google.firestore.v1.Firestore/${method}/channel`;
    const handshake = new URLSearchParams({ VER: '8', RID: '1', CVER: '22', 'X-HTTP-Session-Id': 'gsessionid', ...query });
    const answer = await fetch(`${channel}?${handshake}`, { method: 'POST', body: formOf(messages, 0, headers) });
    const text = await answer.text();
    equal(answer.status, 200, text);
    const [[id, [kind, sid, host, ...more]] = [] as never] = payloadsOf(text) as [[number, [string, string, ...unknown[]]]];
    deepEqual([id, kind, host, more], [0, 'c', '', [8, 12, 30_000]]);
    ok(answer.headers.get('x-http-session-id'));
    return new Channel(channel, sid);
  }

  #address(query: Query): string {
    return `${this.url}?${new URLSearchParams({ VER: '8', SID: this.sid, ...query })}`;
  }

  post(messages: readonly unknown[], offset: number, lastId = 0): Promise<Response> {
    const address = this.#address({ RID: '2', AID: String(lastId) });
    return fetch(address, { method: 'POST', body: formOf(messages, offset) });
  }

  /** [is awaited, last id, size] */
  async state(offset: number, lastId = 0): Promise<readonly [number, number, number]> {
    const text = await (await this.post([], offset, lastId)).text();
    return JSON.parse(text.slice(text.indexOf('\n') + 1)) as [number, number, number];
  }

  async poll(lastId: number, query: Query = {}): Promise<readonly Payload[]> {
    const address = this.#address({ RID: 'rpc', AID: String(lastId), CI: '1', TYPE: 'xmlhttp', ...query });
    return payloadsOf(await (await fetch(address)).text());
  }

  /** Polls until a message matches. */
  async until(matches: (message: object) => boolean, lastId = 0): Promise<readonly Payload[]> {
    const all: Payload[] = [];
    while (!all.some(([, [message]]) => matches(message as object))) {
      const more = await this.poll(all.at(-1)?.[0] ?? lastId);
      ok(more.length > 0, 'the channel is silent');
      all.push(...more);
    }
    return all;
  }

  async stream(lastId: number, query: Query = {}): Promise<{ response: IncomingMessage; text: () => string }> {
    const sent = get(this.#address({ RID: 'rpc', AID: String(lastId), CI: '0', TYPE: 'xmlhttp', ...query }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    return { response, text: () => text };
  }

  terminate(): Promise<Response> {
    return fetch(this.#address({ RID: '3', TYPE: 'terminate' }), { method: 'POST' });
  }
}

const until = async (matches: () => boolean): Promise<void> => {
  while (!matches()) await sleep(5);
};

const listenTo = (collectionId: string, targetId = 2) => ({
  database,
  addTarget: { targetId, query: { parent: `${database}/documents`, structuredQuery: { from: [{ collectionId }] } } },
});
const isCurrent = (message: object): boolean =>
  (message as { targetChange?: { targetChangeType?: string } }).targetChange?.targetChangeType === 'CURRENT';
const documentsIn = (payloads: readonly Payload[]): readonly string[] =>
  payloads.flatMap(([, [message]]) => {
    const { documentChange } = message as { documentChange?: { document: { name: string } } };
    return documentChange ? [documentChange.document.name.split('/').at(-1) ?? ''] : [];
  });

describe('the wire format', () => {
  test('lengths of chunks count UTF-16 code units', () => equal(chunkOf('["Grüße 🚀"]'), '12\n["Grüße 🚀"]'));

  test('a form has messages with an offset, and headers in lines', () => {
    const form =
      'headers=X-Goog-Api-Client%3Agl-js%2F%0D%0AAuthorization%3ABearer%20a%3Ab%0D%0A&count=2&ofs=7&req0___data__=%7B%22a%22%3A%22%2B%20%F0%9F%9A%80%22%7D&req1___data__=2';
    deepEqual(
      { ...parseForward(form), headers: { ...parseForward(form).headers } },
      {
        headers: { 'x-goog-api-client': 'gl-js/', authorization: 'Bearer a:b' },
        offset: 7,
        messages: ['{"a":"+ 🚀"}', '2'],
      },
    );
    deepEqual(parseForward('').messages, []);
    deepEqual(Object.entries(parseHeaders('__proto__:x\r\nno header')), [['__proto__', 'x']]);
  });

  for (const form of ['count=1', 'count=-1', 'count=x', 'count=1001', 'count=1&ofs=1.5&req0___data__=1'])
    test(`the form ${form} is refused`, () => {
      try {
        parseForward(form);
      } catch (error) {
        return equal((error as { code: string }).code, 'INVALID_ARGUMENT');
      }
      throw new Error('was accepted');
    });

  test('messages are kept until they are acknowledged', () => {
    const outbox = new Outbox();
    equal(outbox.after(0), undefined);
    for (const text of ['["a"]', '["b"]', '["c"]']) outbox.add(text);
    deepEqual([outbox.after(1), outbox.size, outbox.lastId], ['[[2,["b"]],[3,["c"]]]', 15, 3]);
    outbox.acknowledge(2);
    deepEqual([outbox.after(0), outbox.size], ['[[3,["c"]]]', 5]);
  });
});

test('Listen: long polling gives messages until they are acknowledged, each with its number', async () => {
  await client.doc('polled/a').set({ text: 'Grüße 東京 🚀' });
  const channel = await Channel.open('Listen', [listenTo('polled')]);
  const first = await channel.until(isCurrent);
  deepEqual(documentsIn(first), ['a']);
  deepEqual(
    first.map(([id]) => id),
    first.map((_, n) => n + 1),
  );
  const last = first.at(-1)?.[0] ?? 0;
  await client.doc('polled/b').set({});
  const next = await channel.until((message) => 'documentChange' in message, last);
  deepEqual(documentsIn(next), ['b']);
  // Its answer may have been lost: it is given again.
  deepEqual(documentsIn(await channel.until((message) => 'documentChange' in message, last)), ['b']);
  const [isAwaited] = await channel.state(1, next.at(-1)?.[0]);
  equal(isAwaited, 0);
  await channel.terminate();
});

test('Listen: a poll ends after the time that the client names', async () => {
  const channel = await Channel.open('Listen', [listenTo('silent')]);
  const last = (await channel.until(isCurrent)).at(-1)?.[0] ?? 0;
  const rest = await channel.poll(last, { TO: '50' });
  const quiet = rest.some(([, [kind]]) => kind === 'noop') ? rest : await channel.poll(rest.at(-1)?.[0] ?? 0, { TO: '50' });
  equal(quiet.at(-1)?.[1][0], 'noop');
  await channel.terminate();
});

test('Listen: a stream begins at once, continues with each commit, and what was sent goes with the next one, too', async () => {
  const channel = await Channel.open('Listen', []);
  const first = await channel.stream(0);
  await until(() => payloadsOf(first.text()).length > 0);
  deepEqual(payloadsOf(first.text()), [[1, ['noop']]]);
  equal(first.response.headers['content-type'], 'text/plain; charset=utf-8');
  await channel.post([listenTo('streamed')], 0);
  await until(() => payloadsOf(first.text()).some(([, [message]]) => isCurrent(message as object)));
  await client.doc('streamed/rocket').set({ text: '🚀'.repeat(1000) });
  await until(() => documentsIn(payloadsOf(first.text())).length === 1);
  equal((await channel.state(1))[0], 1);
  first.response.destroy();
  await until(() => first.response.closed);
  const second = await channel.stream(1);
  await until(() => documentsIn(payloadsOf(second.text())).length === 1);
  equal(payloadsOf(second.text())[0]?.[0], 2);
  await channel.terminate();
  await until(() => second.response.complete);
});

test('Listen: a silent stream shows again and again that it works', async () => {
  const channel = await Channel.open('Listen', []);
  const { text } = await channel.stream(0, { TO: '20' });
  await until(() => payloadsOf(text()).length >= 4);
  ok(payloadsOf(text()).every(([id, [kind]], n) => id === n + 1 && kind === 'noop'));
  await channel.terminate();
});

test('Listen: headers of the form and of the query reach the call', async () => {
  tokens.length = 0;
  await (await Channel.open('Listen', [listenTo('a')], { headers: 'Authorization:Bearer form\r\n' })).until(isCurrent);
  const query = { $httpHeaders: 'Authorization:Bearer query\r\n' };
  await (await Channel.open('Listen', [listenTo('a')], { query })).until(isCurrent);
  deepEqual(tokens, ['form', 'query']);
});

test('Listen: results larger than the buffer wait for the client, and all of them arrive', async () => {
  const text = 'x'.repeat(500_000);
  const ids = Array.from({ length: 20 }, (_, n) => String(n).padStart(2, '0'));
  await Promise.all(ids.map((id) => client.doc(`large/${id}`).set({ text })));
  const channel = await Channel.open('Listen', [listenTo('large')]);
  await sleep(300);
  const [, , size] = await channel.state(1);
  ok(size > 1_000_000 && size < 4_000_000, String(size));
  const stream = await channel.stream(0);
  await until(() => stream.response.complete);
  const part = payloadsOf(stream.text());
  ok(part.length > 1 && documentsIn(part).length < ids.length);
  const rest = await channel.until(isCurrent, part.at(-1)?.[0] ?? 0);
  deepEqual([...documentsIn(part), ...documentsIn(rest)], ids);
  await channel.terminate();
});

test('Write: a repeated request is done once, and its answer comes again', async () => {
  const channel = await Channel.open('Write', [{ database }]);
  const [[, [{ streamToken }]] = [] as never] = (await channel.poll(0)) as [[number, [{ streamToken: string }]]];
  const write = {
    streamToken,
    writes: [
      {
        transform: {
          document: `${database}/documents/counts/one`,
          fieldTransforms: [{ fieldPath: 'n', increment: { integerValue: '1' } }],
        },
      },
    ],
  };
  await channel.post([write], 1);
  await channel.post([write], 1);
  const [result] = await channel.until((message) => 'writeResults' in message, 1);
  match(JSON.stringify(result), /"transformResults":\[{"integerValue":"1"}\]/);
  equal((await client.doc('counts/one').get()).get('n'), 1);
  await channel.terminate();
});

for (const [what, message, status] of [
  ['an unknown field', { database, nonsense: 1 }, 'INVALID_ARGUMENT'],
  ['an invalid request', { database }, 'INVALID_ARGUMENT'],
  ['no JSON', undefined, 'INVALID_ARGUMENT'],
] as const)
  test(`Listen: ${what} is told as an error in the channel`, async () => {
    const channel = await Channel.open('Listen', [message === undefined ? Number.NaN : message]);
    const [[, [{ error }]] = [] as never] = (await channel.poll(0)) as [[number, [{ error: { status: string; code: number } }]]];
    deepEqual([error.status, error.code], [status, 400]);
    await channel.terminate();
  });

test('a call without permission is told so', async () => {
  server.faults.revoke('p');
  const channel = await Channel.open('Listen', [listenTo('a')]);
  const [[, [{ error }]] = [] as never] = (await channel.poll(0)) as [[number, [{ error: object }]]];
  deepEqual(error, { code: 403, message: 'Missing or insufficient permissions.', status: 'PERMISSION_DENIED' });
  server.faults.restore('p');
  await channel.terminate();
});

test('an unknown channel, and one that was terminated, is 400 with the words that the client looks for', async () => {
  const channel = await Channel.open('Listen', []);
  equal((await channel.terminate()).status, 200);
  for (const answer of [await channel.post([], 0), await new Channel(channel.url, 'none').post([], 0)]) {
    equal(answer.status, 400);
    ok((await answer.text()).indexOf('Unknown SID') > 0);
  }
  equal((await channel.terminate()).status, 200);
});

test('a request that is missing between others is 400', async () => {
  const channel = await Channel.open('Listen', []);
  equal((await channel.post([listenTo('a')], 1)).status, 400);
  await channel.terminate();
});

test('CORS: pages may read answers with credentials, and the id of the session', async () => {
  const headers = { origin: 'https://app.example.com' };
  const answer = await fetch(`${server.url}/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1`, {
    method: 'POST',
    headers,
  });
  equal(answer.headers.get('access-control-allow-origin'), headers.origin);
  equal(answer.headers.get('access-control-allow-credentials'), 'true');
  match(answer.headers.get('access-control-expose-headers') ?? '', /x-http-session-id/);
});

describe('limits', () => {
  const databases = openDatabases({ createOnUse: true });
  const channels = webChannels({
    methods: rpcMethods(databases),
    log: console.error,
    limits: { sessions: 2, awayMs: 200 },
  });
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    channels.serve(request, response, url)?.catch((error: { code: string }) => response.writeHead(503).end(error.code));
  });
  let url: string;
  beforeAll(async () => {
    await once(http.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    channels.close();
    http.close();
    await databases.close();
  });

  test('a client that went away is forgotten', async () => {
    const channel = await Channel.open('Listen', [listenTo('a')], { url });
    const stream = await channel.stream(0);
    await sleep(400);
    equal(channels.size, 1);
    stream.response.destroy();
    await until(() => channels.size === 0);
    equal((await channel.post([], 1)).status, 400);
  });

  test('one more channel ends one that no client waits for; if there is none it is refused', async () => {
    const [first, second] = [await Channel.open('Listen', [], { url }), await Channel.open('Listen', [], { url })];
    const stream = await second.stream(0);
    const third = await Channel.open('Listen', [], { url });
    equal((await first.post([], 0)).status, 400);
    equal((await second.post([], 0)).status, 200);
    const other = await third.stream(0);
    const refused = await fetch(`${url}/google.firestore.v1.Firestore/Listen/channel?VER=8`, { method: 'POST' });
    deepEqual([refused.status, await refused.text()], [503, 'UNAVAILABLE']);
    channels.close();
    equal(channels.size, 0);
    await until(() => stream.response.complete && other.response.complete);
  });
});
