/** The fields that backups of a project are filtered by: which paths are taken, and what removes them. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { fieldSegments } from '../../../shared/firestore/index.ts';
import { defaultSettings, settingsWith } from '../../../shared/project/update-project.ts';
import { searchFilter } from '../../../shared/stored-backup/index.ts';

const parse = (searchFields: unknown) => projects.update.body.safeParse({ settings: { searchFields } });

test('search fields: paths of fields are taken, and each is one that documents can have', () => {
  const paths = ['email', 'address.city', '`a.b`.c', '`back\\`tick`', 'e\u0301', 'with space', '__name', '_x_.y', '1'];
  for (const path of paths) {
    equal(parse([path]).success, true, path);
    equal(fieldSegments(path) !== undefined, true, path);
  }
  equal(parse(Array.from({ length: 8 }, (_, n) => `f${n}`)).success, true);
  deepEqual([parse([]).success, parse(null).success], [true, true]);
});

test('search fields: what names no field is refused', () => {
  const refused = [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '`a',
    'a`b`',
    '__name__',
    '__name__.a',
    '`__name__`',
    'a\u0000b',
    'a\nb',
    'x'.repeat(201),
    'a\ufffd',
  ];
  for (const path of refused) equal(parse([path]).success, false, JSON.stringify(path));
  for (const list of ['email', [1], [['a']], ['a', 'a'], Array.from({ length: 9 }, (_, n) => `f${n}`)])
    equal(parse(list).success, false, JSON.stringify(list));
});

test('search fields: null or none removes them, other changes keep them', () => {
  const named = settingsWith(defaultSettings, { searchFields: ['email', 'address.city'] });
  deepEqual(named, { ...defaultSettings, searchFields: ['email', 'address.city'] });
  deepEqual(settingsWith(named, { maxReads: 5 }), { ...named, maxReads: 5 });
  for (const searchFields of [null, []]) deepEqual(settingsWith(named, { searchFields }), defaultSettings);
  deepEqual(searchFilter({ settings: named })?.fields, [['email'], ['address', 'city']]);
  equal(searchFilter({ settings: defaultSettings }), undefined);
});
