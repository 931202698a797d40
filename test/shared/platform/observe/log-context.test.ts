/** Log lines and traces contain the ids of their context, also for concurrent work. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { addLogContext, bestEffort, lambdaHandler, log, newId, withLogContext } from '../../../../shared/platform/index.ts';
import { captureLog } from '../../../harness/aws/captured-log.ts';

const { lines, stop } = captureLog();
beforeEach(() => void lines.splice(0));
afterAll(stop);

test('withLogContext: lines of concurrent work contain their own ids at any depth', async () => {
  const work = (n: string) =>
    withLogContext({ organizationId: n }, async () => {
      await turn();
      await bestEffort('try', Promise.reject(new Error(n)));
      await withLogContext({ backupId: `${n}b` }, async () => void log.info('within'));
      log.info('after');
    });
  await withLogContext({ requestId: 'r' }, async () => void (await Promise.all([work('1'), work('2')])));
  const of = (n: string) => lines.filter(({ organizationId }) => organizationId === n);
  for (const n of ['1', '2']) {
    assert.deepEqual(
      of(n).map(({ message, requestId, backupId }) => [message, requestId, backupId]),
      [
        ['could not try', 'r', undefined],
        ['within', 'r', `${n}b`],
        ['after', 'r', undefined],
      ],
    );
    assert.equal((of(n)[0]!.error as Error).message, n);
  }
  assert.equal(lines.length, 6);
});

test('log: the headers of an error are left out, also those of its cause', () => {
  const cause = Object.assign(new Error('the store failed'), { headers: { authorization: 'Bearer x' }, reason: 'unavailable' });
  log.warn('left to the job', new ApiError('STORAGE_ERROR', 'the bucket failed', {}, { cause, headers: { 'retry-after': '1' } }));
  const error = lines[0]!.error as { code: string; cause: { reason: string } };
  assert.deepEqual([error.code, error.cause.reason], ['STORAGE_ERROR', 'unavailable']);
  assert.doesNotMatch(JSON.stringify(error), /headers|authorization|retry-after/i);
});

test('addLogContext: new ids are on later lines; existing ids win, except over the line’s own', async () => {
  await withLogContext({ organizationId: 'proven' }, async () => {
    addLogContext({ organizationId: 'claimed', projectId: 'p' });
    log.info('one');
    log.info('two', { projectId: 'another' });
  });
  assert.deepEqual(
    lines.map(({ organizationId, projectId }) => [organizationId, projectId]),
    [
      ['proven', 'p'],
      ['proven', 'another'],
    ],
  );
});

test('lambdaHandler: a failed run is logged with the ids of its event', async () => {
  const input = { organizationId: newId('organization'), restoreJobId: newId('restore'), shard: 3, note: 'rst_x' };
  const handler = lambdaHandler(async (_input: object, _context: object) => Promise.reject(new Error('broken')));
  await assert.rejects(handler(input, { awsRequestId: 'run-1' } as Context), { message: 'broken' });
  const [{ message, requestId, organizationId, restoreJobId } = {}] = lines;
  assert.deepEqual(
    { message, requestId, organizationId, restoreJobId },
    { message: 'run failed', requestId: 'run-1', organizationId: input.organizationId, restoreJobId: input.restoreJobId },
  );
});

let receiver: Socket;
const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8';
beforeAll(async () => {
  receiver = createSocket('udp4').bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  process.env.AWS_XRAY_DAEMON_ADDRESS = `127.0.0.1:${receiver.address().port}`;
});
afterAll(() => {
  receiver.close();
  delete process.env.AWS_XRAY_DAEMON_ADDRESS;
  delete process.env._X_AMZN_TRACE_ID;
});

/** The part of OTLP that a span uses, from opentelemetry/proto/trace/v1/trace.proto and its imports. */
const otlp = protobuf
  .parse(`syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message Scope { string name = 1; }
  message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
    int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; ArrayValue array_value = 5; } }
  message ArrayValue { repeated AnyValue values = 1; }`)
  .root.lookupType('Request');

interface Value {
  readonly stringValue?: string;
  readonly arrayValue?: { readonly values: readonly Value[] };
}
interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: Value }[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly [name: string]: unknown;
        readonly name: string;
        readonly spanId: string;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes: readonly { readonly key: string; readonly value: Value }[];
      }[];
    }[];
  }[];
}

const spansIn = (datagram: Buffer) => {
  const [header = '', document = ''] = datagram.toString().split('\n');
  assert.deepEqual(JSON.parse(header), { format: 'json', version: 1 });
  assert.ok(document.startsWith('T1S'), 'OTLP of a sampled trace');
  const message = otlp.decode(Buffer.from(document.slice(3), 'base64'));
  const { resourceSpans } = otlp.toObject(message, {
    longs: String,
    bytes: (value: Buffer) => value,
  } as never) as never as Decoded;
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
};
const textOf = (value: Value): unknown => value.stringValue ?? value.arrayValue?.values.map(textOf);
const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

test('annotateTrace: a sampled trace gets an OpenTelemetry span with the ids as annotations', async () => {
  process.env._X_AMZN_TRACE_ID = `${trace};Sampled=1;Lineage=a:0`;
  const heard = once(receiver, 'message') as Promise<[Buffer]>;
  await withLogContext({ operation: 'backups.create' }, async () => addLogContext({ organizationId: 'org_1' }));
  const [span, ...others] = spansIn((await heard)[0]);
  assert.ok(span && others.length === 0);
  assert.equal(hex(span.traceId), '5759e988bd862e3fe1be46a994272793');
  assert.equal(hex(span.parentSpanId), '53995c3f42cd8ad8');
  assert.match(hex(span.spanId), /^[0-9a-f]{16}$/);
  assert.deepEqual([span.name, span.kind], ['backups.create', 1]);
  const [start, end] = [Number(span.startTimeUnixNano) / 1e6, Number(span.endTimeUnixNano) / 1e6];
  assert.ok(start <= end && Math.abs(end - Date.now()) < 60_000, `${start} to ${end}`);
  assert.deepEqual(Object.fromEntries(span.attributes.map(({ key, value }) => [key, textOf(value)])), {
    operation: 'backups.create',
    organizationId: 'org_1',
    'aws.xray.annotations': ['operation', 'organizationId'],
  });
});

test('annotateTrace: a value longer than 127 bytes is encoded completely', async () => {
  process.env._X_AMZN_TRACE_ID = `${trace};Sampled=1`;
  const heard = once(receiver, 'message') as Promise<[Buffer]>;
  const operation = 'é'.repeat(5_000);
  await withLogContext({ operation }, async () => undefined);
  assert.equal(spansIn((await heard)[0])[0]?.name, operation);
});

test('annotateTrace: without a sampled trace nothing is sent', async () => {
  const received: Buffer[] = [];
  receiver.on('message', (datagram) => received.push(datagram));
  for (const header of [`${trace};Sampled=0`, trace, '', 'Root=1-2-3;Parent=53995c3f42cd8ad8;Sampled=1']) {
    process.env._X_AMZN_TRACE_ID = header;
    await withLogContext({ operation: 'silent' }, async () => undefined);
  }
  process.env._X_AMZN_TRACE_ID = `${trace};Sampled=1`;
  const heard = once(receiver, 'message');
  await withLogContext({ operation: 'sent' }, async () => undefined);
  await heard;
  assert.deepEqual(
    received.flatMap((datagram) => spansIn(datagram).map(({ name }) => name)),
    ['sent'],
  );
});
