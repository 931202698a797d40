import assert from 'node:assert/strict';
import { test } from 'vitest';
import {
  checkCollectionId,
  checkDocumentId,
  documentName,
  isPlainPath,
  parseDatabaseName,
  parseDocumentName,
  parseParent,
} from '../../../../../../infra/local/engines/firestore/base/document-name.ts';
import { RpcError } from '../../../../../../infra/local/engines/firestore/base/types.ts';

const refused = (run: () => unknown, message: string) =>
  assert.throws(run, (error: RpcError) => {
    assert.ok(error instanceof RpcError);
    assert.equal(error.code, 'INVALID_ARGUMENT');
    assert.equal(error.message, message);
    return true;
  });

test('name: a document name is parsed into project, database and path', () => {
  const { key, ...name } = parseDocumentName('projects/p/databases/(default)/documents/c/d/e/f');
  assert.deepEqual(name, { projectId: 'p', databaseId: '(default)', path: 'c/d/e/f' });
  assert.equal(key, 'c\0d\0e\0f');
  assert.equal(documentName(name, name.path), 'projects/p/databases/(default)/documents/c/d/e/f');
  assert.equal(documentName(name, ''), 'projects/p/databases/(default)/documents');
});

test('name: a parent is a document or the root', () => {
  assert.equal(parseParent('projects/p/databases/d/documents').path, '');
  assert.equal(parseParent('projects/p/databases/d/documents/c/d').path, 'c/d');
});

// Recorded answers of production and of Google's emulator.
const malformedDocuments: [string, string][] = [
  ['', 'Document name "" lacks "projects" at index 0.'],
  ['projects/p/databases/d/documents/c', 'Document name "projects/p/databases/d/documents/c" lacks "/" at index 34.'],
  ['projects/p/databases/d/documents', 'Document name "projects/p/databases/d/documents" lacks "/" at index 32.'],
  ['projects/p/databases/d/c/d', 'Document name "projects/p/databases/d/c/d" lacks "documents" at index 23.'],
  [
    'projects/p/databases/d/documents//a',
    'Document name "projects/p/databases/d/documents//a" lacks a collection id at index 33.',
  ],
  [
    'projects/p/databases/d/documents/c//',
    'Document name "projects/p/databases/d/documents/c//" lacks a resource id at index 35.',
  ],
  ['projects/p/databases/d/documents/c/a/', 'Document name "projects/p/databases/d/documents/c/a/" has invalid trailing "/".'],
  [
    'projects/p/databases/d/documents/c/.',
    'Document name "projects/p/databases/d/documents/c/." contains a resource id "." at index 35.',
  ],
  [
    'projects/p/databases/d/documents/c/..',
    'Document name "projects/p/databases/d/documents/c/.." contains a resource id ".." at index 35.',
  ],
  ['projects/p/databases/d/documents/c/__x__', 'Resource id "__x__" is invalid because it is reserved.'],
  ['projects/p/databases/d/documents/c/_____', 'Resource id "_____" is invalid because it is reserved.'],
  ['projects/p/databases/d/documents/__c__/x', 'Collection id "__c__" is invalid because it is reserved.'],
  [
    'projects/p/databases/d/documents/c/__id5x__',
    "A long document ID string must be formatted like '__id{LONG}__', where LONG is a 64-bit integer. Found: '__id5x__'.",
  ],
  [`projects/p/databases/d/documents/c/${'é'.repeat(751)}`, 'The key path element name is longer than 1500 bytes.'],
  [`projects/p/databases/d/documents/${'c'.repeat(1501)}/d`, 'The key path element kind is longer than 1500 bytes.'],
];
for (const [name, message] of malformedDocuments)
  test(`name: a malformed name is rejected with production's message: ${message.slice(0, 90)}`, () =>
    refused(() => parseDocumentName(name), message));

test('name: names at the limit, numeric ids and names that only look reserved are valid', () => {
  for (const id of [
    'x'.repeat(1500),
    'é'.repeat(750),
    '__id7__',
    '__id-9223372036854775808__',
    '__foo_',
    '_bar__',
    '...',
    ' ',
    '\n',
    '😀',
  ])
    assert.equal(parseDocumentName(`projects/p/databases/d/documents/c/${id}`).path, `c/${id}`);
});

test('name: a path has at most a hundred collections', () => {
  const path = (n: number) => `projects/p/databases/d/documents/${Array.from({ length: n }, () => 'c/d').join('/')}`;
  assert.ok(parseDocumentName(path(100)));
  assert.throws(() => parseDocumentName(path(101)), { code: 'INVALID_ARGUMENT' });
});

test('name: malformed parents and databases are rejected with production’s messages', () => {
  refused(
    () => parseParent('projects/p/databases/d/documents/'),
    'Document parent name "projects/p/databases/d/documents/" is invalid: Omit trailing "/".',
  );
  refused(
    () => parseParent('projects/p/databases/d/documents/c'),
    'Document parent name "projects/p/databases/d/documents/c" lacks "/" at index 34.',
  );
  refused(
    () => parseDatabaseName('projects//databases/d'),
    'Database name "projects//databases/d" lacks a project id at index 9.',
  );
  refused(
    () => parseDatabaseName('projects/p/databases/d/'),
    'Database name "projects/p/databases/d/" has invalid trailing "/".',
  );
  refused(
    () => parseDatabaseName('projects/p/databases/d/documents'),
    'Database name "projects/p/databases/d/documents" has extra characters at index 22.',
  );
  assert.throws(() => parseDatabaseName('projects/a b/databases/d'), /Project id a b is malformed/);
});

test('name: malformed ids are rejected with production’s messages', () => {
  refused(() => checkCollectionId('a/b'), 'Collection id "a/b" is invalid because it contains "/".');
  refused(() => checkCollectionId('__x__'), 'Collection id "__x__" is invalid because it is reserved.');
  refused(() => checkDocumentId('a/b'), 'Resource id "a/b" is invalid because it contains "/".');
  refused(() => checkDocumentId('..'), 'Resource id ".." is invalid because it is reserved.');
});

test('name: the fast path accepts only names that the parser accepts', () => {
  for (const path of ['c/d', 'c/d/e/f', 'users/ada']) assert.ok(isPlainPath(path));
  for (const path of [
    'c',
    'c/d/e',
    '',
    '/',
    'c/',
    '/d',
    'c//d/e',
    'c/.',
    'c/..',
    'c/__x__',
    '__c__/d',
    'c/é',
    `c/${'d'.repeat(1501)}`,
  ])
    assert.ok(!isPlainPath(path), path);
});
