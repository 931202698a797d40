import { equal, notEqual, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import type { UserRecord } from '../../../shared/account/index.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { createOrganization } from '../../../shared/organization/create-organization.ts';
import { isSlug, slugOf, slugWith } from '../../../shared/organization/slug.ts';
import { StaleReadError } from '../../../shared/platform/index.ts';
import { anyCharacter } from '../../harness/builders/any-character.ts';

for (const [name, slug] of [
  ['Acme', 'acme'],
  ['Acme Corp.', 'acme-corp'],
  ["O'Brien & Sons", 'obrien-sons'],
  ['Straße Łódź Ærø', 'strasse-lodz-aero'],
  ['Crème brûlée GmbH', 'creme-brulee-gmbh'],
  ['ＡＢＣ １２３', 'abc-123'],
  ['--already--hyphened--', 'already-hyphened'],
  ['日本語', ''],
  [`${'long '.repeat(20)}`, 'long-long-long-long-long-long-long-long'],
] as const) {
  test(`slugOf: "${name.slice(0, 20)}" becomes "${slug}"`, () => equal(slugOf(name), slug));
}

test('slugWith: any name with a suffix is a valid slug', () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), (name) => isSlug(slugWith(slugOf(name), 'x7k2p9'))));
});

test('slugOf: the slug of any name is valid, or too short or reserved', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (name) => {
      const slug = slugOf(name);
      return slug === '' || (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && slug.length <= 40);
    }),
  );
});

const now = new Date('2025-06-01T12:00:00Z');
const owner = { id: 'usr_01JWNVAV000000000000000000', email: 'Ann@Example.com', name: 'Ann' } as unknown as UserRecord;
const made = (name: string, slug: string | undefined, isTaken: boolean) =>
  createOrganization(owner, { input: { name, slug }, isTaken, now });
const refusal = ({ change }: ReturnType<typeof made>) => change.writes.find((write) => 'put' in write && write.put.sk === 'SLUG');

test('createOrganization: a free slug of the name is used', () =>
  equal(made('Acme', undefined, false).organization.slug, 'acme'));

for (const [why, name, isTaken] of [
  ['is taken', 'Acme', true],
  ['is reserved', 'API', false],
  ['is too short', 'A', false],
  ['is empty', '日本語', false],
] as const) {
  test(`createOrganization: a slug of the name that ${why} gets a suffix`, () => {
    const { slug } = made(name, undefined, isTaken).organization;
    ok(isSlug(slug) && /-[0-9a-z]{6}$/.test(slug), slug);
    notEqual(slug, made(name, undefined, isTaken).organization.slug);
  });
}

test('createOrganization: a requested slug is used unchanged or rejected with SLUG_TAKEN', async () => {
  const requested = made('Acme', 'other', true);
  equal(requested.organization.slug, 'other');
  const error = await refusal(requested)?.onConditionFailed?.();
  ok(error instanceof ApiError && error.code === 'SLUG_TAKEN');
});

test('createOrganization: a derived slug that is taken concurrently is chosen again', async () =>
  ok((await refusal(made('Acme', undefined, false))?.onConditionFailed?.()) instanceof StaleReadError));
