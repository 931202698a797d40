/** A document can be named by whatever a person copies. */
import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { parseDocumentAddress } from '../../../shared/document/parse-document-address.ts';

const database = (sourceProjectId: string, databaseId = '(default)') => ({ sourceProjectId, databaseId });

test('document address: a path, a resource name, an address of the consoles of Google, and a bare id', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['users/ada', { path: 'users/ada', isBareId: false }],
    [' /users/ada/orders/1/ ', { path: 'users/ada/orders/1', isBareId: false }],
    ['ada', { path: 'ada', isBareId: true }],
    ['__id7__', { path: '__id7__', isBareId: true }],
    ['projects/p/databases/(default)/documents/users/ada', { database: database('p'), path: 'users/ada', isBareId: false }],
    [
      'https://firestore.googleapis.com/v1/projects/p/databases/eu/documents/users/ada',
      { database: database('p', 'eu'), path: 'users/ada', isBareId: false },
    ],
    [
      'https://console.cloud.google.com/firestore/databases/-default-/data/panel/users/ada?authuser=0&project=p-1',
      { database: database('p-1'), path: 'users/ada', isBareId: false },
    ],
    [
      'console.cloud.google.com/firestore/databases/eu/data/panel/users/a%20b%3F/orders/%C3%A9?project=p',
      { database: database('p', 'eu'), path: 'users/a b?/orders/é', isBareId: false },
    ],
    [
      'https://console.firebase.google.com/u/0/project/p/firestore/databases/-default-/data/~2Fusers~2Fada',
      { database: database('p'), path: 'users/ada', isBareId: false },
    ],
    [
      'https://console.firebase.google.com/project/p/firestore/data/~2Fusers~2Fada~20b~2Forders~2F1?view=panel-view',
      { database: database('p'), path: 'users/ada b/orders/1', isBareId: false },
    ],
  ];
  for (const [pasted, expected] of cases) deepEqual(parseDocumentAddress(pasted), expected, pasted);
});

test('document address: what names no document is refused by its field, a collection by its name', () => {
  for (const pasted of [
    'users/ada/orders',
    'users//ada',
    'projects/p/databases/d/documents/users',
    'https://console.cloud.google.com/firestore/databases/-default-/data/panel/users?project=p',
    'https://console.cloud.google.com/firestore/databases/-default-/data/panel/users/ada',
    'https://console.firebase.google.com/project/p/overview',
    'https://console.firebase.google.com/project/p/firestore/data/%E0',
    'https://example.com/users/ada',
    '/',
  ])
    throws(() => parseDocumentAddress(pasted), { code: 'VALIDATION_ERROR' }, pasted);
  throws(() => parseDocumentAddress('users/ada/orders'), /names the collection users\/ada\/orders/);
});
