import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bundle, bundleDir } from '../../../../infra/bundle/bundle.ts';
import { openLogs } from '../../../../infra/local/lambda/function-log.ts';
import type { FunctionError, FunctionSpec } from '../../../../infra/local/lambda/function-spec.ts';
import { type Host, type HostLimits, startHost } from '../../../../infra/local/lambda/host.ts';
import type { LambdaHostOptions } from '../../../../infra/local/lambda/instance.ts';

/** A bundle with one handler per behaviour. */
const code = `
let runs = 0;
let atOnce = 0;
let atOnceMost = 0;
exports.echo = async (event) => event;
exports.environment = async () => ({ ...process.env });
exports.context = async (event, context) => ({ ...context, remainingMs: context.getRemainingTimeInMillis() });
exports.count = async () => ({ runs: ++runs, thread: require('node:worker_threads').threadId });
exports.slow = async ({ ms }) => {
  atOnceMost = Math.max(atOnceMost, ++atOnce);
  await new Promise((done) => setTimeout(done, ms));
  atOnce--;
  return { atOnceMost, thread: require('node:worker_threads').threadId };
};
exports.nothing = async () => {};
exports.throws = async () => { throw Object.assign(new Error('no such thing'), { name: 'NotThere' }); };
exports.throwsText = async () => { throw 'just text'; };
exports.circular = async () => { const a = {}; a.a = a; return a; };
exports.huge = async () => 'x'.repeat(7 * 1024 * 1024);
exports.exits = async () => process.exit(3);
exports.uncaught = () => new Promise(() => setTimeout(() => { throw new RangeError('later'); }, 1));
exports.diesLater = async () => { setTimeout(() => { throw new Error('after the answer'); }, 1); return 'answered'; };
exports.spins = async () => { for (;;); };
exports.prints = async () => { console.log('to the log'); console.error('to the log too'); };
exports.eats = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); };
`;

const dir = mkdtempSync(join(tmpdir(), 'lambda-'));
const hosts: Host[] = [];
const logs = openLogs(join(dir, 'log'));

beforeAll(async () => {
  mkdirSync(join(dir, 'ok'));
  writeFileSync(join(dir, 'ok', 'index.cjs'), code);
  mkdirSync(join(dir, 'broken'));
  writeFileSync(join(dir, 'broken', 'index.cjs'), 'throw new TypeError("cannot load")');
  await bundle(['infra/local/lambda/worker.ts'], dir);
});
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  rmSync(dir, { recursive: true });
});

const specOf = (handler: string, more: Partial<FunctionSpec> = {}): FunctionSpec => ({
  name: handler,
  arn: `arn:aws:lambda:eu-central-1:123456789012:function:${handler}`,
  entry: 'ok',
  handler,
  environment: { TABLE_NAME: 'items' },
  timeoutSeconds: 300,
  memoryMb: 64,
  concurrency: undefined,
  logGroup: 'logs',
  isTraced: true,
  roleArn: `role of ${handler}`,
  statements: [],
  accessKeyId: `KEY${handler}`,
  ...more,
});

type More = Pick<LambdaHostOptions, 'accountConcurrency' | 'whenBundled'>;

const hostOf = (specs: readonly FunctionSpec[], limits?: HostLimits, more: More = {}): Host => {
  const host = startHost(
    specs,
    {
      worker: join(bundleDir('infra/local/lambda/worker.ts', dir), 'index.cjs'),
      bundleOf: (entry) => ({ file: join(dir, entry, 'index.cjs'), cache: join(dir, 'compiled') }),
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:1',
      ...more,
      log: ({ name }) => logs(name),
    },
    limits,
  );
  hosts.push(host);
  return host;
};

/** Runs a handler once on a new host. */
const run = <T>(handler: string, event: unknown = {}, more: Partial<FunctionSpec> = {}): Promise<T> =>
  hostOf([specOf(handler, more)]).invoke(handler, event) as Promise<T>;

const failure = async (work: Promise<unknown>): Promise<FunctionError> => {
  const outcome = await work.then(
    (result) => assert.fail(`it answered ${JSON.stringify(result)}`),
    (error: FunctionError) => error,
  );
  return outcome;
};

describe('a function', () => {
  test('receives and returns what JSON can represent, and nothing else', async () => {
    const event = { text: 'é\u0000', list: [1, null], at: new Date(0), gone: undefined };
    assert.deepEqual(await run('echo', event), { text: 'é\u0000', list: [1, null], at: '1970-01-01T00:00:00.000Z' });
  });
  test('without a result returns null', async () => assert.equal(await run('nothing'), null));

  test("has the template's and Lambda's variables, and none of the host's", async () => {
    process.env.SECRET_OF_THE_HOST = 'x';
    const seen = await run<Record<string, string>>('environment');
    delete process.env.SECRET_OF_THE_HOST;
    assert.equal(seen.TABLE_NAME, 'items');
    assert.equal(seen.AWS_REGION, 'eu-central-1');
    assert.equal(seen.AWS_ACCESS_KEY_ID, 'KEYenvironment');
    assert.equal(seen.AWS_ENDPOINT_URL, 'http://127.0.0.1:1');
    assert.equal(seen.AWS_LAMBDA_FUNCTION_NAME, 'environment');
    const foreign = Object.keys(seen).filter((name) => !/^(AWS_|_HANDLER$|TZ$|TABLE_NAME$|NODE_EXTRA_CA_CERTS$)/.test(name));
    assert.deepEqual(foreign, []);
  });

  test('knows its request id and remaining time', async () => {
    const context = await run<Record<string, unknown>>('context');
    assert.match(String(context.awsRequestId), /^[0-9a-f-]{36}$/);
    assert.equal(context.functionName, 'context');
    assert.equal(context.invokedFunctionArn, specOf('context').arn);
    assert.ok(Number(context.remainingMs) > 200_000 && Number(context.remainingMs) <= 300_000);
  });

  test('has its own log file', async () => {
    await run('prints');
    const file = join(dir, 'log', 'prints.log');
    // Output of a thread arrives after its response, each stream separately.
    const wanted = ['to the log\n', 'to the log too\n', 'REPORT RequestId'];
    const missing = (): readonly string[] => {
      const printed = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return wanted.filter((text) => !printed.includes(text));
    };
    while (missing().length > 0) await pause(25);
  });
});

describe('a failed run', () => {
  const cases = [
    ['keeps the name and message of the error', 'throws', 'threw', 'NotThere', /^no such thing$/],
    ['reports a thrown value that is not an Error', 'throwsText', 'threw', 'Error', /just text/],
    ['reports a result that is not JSON', 'circular', 'threw', 'TypeError', /circular/],
    ['reports a result over 6 MB', 'huge', 'too-large', 'Function.ResponseSizeTooLarge', /6291456/],
    ['reports an exit of the process', 'exits', 'crashed', 'Runtime.ExitError', /status 3/],
    ['reports an uncaught error', 'uncaught', 'crashed', 'RangeError', /later/],
    ['names a missing handler', 'absent', 'threw', 'Runtime.HandlerNotFound', /index\.absent/],
    ['that runs out of memory affects no other', 'eats', 'crashed', 'Error', /memory/i],
  ] as const;
  for (const [name, handler, reason, type, message] of cases) {
    test(name, async () => {
      const error = await failure(run(handler));
      assert.equal(error.reason, reason);
      assert.equal(error.name, type);
      assert.match(error.message, message);
    });
  }

  test('reports a bundle that cannot be loaded, every time', async () => {
    const host = hostOf([specOf('echo', { entry: 'broken' })]);
    for (let n = 0; n < 2; n++) {
      const error = await failure(host.invoke('echo', {}));
      assert.equal(error.name, 'TypeError');
      assert.equal(error.message, 'cannot load');
    }
    assert.equal(host.instances(), 0);
  });

  test('is ended after its timeout, even in an endless loop', async () => {
    const error = await failure(run('spins', {}, { timeoutSeconds: 0.2 }));
    assert.equal(error.reason, 'timed-out');
    assert.match(error.message, /timed out after 0\.20 seconds/);
  });

  test('is not started for an event over 6 MB', async () => {
    const error = await failure(run('echo', 'x'.repeat(7 * 1024 * 1024)));
    assert.equal(error.name, 'RequestTooLargeException');
  });

  test('does not affect the next event, which gets another instance', async () => {
    const host = hostOf([specOf('exits'), specOf('echo')]);
    await failure(host.invoke('exits', {}));
    await failure(host.invoke('exits', {}));
    assert.equal(await host.invoke('echo', 'still here'), 'still here');
  });

  test('after its response does not affect the next event', async () => {
    const host = hostOf([specOf('diesLater')]);
    assert.equal(await host.invoke('diesLater', {}), 'answered');
    while (host.instances() > 0) await pause(5);
    assert.equal(await host.invoke('diesLater', {}), 'answered');
  });

  test('that throws keeps its instance warm', async () => {
    const host = hostOf([specOf('throws')]);
    await failure(host.invoke('throws', {}));
    assert.equal(host.instances(), 1);
  });

  test('names an unknown function', async () => {
    assert.match((await failure(hostOf([]).invoke('arn:nobody', {}))).message, /arn:nobody/);
  });
});

test('an event waits until its function is bundled, and fails if it cannot be', async () => {
  const bundling = Promise.withResolvers<void>();
  const host = hostOf([specOf('echo')], undefined, { whenBundled: () => bundling.promise });
  const answer = host.invoke('echo', { a: 1 });
  await pause(50);
  assert.equal(host.instances(), 0);
  bundling.resolve();
  assert.deepEqual(await answer, { a: 1 });
  const failed = Promise.reject<void>(new Error('no such file'));
  const broken = hostOf([specOf('echo')], undefined, { whenBundled: () => failed });
  const { name, message } = await failure(broken.invoke('echo', {}));
  assert.deepEqual([name, message], ['ServiceUnavailable', 'the function could not be bundled: no such file']);
});

test('beyond the concurrency of the account an event is throttled, unless its function has a reservation', async () => {
  const own = specOf('echo', { concurrency: 1 });
  const host = hostOf([specOf('slow'), own], { perFunction: 4, perFedFunction: 4, total: 8 }, { accountConcurrency: 3 });
  const busy = [host.invoke('slow', { ms: 300 }), host.invoke('slow', { ms: 300 })];
  const { name, reason } = await failure(host.invoke('slow', { ms: 1 }));
  assert.deepEqual([name, reason], ['TooManyRequestsException', 'throttled']);
  await new Promise(setImmediate);
  assert.match(readFileSync(join(dir, 'log', 'slow.log'), 'utf8'), /^throttled, because 2 slow run$/m);
  assert.deepEqual(await host.invoke('echo', { a: 1 }), { a: 1 });
  await Promise.all(busy);
  await host.invoke('slow', { ms: 1 });
});

describe('instances', () => {
  interface Slow {
    readonly atOnceMost: number;
    readonly thread: number;
  }

  test('are reused for the next event', async () => {
    const host = hostOf([specOf('count')]);
    const first = (await host.invoke('count', {})) as { runs: number; thread: number };
    const second = (await host.invoke('count', {})) as { runs: number; thread: number };
    assert.deepEqual([first.runs, second.runs], [1, 2]);
    assert.equal(first.thread, second.thread);
  });

  test('handle one event at a time; beyond the limit events wait and none is lost', async () => {
    const host = hostOf([specOf('slow')], { perFunction: 2, perFedFunction: 2, total: 8 });
    const results = (await Promise.all(Array.from({ length: 7 }, () => host.invoke('slow', { ms: 20 })))) as Slow[];
    assert.deepEqual(new Set(results.map(({ atOnceMost }) => atOnceMost)), new Set([1]));
    assert.equal(new Set(results.map(({ thread }) => thread)).size, 2);
    assert.equal(host.instances(), 2);
  });

  test('beyond two start only for an event that has waited', async () => {
    const limits = { perFunction: 4, perFedFunction: 4, total: 8 };
    const threadsOf = async (patienceMs: number, ms: number): Promise<number> => {
      const host = hostOf([specOf('slow')], { ...limits, patienceMs });
      const results = (await Promise.all(Array.from({ length: 3 }, () => host.invoke('slow', { ms })))) as Slow[];
      return new Set(results.map(({ thread }) => thread)).size;
    };
    assert.equal(await threadsOf(60_000, 5), 2);
    assert.equal(await threadsOf(1, 500), 3);
  });

  test('have a higher limit for a function with a queue trigger', async () => {
    const host = hostOf([specOf('slow', { fedAtOnce: 3 }), specOf('echo')], { perFunction: 1, perFedFunction: 4, total: 8 });
    const results = (await Promise.all(Array.from({ length: 7 }, () => host.invoke('slow', { ms: 20 })))) as Slow[];
    assert.equal(new Set(results.map(({ thread }) => thread)).size, 3);
  });

  test('respect reserved concurrency', async () => {
    const host = hostOf([specOf('slow', { concurrency: 1 })]);
    const results = (await Promise.all([1, 2, 3].map(() => host.invoke('slow', { ms: 5 })))) as Slow[];
    assert.equal(new Set(results.map(({ thread }) => thread)).size, 1);
  });

  test('of other functions are stopped when idle, least recently used first', async () => {
    const names = ['a', 'b', 'c'];
    const host = hostOf(
      names.map((name) => specOf('count', { name, arn: `arn:${name}` })),
      { perFunction: 2, perFedFunction: 2, total: 2 },
    );
    const runsOf = async (name: string) => ((await host.invoke(name, {})) as { runs: number }).runs;
    assert.deepEqual([await runsOf('a'), await runsOf('b'), await runsOf('a')], [1, 1, 2]);
    assert.equal(await runsOf('c'), 1);
    assert.equal(host.instances(), 2);
    assert.equal(await runsOf('a'), 3, 'a was used after b, so b is stopped');
    assert.equal(await runsOf('b'), 1);
  });

  test('of a busy function do not starve another', async () => {
    const host = hostOf([specOf('slow'), specOf('echo')], { perFunction: 1, perFedFunction: 1, total: 1 });
    const busy = Array.from({ length: 3 }, () => host.invoke('slow', { ms: 10 }));
    assert.equal(await host.invoke('echo', 'served'), 'served');
    await Promise.all(busy);
  });

  test('all end on stop, and waiting events fail', async () => {
    const host = hostOf([specOf('slow')], { perFunction: 1, perFedFunction: 1, total: 1 });
    await host.invoke('slow', { ms: 0 });
    const waiting = [host.invoke('slow', { ms: 5_000 }), host.invoke('slow', { ms: 0 })].map(failure);
    await host.stop();
    for (const error of await Promise.all(waiting)) assert.equal(error.reason, 'crashed');
    assert.equal((await failure(host.invoke('slow', { ms: 0 }))).reason, 'crashed');
  });
});
