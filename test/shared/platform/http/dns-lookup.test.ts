import { deepEqual, equal } from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { type LookupAddress, Resolver } from 'node:dns';
import { once } from 'node:events';
import { type TestContext, test } from 'vitest';
import { lookUpWith } from '../../../../shared/platform/http/dns-lookup.ts';

type Records = Readonly<Record<'A' | 'AAAA', readonly (readonly number[])[] | 'silent' | 'refused'>>;

/** A name server with one name and responses that a test defines. */
const serve = async (t: TestContext, records: Records): Promise<Resolver> => {
  const socket: Socket = createSocket('udp4');
  t.onTestFinished(() => void socket.close());
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const known = records[query.readUInt16BE(end - 4) === 28 ? 'AAAA' : 'A'];
    if (known === 'silent') return;
    const answers = known === 'refused' ? [] : known;
    const header = Buffer.from(query.subarray(0, 12));
    // A response, or the code REFUSED.
    header.writeUInt16BE(known === 'refused' ? 0x8185 : 0x8180, 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    const told = answers.map((bytes) =>
      Buffer.from([0xc0, 12, ...query.subarray(end - 4, end), 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...told]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // Only a missing response runs into the timeout.
  const isSilent = Object.values(records).includes('silent');
  const resolver = new Resolver({ timeout: isSilent ? 3_000 : 20_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return resolver;
};
const look = (servers: Resolver) =>
  new Promise<{ code: string | undefined; addresses: readonly LookupAddress[] }>((done) => {
    lookUpWith(servers, 'hooks.example.com', (error, addresses) => done({ code: error?.code, addresses }));
  });
const [four, six] = [
  [1, 1, 1, 1],
  [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 1],
];

test('dnsLookup: a name has the addresses of both families', async (t) => {
  deepEqual(await look(await serve(t, { A: [four], AAAA: [six] })), {
    code: undefined,
    addresses: [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ],
  });
});

for (const other of [[], 'silent', 'refused'] as const)
  test(`dnsLookup: if one family fails (${JSON.stringify(other)}), the other is returned`, async (t) => {
    deepEqual((await look(await serve(t, { A: [four], AAAA: other }))).addresses, [{ address: '1.1.1.1', family: 4 }]);
    deepEqual((await look(await serve(t, { A: other, AAAA: [six] }))).addresses, [{ address: '2606:4700::1', family: 6 }]);
  });

for (const [all, code] of [
  [[], 'ENODATA'],
  ['silent', 'ETIMEOUT'],
  ['refused', 'EREFUSED'],
] as const)
  test(`dnsLookup: a name without a response (${JSON.stringify(all)}) fails`, async (t) => {
    const { code: told, addresses } = await look(await serve(t, { A: all, AAAA: all }));
    equal(told, code);
    deepEqual(addresses, []);
  });
