/** Folders stay small, files are named after what they export, and names use plain words and mean one thing. */
import { deepEqual, ok } from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'vitest';
import { type Source, sources, sourcesIn } from '../harness/law/source-files.ts';

/** About twenty are easy to scan; this many are hardly one idea any more. */
const filesMax = 30;
const code = sourcesIn('shared', 'functions', 'infra');
const mirrors = ['test/shared', 'test/functions', 'test/infra', 'test/journey', 'test/law'];

test(`no folder has more than ${filesMax} files`, () => {
  const folders = Map.groupBy([...code, ...sourcesIn('test')], ({ path }) => dirname(path));
  const full = [...folders].filter(([, files]) => files.length > filesMax);
  deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test('mirror trees have tests only; helpers live in test/harness', () => {
  const helpers = sourcesIn(...mirrors).filter(({ path }) => !path.endsWith('.test.ts') && !path.startsWith('test/law/compile/'));
  deepEqual(
    helpers.map(({ path }) => path),
    [],
  );
});

const declaration = /^export (?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm;
const exportsOf = ({ code: text }: Source): readonly string[] => [
  ...[...text.matchAll(declaration)].map(([, name = '']) => name),
  ...[...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((entry) => entry.trim().split(' ').at(-1) ?? ''),
  ),
];
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.]/);

const banned = new Set('wish doors around scene place told telling standing turn lane upon left late crowd'.split(' '));
/** Plain uses of a banned word. */
const accepted = new Set(['turnHoldIntoDependency']);
const isBanned = (name: string): boolean => !accepted.has(name) && wordsOf(name).some((word) => banned.has(word));

test('neither files nor exports have banned words in their names', () => {
  const all = sources.flatMap((source) => [
    ...(isBanned(basename(source.path).replace(/\.tsx?$/, '')) ? [source.path] : []),
    ...exportsOf(source)
      .filter(isBanned)
      .map((name) => `${source.path} exports ${name}`),
  ]);
  deepEqual(all, []);
});

/** Files of several functions around one subject, which is their name. */
const subjects = new Set(
  `shared/account/oidc-client shared/archive/primitives/format-limits
  shared/archive/primitives/zstd shared/archive/reader/integrity shared/backup/start/backup-request
  shared/contract/event-data/fields shared/contract/fields shared/contract/job-enums
  shared/contract/limits shared/destination/store/gcs/gcs-library shared/destination/store/s3/checksum shared/docs/precomputed
  shared/event/outbox shared/firestore/names/name-order shared/firestore/wire/timestamps
  shared/firestore/write/precondition shared/http/cursor shared/http/idempotency shared/organization/member/membership
  shared/pitr/capture/capture-mode shared/pitr/model/failure-backoff shared/pitr/settings/capture-retention shared/platform/aws/kms
  shared/platform/aws/google-auth-library shared/platform/aws/scheduler shared/platform/country/country-library shared/platform/aws/sqs shared/platform/aws/step-functions shared/platform/table/read-table
  shared/project/connection-status shared/project/move-visibility shared/retention/retention-policy shared/webhook/model/subscription`
    .split(/\s+/)
    .map((path) => `${path}.ts`),
);

/** Entry points and lists of exports have no main export; handlers are grouped by resource. */
const isNamed = ({ path }: Source): boolean => !/(^|\/)(index|main|types|record|scale\/code)\.ts$|^functions\//.test(path);

/** In singular, so that `timestamps.ts` may export `encodeTimestamp`. */
const singular = (name: string): readonly string[] => wordsOf(name).map((word) => word.replace(/(?<=..)s$/, ''));
const isWithin = (words: readonly string[], others: readonly string[]): boolean => words.every((word) => others.includes(word));

test('a file is named after its main export, or after what its exports have in common', () => {
  const misnamed = code
    .filter((source) => isNamed(source) && !subjects.has(source.path))
    .filter((source) => {
      const file = singular(basename(source.path).replace(/\.tsx?$/, ''));
      const names = exportsOf(source).map(singular);
      const isMain = names.some((name) => isWithin(file, name) || isWithin(name, file) || name.join('').includes(file.join('')));
      const isShared = names.length > 1 && names.some((name) => file.some((word) => name.includes(word)));
      return !isMain && !isShared;
    });
  deepEqual(
    misnamed.map((source) => `${source.path}: ${exportsOf(source).join(', ')}`),
    [],
  );
});

// Otherwise a reader of an import has to look up which one it is, and a search finds both.
test('no name is exported by two files of shared, except by the indexes', () => {
  const files = sourcesIn('shared').filter(({ path }) => basename(path) !== 'index.ts');
  const exported = files.flatMap((source) => [...new Set(exportsOf(source))].map((name) => ({ name, path: source.path })));
  ok(exported.length > 1_000);
  const repeated = [...Map.groupBy(exported, ({ name }) => name)].filter(([name, uses]) => name !== '' && uses.length > 1);
  deepEqual(
    repeated.map(([name, uses]) => `${name}: ${uses.map(({ path }) => path).join(', ')}`),
    [],
  );
});
