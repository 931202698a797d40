/** Laws about layers: which folder may import which, and where external services are called. */
import { deepEqual, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'vitest';
import { endpoints, handlerOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { linesWith, root, type Source, sources, sourcesIn } from '../harness/law/source-files.ts';

/** Each domain folder may import itself and those before it. */
const rooms = [
  'contract',
  'docs',
  'archive',
  'platform',
  // Reads a database over the wire and knows no tenants; projects use it.
  'firestore',
  'event',
  'audit',
  'account',
  'organization',
  'project',
  'destination',
  'job',
  'backup',
  // A point in time becomes a backup, which is restored like any other.
  'pitr',
  'restore',
  'schedule',
  // Retention keeps what schedules, points in time and restores need.
  'retention',
  'webhook',
  // A moving project takes along data of all folders before.
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

test('imports: sources and imports are found', () => {
  ok(sources.length > 100);
  ok(sourcesIn('shared/http').some((source) => ours(source).includes('shared/platform/index.ts')));
});

test('imports: every folder of shared is a known domain', () => {
  for (const { path } of sourcesIn('shared')) ok(rooms.includes(roomOf(path) ?? ''), path);
});

test('imports: a domain imports itself and earlier domains only', () => {
  const allowed = (target: string, path: string): boolean => {
    const [from, to] = [rooms.indexOf(roomOf(path) ?? ''), rooms.indexOf(roomOf(target) ?? '')];
    return to >= 0 && to <= from;
  };
  deepEqual(breaches(sourcesIn('shared'), ours, allowed), []);
});

/** It takes the numbers that the model of scale reckons with from where they stand, and is part of no stack. */
const modelOfScale = 'infra/scale/code.ts';

/**
 * Stores are loaded lazily, when the first bucket is opened. Bundlers cannot tree-shake lazy imports, so through the index of
 * platform every bundle would contain whole AWS clients: a fifth of its size.
 */
const isLoadedLater = (path: string): boolean =>
  /^shared\/destination\/store\/(s3\/|gcs\/|retry-transient|remove-each)/.test(path);

// The contract's index would pull every schema into every bundle.
test('imports: a domain is imported through its index, except the contract', () => {
  const allowed = (target: string, path: string): boolean =>
    path === modelOfScale ||
    roomOf(target) === undefined ||
    roomOf(target) === roomOf(path) ||
    roomOf(target) === 'contract' ||
    (target.split('/').length === 3 && basename(target) === 'index.ts') ||
    (isLoadedLater(path) && roomOf(target) === 'platform');
  deepEqual(breaches(sourcesIn('shared', 'functions', 'infra'), ours, allowed), []);
});

test('imports: a bundled function does not import the whole contract unless it serves all of it', () => {
  const importsAll = sourcesIn('functions', 'shared')
    .filter((source) => ours(source).includes('shared/contract/index.ts'))
    .map(({ path }) => path);
  deepEqual(
    importsAll.filter((path) => !path.startsWith('shared/contract/')),
    ['functions/api/fallback.ts', 'functions/api/index.ts'],
  );
});

test('imports: functions import shared only; the handler table imports its neighbours', () => {
  const allowed = (target: string, path: string): boolean => target.startsWith('shared/') || path === 'functions/api/index.ts';
  deepEqual(breaches(sourcesIn('functions'), ours, allowed), []);
});

test('imports: infra imports only the contract of shared; the local stage may import more', () => {
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

// It is independent of the service: a backup must be readable with the bucket and the key alone.
test('imports: the archive command imports the format, the database, the buckets and KMS, and nothing of the service', () => {
  const rooms = ['archive', 'firestore', 'destination', 'platform'].map((room) => `shared/${room}/index.ts`);
  deepEqual(
    breaches(sourcesIn('infra/archive'), ours, (target) => target.startsWith('infra/archive/') || rooms.includes(target)),
    [],
  );
});

// It is independent of the deployed version and runs without installed packages.
test('imports: the smoke test imports its own files and Node only', () => {
  deepEqual(
    breaches(sourcesIn('infra/smoke'), ours, (target) => target.startsWith('infra/smoke/')),
    [],
  );
  deepEqual(
    breaches(sourcesIn('infra/smoke'), packages, (name) => name.startsWith('node:')),
    [],
  );
});

test('imports: shared and functions import nothing of infra or test', () => {
  deepEqual(
    breaches(sourcesIn('shared', 'functions'), ours, (target) => /^(shared|functions)\//.test(target)),
    [],
  );
});

test('imports: the contract imports zod only', () => {
  deepEqual(
    breaches(sourcesIn('shared/contract'), packages, (name) => name === 'zod'),
    [],
  );
});

const isCdk = (name: string) => ['aws-cdk-lib', 'constructs', 'cdk-nag'].includes(name);
test('imports: aws-cdk-lib is used in infra only', () => {
  const elsewhere = sources.filter(({ path }) => !/^(infra|test)\//.test(path));
  deepEqual(
    breaches(elsewhere, packages, (name) => !isCdk(name)),
    [],
  );
});

test('imports: AWS SDKs are used only where external services are called', () => {
  const elsewhere = sources.filter(
    ({ path }) => !/^(shared\/(platform|destination)\/|infra\/local\/|infra\/archive\/cli-credentials\.ts|test\/)/.test(path),
  );
  deepEqual(
    breaches(elsewhere, packages, (name) => !name.startsWith('@aws-sdk/') && !name.startsWith('@smithy/')),
    [],
  );
});

test('imports: AWS clients of the platform share one configuration with a time budget per call', () => {
  const platform = sourcesIn('shared/platform');
  const made = platform.filter(({ code }) => /\bnew [A-Z]\w*Client\(/.test(code));
  ok(made.length >= 8);
  for (const { path, code } of made) {
    // Runs outside functions, where configuration files may set an endpoint.
    const config = path.endsWith('/open-wrapped-key.ts') ? /\bbaseConfig\b/ : /\b(sdkConfig|queueClientConfig)\b/;
    ok(config.test(code), path);
  }
  const sends = linesWith(/(?<!callAws\(|callOwnKey\('', )\(options\) => \w+\.send\(|(?<!=> \w+)\.send\(/, platform);
  deepEqual(
    sends.filter((line) => !line.startsWith('shared/platform/observe/annotate-trace.ts')),
    [],
  );
});

const inside = sources.filter(({ path }) => !/^(shared\/platform|infra\/(local|smoke)|test)\//.test(path));
for (const [what, pattern] of [
  ['the time', /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
  ['randomness', /\bMath\.random\(|\brandomUUID\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/],
  ['the network', /(?<![.\w#])fetch\(/],
] as const)
  test(`imports: ${what} is accessed through platform only`, () => deepEqual(linesWith(pattern, inside), []));

test('imports: sockets are opened only where external services are called', () => {
  const outsideDoors = inside.filter(({ path }) => !/^shared\/(destination|firestore)\//.test(path));
  const sockets = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dns', 'node:dgram'];
  deepEqual(
    breaches(outsideDoors, packages, (name) => !sockets.includes(name)),
    [],
  );
});

// Creating a Tenant is the core of tenancy: adding a file here needs a review.
const mayProve = [
  'shared/http/authorize.ts',
  'shared/organization/',
  'functions/event/task.ts',
  'functions/event/bucket-work.ts',
  'functions/organization/',
  'functions/backup/',
  'functions/restore/',
  'functions/webhook/',
  'functions/schedule/',
  'functions/pitr/',
];
test('imports: a Tenant is created only where membership is checked', () => {
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

test('imports: every handler and worker is where the contract says', () => {
  const files = [
    ...endpoints.map((endpoint) => `functions/api/${handlerOf(endpoint).file}.ts`),
    ...Object.values(workers).map(({ entry }) => entry),
  ];
  for (const file of files) ok(existsSync(join(root, file)), file);
});

test('imports: files are short and have descriptive names', () => {
  for (const { path, text } of sources) {
    const lines = text.split('\n').length - 1;
    // Tests are lists of cases and may be longer.
    ok(lines <= (path.startsWith('test/') ? 500 : 250), `${path} has ${lines} lines`);
    ok(/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/.test(basename(path)), path);
    ok(!/\b(utils?|helpers?|commons?|managers?|misc)\b/.test(path), path);
  }
});

test('imports: nothing disables the compiler or the linter, except where an error is tested', () => {
  for (const { path, text } of sources) {
    if (path === 'test/law/import.test.ts') continue;
    ok(!/biome-ignore|@ts-ignore|@ts-nocheck|eslint-disable/.test(text), path);
    ok(!text.includes('@ts-expect-error') || path === 'test/law/compile/handler-types.ts', path);
  }
});

// `import { z }` would add all of zod to every bundle: 449 KB instead of 101, measured.
test('imports: zod is imported as a namespace', () => {
  const statements = sources.flatMap(({ path, imports }) =>
    imports.filter(({ target }) => target === 'zod').map(({ statement }) => ({ path, statement })),
  );
  ok(statements.length > 10);
  deepEqual(
    statements.filter(({ statement }) => !/^import (type )?\* as z from 'zod';$/.test(statement)),
    [],
  );
});
