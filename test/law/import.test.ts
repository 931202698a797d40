/** Laws of the layers: who may know whom, and which doors lead outside. */
import { deepEqual, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'vitest';
import { endpoints, handlerOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { linesWith, root, type Source, sources, sourcesIn } from '../harness/law/source-files.ts';

/** Each room may import itself and those before it. */
const rooms = [
  'contract',
  'docs',
  'archive',
  'platform',
  // It reads a database over the wire and knows nothing of tenants: projects connect to it.
  'firestore',
  'event',
  'audit',
  'account',
  'organization',
  'project',
  'destination',
  'job',
  'backup',
  // A point in time becomes a backup, which is then restored as any other.
  'pitr',
  'restore',
  'schedule',
  // What schedules, points in time and restores need, retention keeps.
  'retention',
  'webhook',
  // What a project takes along when it moves is of every room before.
  'move',
  'http',
];
const roomOf = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];
const ours = ({ imports }: Source): string[] => imports.filter(({ isOurs }) => isOurs).map(({ target }) => target);
const packages = ({ imports }: Source): string[] => imports.filter(({ isOurs }) => !isOurs).map(({ target }) => target);

/** The imports that break a rule, as `file → target`. */
const breaches = (
  from: readonly Source[],
  targets: (source: Source) => string[],
  allowed: (target: string, path: string) => boolean,
) =>
  from.flatMap((source) =>
    targets(source)
      .filter((target) => !allowed(target, source.path))
      .map((target) => `${source.path} → ${target}`),
  );

test('there are sources to look at, and their imports are found', () => {
  ok(sources.length > 100);
  ok(sourcesIn('shared/http').some((source) => ours(source).includes('shared/platform/index.ts')));
});

test('every folder of shared is a known room', () => {
  for (const { path } of sourcesIn('shared')) ok(rooms.includes(roomOf(path) ?? ''), path);
});

test('a room imports itself and earlier rooms, nothing else of ours', () => {
  const allowed = (target: string, path: string): boolean => {
    const [from, to] = [rooms.indexOf(roomOf(path) ?? ''), rooms.indexOf(roomOf(target) ?? '')];
    return to >= 0 && to <= from;
  };
  deepEqual(breaches(sourcesIn('shared'), ours, allowed), []);
});

/** It takes the numbers that the model of scale reckons with from where they stand, and is part of no stack. */
const modelOfScale = 'infra/scale/code.ts';

/**
 * Stores are loaded when the first bucket is opened. A bundler cannot shake what is loaded later, so through the index of platform
 * every bundle would carry whole AWS clients: a fifth of its size.
 */
const isLoadedLater = (path: string): boolean => /^shared\/destination\/store\/(s3\/|gcs\/|retry-transient\.)/.test(path);

// The contract's index would pull every schema into every bundle.
test('a room is entered by its index, except the contract, which is read file by file', () => {
  const allowed = (target: string, path: string): boolean =>
    path === modelOfScale ||
    roomOf(target) === undefined ||
    roomOf(target) === roomOf(path) ||
    roomOf(target) === 'contract' ||
    (target.split('/').length === 3 && basename(target) === 'index.ts') ||
    (isLoadedLater(path) && roomOf(target) === 'platform');
  deepEqual(breaches(sourcesIn('shared', 'functions', 'infra'), ours, allowed), []);
});

test('a function that is bundled does not import the whole contract, except where it answers for all of it', () => {
  const importsAll = sourcesIn('functions', 'shared')
    .filter((source) => ours(source).includes('shared/contract/index.ts'))
    .map(({ path }) => path);
  deepEqual(
    importsAll.filter((path) => !path.startsWith('shared/contract/')),
    ['functions/api/fallback.ts', 'functions/api/index.ts'],
  );
});

test('functions import shared only; the table of handlers imports its neighbours', () => {
  const allowed = (target: string, path: string): boolean => target.startsWith('shared/') || path === 'functions/api/index.ts';
  deepEqual(breaches(sourcesIn('functions'), ours, allowed), []);
});

test('infra knows the contract and nothing else of shared; the local stage may know more', () => {
  const infra = sourcesIn('infra').filter(({ path }) => !/^infra\/(local|archive)\//.test(path) && path !== modelOfScale);
  deepEqual(
    breaches(infra, ours, (target) => target.startsWith('infra/') || target.startsWith('shared/contract/')),
    [],
  );
  deepEqual(
    breaches(infra, ours, (target) => !target.startsWith('infra/local/')),
    [],
  );
});

// It stands beside the service, not behind it: a backup must be readable by whoever has the bucket and the key.
test('the archive command knows the format, the database, the buckets and KMS, and nothing of the service', () => {
  const rooms = ['archive', 'firestore', 'destination', 'platform'].map((room) => `shared/${room}/index.ts`);
  deepEqual(
    breaches(sourcesIn('infra/archive'), ours, (target) => target.startsWith('infra/archive/') || rooms.includes(target)),
    [],
  );
});

// It stands before the service, as a stranger: it runs where nothing was installed, against whatever version is deployed.
test('the smoke command needs its own files and Node, and nothing else', () => {
  deepEqual(
    breaches(sourcesIn('infra/smoke'), ours, (target) => target.startsWith('infra/smoke/')),
    [],
  );
  deepEqual(
    breaches(sourcesIn('infra/smoke'), packages, (name) => name.startsWith('node:')),
    [],
  );
});

test('shared and functions know nothing of infra or test', () => {
  deepEqual(
    breaches(sourcesIn('shared', 'functions'), ours, (target) => /^(shared|functions)\//.test(target)),
    [],
  );
});

test('the contract needs zod and nothing else', () => {
  deepEqual(
    breaches(sourcesIn('shared/contract'), packages, (name) => name === 'zod'),
    [],
  );
});

const isCdk = (name: string) => ['aws-cdk-lib', 'constructs', 'cdk-nag'].includes(name);
test('aws-cdk-lib stays in infra', () => {
  const elsewhere = sources.filter(({ path }) => !/^(infra|test)\//.test(path));
  deepEqual(
    breaches(elsewhere, packages, (name) => !isCdk(name)),
    [],
  );
});

test('SDKs of AWS stay where the outside is spoken to', () => {
  const elsewhere = sources.filter(
    ({ path }) => !/^(shared\/(platform|destination)\/|infra\/local\/|infra\/archive\/cli-credentials\.ts|test\/)/.test(path),
  );
  deepEqual(
    breaches(elsewhere, packages, (name) => !name.startsWith('@aws-sdk/') && !name.startsWith('@smithy/')),
    [],
  );
});

test('AWS clients of the platform share one configuration, and each call has a time budget', () => {
  const platform = sourcesIn('shared/platform');
  const made = platform.filter(({ code }) => /\bnew [A-Z]\w*Client\(/.test(code));
  ok(made.length >= 8);
  for (const { path, code } of made) {
    // It runs outside of functions, where configuration files may name an endpoint.
    const config = path.endsWith('/kms-for-cli.ts') ? /\bbaseConfig\b/ : /\b(sdkConfig|queueClientConfig)\b/;
    ok(config.test(code), path);
  }
  const sends = linesWith(/(?<!callAws\(|callOwnKey\('', )\(options\) => \w+\.send\(|(?<!=> \w+)\.send\(/, platform);
  deepEqual(
    sends.filter((line) => !line.startsWith('shared/platform/observe/xray.ts')),
    [],
  );
});

const inside = sources.filter(({ path }) => !/^(shared\/platform|infra\/(local|smoke)|test)\//.test(path));
for (const [what, pattern] of [
  ['the time', /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
  ['randomness', /\bMath\.random\(|\brandomUUID\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/],
  ['the network', /(?<![.\w#])fetch\(/],
] as const)
  test(`${what} comes in through platform alone`, () => deepEqual(linesWith(pattern, inside), []));

test('sockets are opened where the outside is spoken to', () => {
  const outsideDoors = inside.filter(({ path }) => !/^shared\/(destination|firestore)\//.test(path));
  const sockets = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dns', 'node:dgram'];
  deepEqual(
    breaches(outsideDoors, packages, (name) => !sockets.includes(name)),
    [],
  );
});

// What proves that a caller may act in an organization is the heart of tenancy: one more file here is a review of its own.
const mayProve = [
  'shared/http/authorize.ts',
  'shared/organization/',
  'functions/event/task.ts',
  'functions/event/chore.ts',
  'functions/organization/',
  'functions/backup/',
  'functions/restore/',
  'functions/webhook/',
  'functions/schedule/',
  'functions/pitr/',
];
test('only what reads the proof makes a Tenant', () => {
  const callers = sourcesIn('shared', 'functions')
    .filter(({ path, code }) => path !== 'shared/platform/tenant.ts' && /\bunsafeTenant\(/.test(code))
    .map(({ path }) => path);
  deepEqual(
    callers.filter((path) => !mayProve.some((allowed) => path.startsWith(allowed))),
    [],
  );
  deepEqual(
    linesWith(/\bas Tenant\b|<Tenant>/, sourcesIn('shared', 'functions')).map((line) => line.split(':')[0]),
    ['shared/platform/tenant.ts'],
  );
});

test('every handler and worker is where the contract says', () => {
  const files = [
    ...endpoints.map((endpoint) => `functions/api/${handlerOf(endpoint).file}.ts`),
    ...Object.values(workers).map(({ entry }) => entry),
  ];
  for (const file of files) ok(existsSync(join(root, file)), file);
});

test('every file is short enough to read, and named for what it holds', () => {
  for (const { path, text } of sources) {
    const lines = text.split('\n').length - 1;
    // A test is a list of cases; code is to be understood.
    ok(lines <= (path.startsWith('test/') ? 500 : 250), `${path} has ${lines} lines`);
    ok(/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/.test(basename(path)), path);
    ok(!/\b(utils?|helpers?|commons?|managers?|misc)\b/.test(path), path);
  }
});

test('nothing silences the compiler or the linter, except where an error is what is tested', () => {
  for (const { path, text } of sources) {
    if (path === 'test/law/import.test.ts') continue;
    ok(!/biome-ignore|@ts-ignore|@ts-nocheck|eslint-disable/.test(text), path);
    ok(!text.includes('@ts-expect-error') || path === 'test/law/compile/handler-types.ts', path);
  }
});
