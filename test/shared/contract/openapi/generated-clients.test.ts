/** What generators of clients need of the OpenAPI document, and what one of them makes of it. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import type { Schema } from '../../../../shared/contract/openapi/json-schema.ts';
import { openapiDocument } from '../../../../shared/contract/openapi/openapi-document.ts';
import { root } from '../../../harness/law/source-files.ts';

const document = JSON.parse(JSON.stringify(openapiDocument())) as ReturnType<typeof openapiDocument>;
const { schemas } = document.components as { schemas: Readonly<Record<string, Schema>> };

interface Place {
  readonly schema: Schema;
  readonly path: string;
  /** The type that generators make of it, such as `MemberRole` of the field `role` of `Member`. */
  readonly name: string;
}

const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());

function* placesIn(place: Place): Generator<Place> {
  yield place;
  const { schema, path, name } = place;
  const { properties = {}, items, additionalProperties, anyOf, oneOf, allOf } = schema as Readonly<Record<string, object>>;
  for (const [field, inner] of Object.entries(properties))
    yield* placesIn({ schema: inner as Schema, path: `${path}.${field}`, name: `${name}${pascal(field)}` });
  if (items) yield* placesIn({ schema: items as Schema, path: `${path}[]`, name: `${name}Item` });
  if (typeof additionalProperties === 'object')
    yield* placesIn({ schema: additionalProperties as Schema, path: `${path}.*`, name: `${name}AdditionalProperty` });
  for (const variants of [anyOf, oneOf, allOf] as (readonly Schema[] | undefined)[])
    for (const [n, variant] of (variants ?? []).entries())
      yield* placesIn({ schema: variant, path: `${path}|${n}`, name: `${name}Type${n}` });
}

const inComponents = Object.entries(schemas).flatMap(([name, schema]) => [...placesIn({ schema, path: name, name })]);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, operation })),
);
const inOperations = operations.flatMap(({ at, operation }) => [
  ...operation.parameters.flatMap((one) =>
    'schema' in one ? [...placesIn({ schema: one.schema, path: `${at} ${one.name}`, name: '' })] : [],
  ),
  ...Object.values({ ...operation.responses, body: operation.requestBody }).flatMap((one) =>
    one && 'content' in one
      ? Object.values(one.content ?? {}).flatMap(({ schema }) => [...placesIn({ schema, path: at, name: '' })])
      : [],
  ),
]);
const everywhere = [...inComponents, ...inOperations];
const pathsOf = (isWrong: (schema: Schema) => boolean, places = everywhere): readonly string[] =>
  places.filter(({ schema }) => isWrong(schema)).map(({ path }) => path);
const repeated = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, n) => names.indexOf(name) !== n)),
];

test('document: the laws look at all of it', () => ok(inComponents.length > 2_000 && inOperations.length > 400));

test('document: titles are unique', () =>
  deepEqual(repeated(everywhere.flatMap(({ schema }) => (typeof schema.title === 'string' ? [pascal(schema.title)] : []))), []));

test('document: names of operations are unique', () =>
  deepEqual(repeated(operations.map(({ operation }) => pascal(operation.operationId))), []));

/** Of a reference, also one that may be null, and of a plain value without choices generators make no type of its own. */
const hasOwnType = ({ schema }: Place): boolean => {
  const variants = ((schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[]).filter(({ type }) => type !== 'null');
  return 'properties' in schema || 'enum' in schema || 'allOf' in schema || variants.length > 1;
};

test('document: no field makes a type with the name of a component, or of another field', () =>
  deepEqual(
    repeated(inComponents.filter((place) => place.name === place.path || hasOwnType(place)).map(({ name }) => name)),
    [],
  ));

test('document: a type is one, or one and null; a list says what it contains', () => {
  const isSeveral = ({ type }: Schema): boolean => Array.isArray(type) && type.filter((one) => one !== 'null').length !== 1;
  deepEqual(pathsOf(isSeveral), []);
  deepEqual(
    pathsOf(({ type, items }) => [type].flat().includes('array') && items === undefined),
    [],
  );
});

test('document: no field of a component has a default, and no union or object has one', () => {
  deepEqual(
    pathsOf((schema) => 'default' in schema, inComponents),
    [],
  );
  const isPlain = ({ type }: Schema): boolean => ['string', 'integer', 'number', 'boolean'].includes(String(type));
  deepEqual(
    pathsOf((schema) => 'default' in schema && !isPlain(schema)),
    [],
  );
});

test('document: the description of a request states its defaults', () => {
  const described = new Map(inComponents.map(({ path, schema }) => [path, schema.description]));
  equal(described.get('CreateBackupRequest.type'), 'Default: full');
  equal(described.get('CreateBackupRequest.collections'), 'Default: ["*"]');
});

const dir = mkdtempSync(join(tmpdir(), 'generated-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** The generator needs TypeScript 5, because later versions lack its programming interface. This package contains it without `tsc`. */
const typescript5 = import.meta.resolve('@ts-morph/common/dist/typescript.js');

const generate = async (): Promise<string> => {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      next(name === 'typescript' && context.parentURL?.includes('/openapi-typescript/') ? typescript5 : name, context),
  });
  try {
    const { astToString, default: openapiTS } = await import('openapi-typescript');
    return astToString(await openapiTS(JSON.stringify(document)));
  } finally {
    hooks.deregister();
  }
};

const compile = (code: string): string => {
  writeFileSync(
    join(dir, 'call.ts'),
    `import type { components } from './api.ts';\ntype Schemas = components['schemas'];\n${code}`,
  );
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--allowImportingTsExtensions', '--module', 'esnext'];
  const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, 'call.ts'], {
    cwd: dir,
    encoding: 'utf8',
  });
  return stdout + stderr;
};

test('openapi-typescript: a restore of a backup alone compiles, and every example of a request', async () => {
  writeFileSync(join(dir, 'api.ts'), await generate());
  const examples = Object.entries(schemas)
    .filter(([name]) => name.endsWith('Request'))
    .map(([name, schema]) => {
      const [example] = schema.examples as readonly unknown[];
      return `export const of${name}: Schemas['${name}'] = ${JSON.stringify(example)};`;
    });
  ok(examples.length > 30);
  const calls = [
    `export const restore: Schemas['CreateRestoreRequest'] = { backupId: 'bkp_1' };`,
    `export const dryRun: Schemas['CreateRestoreRequest'] = { backupId: 'bkp_1', options: { dryRun: true } };`,
    `const rules = [{ collection: 'users', field: 'email', transform: 'hash' as const }];`,
    `export const masked: Schemas['CreateRestoreRequest'][] = [{ backupId: 'bkp_1', options: { transform: { rules } } }, { backupId: 'bkp_1', options: { transform: rules } }];`,
    `export const backup: Schemas['CreateBackupRequest'] = { projectId: 'prj_1' };`,
  ];
  equal(compile([...calls, ...examples].join('\n')), '');
});

test('openapi-typescript: calls that the service refuses do not compile', () => {
  const output =
    compile(`export const restore: Schemas['CreateRestoreRequest'] = { backupId: 'bkp_1', options: { dryRun: 'yes' } };
    export const backup: Schemas['CreateBackupRequest'] = {};`);
  match(output, /Type 'string' is not assignable to type 'boolean/);
  match(output, /Property 'projectId' is missing/);
});
